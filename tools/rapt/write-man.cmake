# cmake -D OUTPUT= -D COMMAND= -P write-man.cmake: what `COMMAND --man` prints, as a file.
execute_process(COMMAND ${COMMAND} --man OUTPUT_VARIABLE page RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${COMMAND} --man failed: ${result}")
endif()
file(WRITE "${OUTPUT}" "${page}")
