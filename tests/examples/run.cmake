# run.cmake -DPROGRAM=<command> -DOUTPUT=<regex>: the program ends with 0 and prints what matches.
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE result)
message("${output}${errors}")
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${PROGRAM}: exit status ${result}")
endif()
if(NOT output MATCHES "${OUTPUT}")
  message(FATAL_ERROR "${PROGRAM}: this does not match '${OUTPUT}'")
endif()
