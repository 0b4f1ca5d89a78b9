# What find_package must refuse, with a reason: versions that do not fit, components that do not exist.
include("${CMAKE_CURRENT_LIST_DIR}/common.cmake")

# refused(VERSION COMPONENT LANGUAGE PART...): each PART must be in the message.
function(refused version component language)
  execute_process(COMMAND "${CMAKE_COMMAND}" --fresh -S "${CONSUMER}/find_package" -B "${WORK}/refused"
      -G "${GENERATOR}" ${COMPILERS} "-DCMAKE_PREFIX_PATH=${PREFIX}" "-DVERSION=${version}"
      "-DCOMPONENT=${component}" "-DSOURCE=${CONSUMER}/use.c"
      "-DLANGUAGES=${language}"
    OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE result)
  string(REGEX REPLACE "[ \n]+" " " output "${output}") # CMake breaks lines
  if(result EQUAL 0)
    message(FATAL_ERROR "version '${version}', component '${component}' was accepted")
  endif()
  foreach(part IN LISTS ARGN)
    string(FIND "${output}" "${part}" at)
    if(at EQUAL -1)
      message(FATAL_ERROR "version '${version}', component '${component}': no '${part}' in:\n${output}")
    endif()
  endforeach()
  message("version '${version}', component '${component}': refused")
endfunction()

refused(9.9 rapt C "compatible with requested version \"9.9\"" "rapt-config.cmake, version: ${FULL_VERSION}")
refused(0.0 rapt C "compatible with requested version \"0.0\"" "version: ${FULL_VERSION}")
refused(${VERSION} cuda C "no component 'cuda' is installed: there are core, rapt, core-static, static")
if(CXX)
  refused(${VERSION} static CXX "component 'static' needs the language C")
endif()

# What -DRAPT_BUILD_SHARED=OFF installs has two of the four.
set(PREFIX "${WORK}/refused-archives")
file(REMOVE_RECURSE "${PREFIX}")
file(COPY "${WORK}/archives/" DESTINATION "${PREFIX}")
file(GLOB_RECURSE shared "${PREFIX}/*/rapt-core-targets*.cmake" "${PREFIX}/*/rapt-rapt-targets*.cmake")
file(REMOVE ${shared})
refused(${VERSION} rapt C "no component 'rapt' is installed: there are core-static, static")
