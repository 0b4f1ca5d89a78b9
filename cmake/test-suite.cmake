# rapt_test_suite(SUITE SOURCES...): program test-<suite> and its CTest entries "<suite>.<name>".
function(rapt_test_suite suite)
  set(target test-${suite})
  set(library rapt-internal)
  if(DEFINED RAPT_SUITE_LIBRARY_${suite})
    set(library ${RAPT_SUITE_LIBRARY_${suite}})
    if(NOT TARGET ${library})
      message(STATUS "Suite ${suite} left out: the target ${library} is not built")
      return()
    endif()
  endif()
  add_executable(${target} ${ARGN})
  rapt_defaults(${target})
  target_compile_options(${target} PRIVATE -UNDEBUG)
  # The top of the source tree (data beside it), and the build's libraries for dlopen and readelf.
  target_compile_definitions(${target} PRIVATE RAPT_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    RAPT_LIBRARY_DIR="${PROJECT_BINARY_DIR}")
  target_link_libraries(${target} PRIVATE rapt-test-support ${library} m ${CMAKE_DL_LIBS})
  if(RAPT_BUILD_SHARED) # a suite may load them at run time
    add_dependencies(${target} rapt-core rapt)
  endif()
  rapt_discover(${target} ${suite} PREFIX "${suite}." LABELS ${suite}
    LAUNCHER ${CMAKE_CROSSCOMPILING_EMULATOR})
endfunction()

# rapt_emulated_suite(SUITE CPU SELECT): tests of SUITE that match SELECT, run by qemu-x86_64.
function(rapt_emulated_suite suite cpu select)
  if(TARGET test-${suite})
    rapt_discover(test-${suite} emulated-${cpu}-${suite} PREFIX "emulated.${cpu}.${suite}."
      LABELS emulated SELECT "${select}" LAUNCHER "${RAPT_QEMU_X86_64}" -cpu ${cpu})
  endif()
endfunction()

# rapt_discover(TARGET ID PREFIX p LABELS ... [SELECT regex] [LAUNCHER command...]): after TARGET is
# linked, asks it for its tests and writes a file that ctest reads. The list is asked for natively
# when that is possible; only the tests run under the launcher.
function(rapt_discover target id)
  cmake_parse_arguments(arg "" "PREFIX;SELECT" "LABELS;LAUNCHER" ${ARGN})
  set(list "${CMAKE_CURRENT_BINARY_DIR}/${id}-tests.cmake")
  set(include "${CMAKE_CURRENT_BINARY_DIR}/${id}-include.cmake")
  # Lists travel through the command line with | for ; (a launcher may hold neither).
  list(JOIN arg_LAUNCHER "|" launcher)
  list(JOIN CMAKE_CROSSCOMPILING_EMULATOR "|" lister)
  list(JOIN arg_LABELS "|" labels)
  add_custom_command(TARGET ${target} POST_BUILD VERBATIM
    COMMAND "${CMAKE_COMMAND}" "-DPROGRAM=$<TARGET_FILE:${target}>" "-DLIST=${list}"
      "-DPREFIX=${arg_PREFIX}" "-DLABELS=${labels}" "-DSELECT=${arg_SELECT}"
      "-DLAUNCHER=${launcher}" "-DLISTER=${lister}"
      -P "${PROJECT_SOURCE_DIR}/cmake/discover-tests.cmake")
  file(WRITE "${include}" "if(EXISTS [==[${list}]==])\n  include([==[${list}]==])\nelse()\n"
    "  add_test([==[${arg_PREFIX}NOT_BUILT]==] [==[${target}-was-not-built]==])\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${include}")
endfunction()
