# installed.cmake: installs into PREFIX, compiles examples/peer.c against the installed header, and loads both
# that and the installed librapt-peer.so.
cmake_minimum_required(VERSION 3.25)
file(REMOVE_RECURSE "${PREFIX}")
function(run)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE out ERROR_VARIABLE err RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}: exit status ${status}\n${out}${err}")
  endif()
  set(text "${out}${err}" PARENT_SCOPE)
endfunction()
run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${PREFIX}")
run("${CC}" -std=c11 -O2 -Wall -Wextra -Werror -shared -fPIC "${ROOT}/examples/peer.c"
  "-I${PREFIX}/${INCLUDEDIR}" -o "${PREFIX}/libpeer-naive.so" -lm)
run("${PROGRAM}" --rapt_quick --rapt_seconds=0.02 --peer "${PREFIX}/${LIBDIR}/librapt-peer.so" --peer
  "${PREFIX}/libpeer-naive.so" "--benchmark_filter=^prefill/f32/none/b1_hq12_hkv12_d64_s128/t1$")
foreach(regex " speedup_vs_rapt=[0-9]" " speedup_vs_naive=[0-9]")
  if(NOT text MATCHES "${regex}")
    message(FATAL_ERROR "not in the output: ${regex}\n${text}")
  endif()
endforeach()

# Moved elsewhere it still finds its own librapt: not the build tree's, nor the system's.
execute_process(COMMAND "${CMAKE_COMMAND}" -E env "LD_LIBRARY_PATH=" ldd
  "${PREFIX}/${LIBDIR}/librapt-peer.so" OUTPUT_VARIABLE loaded RESULT_VARIABLE status)
if(EXISTS "${PREFIX}/${LIBDIR}/librapt.so.0" AND NOT loaded MATCHES "librapt.so.0 => ${PREFIX}/")
  message(FATAL_ERROR "librapt-peer.so loads another librapt (${status}):\n${loaded}")
endif()
