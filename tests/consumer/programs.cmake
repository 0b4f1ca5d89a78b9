# What is installed beside the library, where it was moved to: the command rapt finds its librapt there and
# computes, and its man page is its own. With -DBENCH=ON librapt-peer.so finds the same librapt.
include("${CMAKE_CURRENT_LIST_DIR}/common.cmake")

# must_load_own(FILE): the loader takes librapt from the prefix.
find_program(LDD ldd REQUIRED)
function(must_load_own file)
  run("${LDD}" "${file}")
  string(REGEX MATCH "librapt\\.so\\.0 => [^\n]*" loaded "${output}")
  message("${file}: ${loaded}")
  file(REAL_PATH "${PREFIX}" prefix)
  string(FIND "${loaded}" "=> ${prefix}/" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "${file} does not load the librapt of ${prefix}:\n${output}")
  endif()
endfunction()

set(rapt "${PREFIX}/bin/rapt")
must_load_own("${rapt}")
run("${rapt}" --version)
if(NOT output MATCHES "^rapt ${FULL_VERSION}\n")
  message(FATAL_ERROR "rapt --version says ${output}, not ${FULL_VERSION}")
endif()
set(case "${SOURCE}/examples/data/ppocr-l1-s160")
run("${rapt}" run --q "${case}/q.npy" --k "${case}/k.npy" --v "${case}/v.npy" --expect "${case}/out.npy"
  --tolerance 5e-6)
run("${rapt}" --man)
file(READ "${PREFIX}/share/man/man1/rapt.1" page)
if(NOT page STREQUAL output)
  message(FATAL_ERROR "the installed man page is not what the installed rapt prints")
endif()

if(BENCH)
  file(GLOB_RECURSE peer "${PREFIX}/*/librapt-peer.so")
  must_load_own("${peer}")
endif()
