# bench_csv.cmake -DCSV=<file>: the table that rapt bench --csv wrote.
cmake_minimum_required(VERSION 3.25)

file(STRINGS "${CSV}" lines)
set(number "[0-9.]+(e[+-]?[0-9]+)?")
set(expected
  "^length,seconds,flops_per_second,kv_bytes_per_second,growth$"
  "^256,${number},${number},${number},$"
  "^512,${number},${number},${number},${number}$"
  "^1024,${number},${number},${number},${number}$")
list(LENGTH lines count)
if(NOT count EQUAL 4)
  message(FATAL_ERROR "${CSV} has ${count} lines, not 4:\n${lines}")
endif()
foreach(line pattern IN ZIP_LISTS lines expected)
  if(NOT line MATCHES "${pattern}")
    message(FATAL_ERROR "${CSV}: '${line}' is not '${pattern}'")
  endif()
endforeach()
