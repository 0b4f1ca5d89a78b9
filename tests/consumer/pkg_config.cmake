# -DMODULE=rapt|rapt-core: one command line with pkg-config, against the shared library and, with
# --static, against the archive.
include("${CMAKE_CURRENT_LIST_DIR}/common.cmake")
need_pkg_config()

# flags(OUT PREFIX ARGUMENTS...): what pkg-config says, as a list.
function(flags out prefix)
  file(GLOB_RECURSE file "${prefix}/*/${MODULE}.pc")
  get_filename_component(folder "${file}" DIRECTORY)
  run("${CMAKE_COMMAND}" -E env "PKG_CONFIG_LIBDIR=${folder}" "${PKG_CONFIG}" ${ARGN} ${MODULE})
  string(STRIP "${output}" output)
  message("pkg-config ${ARGN} ${MODULE}: ${output}")
  separate_arguments(words UNIX_COMMAND "${output}")
  set(${out} "${words}" PARENT_SCOPE)
endfunction()

flags(version "${PREFIX}" --modversion)
if(NOT version STREQUAL FULL_VERSION)
  message(FATAL_ERROR "${MODULE}.pc says version ${version}, not ${FULL_VERSION}")
endif()

set(program "${WORK}/pkg-config-${MODULE}")
flags(words "${PREFIX}" --cflags --libs)
flags(libdir "${PREFIX}" --variable=libdir)
run("${CC}" "${CONSUMER}/use.c" -o "${program}" ${words} -lm "-Wl,-rpath,${libdir}")
run_use("${program}")
must_need("${program}" "lib${MODULE}.so.0" YES)

set(program "${program}-static")
flags(words "${WORK}/archives" --static --cflags --libs)
run("${CC}" "${CONSUMER}/use.c" -o "${program}" ${words})
run_use("${program}")
must_need("${program}" librapt NO)
if(MODULE STREQUAL "rapt-core") # libc and libm only, so no shared library is needed at all
  run("${CC}" -static "${CONSUMER}/use.c" -o "${program}-whole" ${words})
  run_use("${program}-whole")
endif()
