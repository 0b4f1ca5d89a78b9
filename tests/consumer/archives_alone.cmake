# With -DRAPT_BUILD_SHARED=OFF there is no shared library to bring its own: pkg-config without --static must
# name what the archive needs. Configured only; the link is made with the archive of the build under test.
include("${CMAKE_CURRENT_LIST_DIR}/common.cmake")
need_pkg_config()

file(GLOB_RECURSE archive "${WORK}/archives/*/librapt.a")
get_filename_component(archives "${archive}" DIRECTORY)
set(tree "${WORK}/archives-alone")
configure("${SOURCE}" "${tree}" -DRAPT_BUILD_SHARED=OFF -DRAPT_BUILD_TESTS=OFF -DRAPT_BUILD_EXAMPLES=OFF
  -DRAPT_BUILD_TOOL=OFF "-DRAPT_HWLOC=${HWLOC}")
foreach(module rapt rapt-core)
  run("${CMAKE_COMMAND}" -E env "PKG_CONFIG_LIBDIR=${tree}" "${PKG_CONFIG}" --libs-only-l --libs-only-other
    ${module})
  string(STRIP "${output}" output)
  message("pkg-config --libs ${module}: ${output}")
  separate_arguments(words UNIX_COMMAND "${output}")
  set(program "${WORK}/archives-alone-${module}")
  run("${CC}" "-I${SOURCE}/include" "${CONSUMER}/use.c" -o "${program}" "-L${archives}" ${words})
  run_use("${program}")
  must_need("${program}" librapt NO)
endforeach()
