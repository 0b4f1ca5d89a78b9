# filters.cmake -DROOT=<tree> -DBENCH=<rapt-bench>: each --benchmark_filter of README.md selects a benchmark.
cmake_minimum_required(VERSION 3.25)
file(STRINGS "${ROOT}/README.md" lines REGEX "`'\\^[a-z]+.*`")
list(LENGTH lines rows)
if(rows LESS 10)
  message(FATAL_ERROR "README.md: 10 or more rows with a filter were expected, ${rows} found")
endif()
foreach(line IN LISTS lines)
  string(REGEX MATCH "`'([^']+)'" found "${line}")
  string(REPLACE "\\|" "|" filter "${CMAKE_MATCH_1}") # a table's bars are escaped
  execute_process(COMMAND "${BENCH}" --benchmark_list_tests "--benchmark_filter=${filter}"
    OUTPUT_VARIABLE names RESULT_VARIABLE result)
  if(NOT result EQUAL 0 OR NOT names MATCHES "/")
    message(FATAL_ERROR "${filter}: selects nothing (${result}): ${names}")
  endif()
  string(REGEX MATCHALL "\n" ends "${names}")
  list(LENGTH ends count)
  message("${filter}: ${count}")
endforeach()
