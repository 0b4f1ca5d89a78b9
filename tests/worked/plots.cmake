# plots.cmake -DROOT=<tree> -DWORK=<folder> -DAWK=.. -DGNUPLOT=.. -DTOOL=<rapt>: from recorded output of
# rapt-bench to a table and to pictures, and the picture of rapt example scale.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
set(recorded "${ROOT}/tests/worked/recorded")

# must(COMMAND...): it succeeds; what it prints is in `printed`.
macro(must)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${WORK}" RESULT_VARIABLE result
    OUTPUT_VARIABLE printed ERROR_VARIABLE errors)
  if(result)
    message(FATAL_ERROR "${ARGN}\nended with ${result}: ${errors}${printed}")
  endif()
endmacro()

macro(must_be_picture name begins)
  file(READ "${WORK}/${name}" bytes LIMIT 4 HEX)
  file(SIZE "${WORK}/${name}" size)
  if(NOT bytes STREQUAL "${begins}" OR size LESS 5000)
    message(FATAL_ERROR "${name} is no picture: ${size} bytes, the first are ${bytes}")
  endif()
endmacro()

must("${AWK}" -f "${ROOT}/bench/plot/growth.awk" "${recorded}/growth.json")
file(READ "${recorded}/growth.dat" expected)
if(NOT printed STREQUAL expected)
  message(FATAL_ERROR "growth.awk made\n${printed}of the recorded run, not\n${expected}")
endif()
# A run with no such row is an error, not an empty plot.
file(WRITE "${WORK}/empty.json" "{\n  \"benchmarks\": [\n  ]\n}\n")
execute_process(COMMAND "${AWK}" -f "${ROOT}/bench/plot/growth.awk" "${WORK}/empty.json"
  RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE errors)
if(NOT result OR NOT errors MATCHES "no row of the growth suite")
  message(FATAL_ERROR "growth.awk took a run without rows: ${result} ${errors}")
endif()

must(${TOOL} example scale --plot entropy.dat)
file(READ "${WORK}/entropy.dat" table)
if(NOT table MATCHES "\n16 2\\.6743[0-9]+ 7\\.3098[0-9]+ 8\\.000000\n.*\n1024 0\\.2133[0-9]+ 7\\.2835[0-9]+ 8\\.000000\n$")
  message(FATAL_ERROR "rapt example scale --plot entropy.dat wrote\n${table}")
endif()

if(NOT GNUPLOT)
  message("SKIPPED: gnuplot is not installed (gnuplot-nox)")
  return()
endif()
must("${GNUPLOT}" -e "data='${recorded}/growth.dat'" "${ROOT}/bench/plot/growth.gp")
foreach(text "one head" "slope of length" "Time of one call" "tokens" "16384")
  if(NOT printed MATCHES "${text}")
    message(FATAL_ERROR "the plot in the terminal lacks '${text}':\n${printed}")
  endif()
endforeach()
must("${GNUPLOT}" -e "data='${recorded}/growth.dat'" -e "base='growth'" "${ROOT}/bench/plot/growth.gp")
must_be_picture(growth.png 89504e47)
must_be_picture(growth.svg 3c3f786d)
# A quote in a name is part of the name.
must(${TOOL} example scale --plot "it's.svg")
must_be_picture("it's.svg" 3c3f786d)
