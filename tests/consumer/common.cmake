# What the consumer scripts share. All of them get
#   SOURCE, BUILD   the tree and the build that is installed
#   WORK            a folder for all of them; the installed prefix is ${WORK}/moved
#   CC, CXX         compilers; CXX may be empty
#   GENERATOR       of CMake
cmake_minimum_required(VERSION 3.25)
set(CONSUMER "${CMAKE_CURRENT_LIST_DIR}")
set(PREFIX "${WORK}/moved")
set(COMPILERS "-DCMAKE_C_COMPILER=${CC}")
if(CXX)
  list(APPEND COMPILERS "-DCMAKE_CXX_COMPILER=${CXX}")
endif()
set(EXPECTED_LINE "8\\.225 1\\.775")
# Nothing of the caller's environment may help to find the library.
foreach(name CMAKE_PREFIX_PATH PKG_CONFIG_PATH LD_LIBRARY_PATH LIBRARY_PATH CPATH rapt_DIR rapt_ROOT)
  unset(ENV{${name}})
endforeach()

# run(COMMAND...): must succeed; what it printed is then in `output`.
function(run)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE printed ERROR_VARIABLE printed RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\n${printed}\nended with ${result}")
  endif()
  set(output "${printed}" PARENT_SCOPE)
endfunction()

# need_pkg_config(): PKG_CONFIG, or the whole script ends as skipped.
macro(need_pkg_config)
  find_program(PKG_CONFIG pkg-config)
  if(NOT PKG_CONFIG)
    message("skipped: pkg-config is not installed (Debian: pkgconf)")
    return()
  endif()
endmacro()

# configure(SOURCE_DIR BUILD_DIR OPTIONS...): a fresh build folder with the compilers of the build under test.
function(configure source_dir build_dir)
  file(REMOVE_RECURSE "${build_dir}")
  run("${CMAKE_COMMAND}" -S "${source_dir}" -B "${build_dir}" -G "${GENERATOR}"
    ${COMPILERS} ${ARGN})
  set(output "${output}" PARENT_SCOPE)
endfunction()

# run_use(PROGRAM [ISA]): the program's own comparison with float64 must hold, and no library may have written
# anything of its own, on either stream. `output` is what the program said.
function(run_use)
  run(${ARGN})
  if(NOT output MATCHES "^topology [a-z]+\n(bits [a-z0-9]+ [0-9a-f]+\n)+$" OR NOT output MATCHES "bits generic")
    message(FATAL_ERROR "${ARGN}: not the lines expected:\n${output}")
  endif()
  message("${output}")
  set(output "${output}" PARENT_SCOPE)
endfunction()

# must_need(PROGRAM LIBRARY YES|NO): whether the program asks the loader for it.
function(must_need program library wanted)
  find_program(OBJDUMP NAMES objdump)
  if(NOT OBJDUMP)
    message("objdump is missing: what ${program} needs was not looked at")
    return()
  endif()
  run("${OBJDUMP}" -p "${program}")
  string(REGEX MATCH "NEEDED +${library}" found "${output}")
  if((wanted AND NOT found) OR (found AND NOT wanted))
    message(FATAL_ERROR "${program}: needs ${library}: '${found}', expected ${wanted}")
  endif()
endfunction()
