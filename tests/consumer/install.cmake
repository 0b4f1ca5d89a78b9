# Installs the build, then moves the prefix: what the other tests use must work where it was not put.
include("${CMAKE_CURRENT_LIST_DIR}/common.cmake")
file(REMOVE_RECURSE "${WORK}/first" "${PREFIX}" "${WORK}/archives")
run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/first")
file(RENAME "${WORK}/first" "${PREFIX}")

file(GLOB_RECURSE installed RELATIVE "${PREFIX}" "${PREFIX}/*")
list(JOIN installed "\n  " shown)
message("installed:\n  ${shown}")
foreach(name include/rapt/rapt.h librapt.so.0 librapt-core.so.0 librapt.a librapt-core.a
    pkgconfig/rapt.pc pkgconfig/rapt-core.pc cmake/rapt/rapt-config.cmake)
  if(NOT shown MATCHES "${name}")
    message(FATAL_ERROR "${name} was not installed")
  endif()
endforeach()

# No file that consumers read may name the folders of this build.
foreach(name IN LISTS installed)
  if(name MATCHES "\\.(cmake|pc|h)$")
    file(READ "${PREFIX}/${name}" text)
    foreach(folder "${SOURCE}" "${BUILD}" "${WORK}/first")
      string(FIND "${text}" "${folder}" at)
      if(NOT at EQUAL -1)
        message(FATAL_ERROR "${name} names ${folder}")
      endif()
    endforeach()
  endif()
endforeach()

# The same prefix with archives only: what an installation of a static build looks like to a linker.
file(COPY "${PREFIX}/" DESTINATION "${WORK}/archives")
file(GLOB_RECURSE shared "${WORK}/archives/*.so" "${WORK}/archives/*.so.*")
file(REMOVE ${shared})
