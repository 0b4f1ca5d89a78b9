# docs/kernels.md says that three edits add an instruction set. This makes them in a copy of the tree, for a
# level `dummy` that every machine has and that works like generic, and nothing else; then the new set must
# be listed, pass its checks and compute attention.
#
#   cmake -DSOURCE=<tree> -DWORK=<folder> -DCC= -DGENERATOR= -P three_edits.cmake
include("${CMAKE_CURRENT_LIST_DIR}/../consumer/common.cmake")

set(tree "${WORK}/tree")
set(build "${WORK}/build")
file(REMOVE_RECURSE "${tree}")
file(GLOB parts LIST_DIRECTORIES true "${SOURCE}/*")
list(REMOVE_ITEM parts "${SOURCE}/build")
file(COPY ${parts} DESTINATION "${tree}" PATTERN .git EXCLUDE PATTERN __pycache__ EXCLUDE)

# The three files the documentation names, in its order.
file(READ "${SOURCE}/docs/kernels.md" docs)
string(REGEX MATCHALL "\n[0-9]\\. `[^`]+`" promised "${docs}")
list(TRANSFORM promised REPLACE "\n[0-9]\\. `([^`]+)`" "\\1")
set(expected src/kernels/arm/sve_f32.c src/kernels/kernels.def cmake/isa.cmake)
if(NOT promised STREQUAL expected)
  message(FATAL_ERROR "docs/kernels.md lists the edits '${promised}', this test makes '${expected}'")
endif()

# insert(FILE TEXT BEFORE LINE): an edit by a person, who finds the line once.
function(insert file text before line)
  file(READ "${tree}/${file}" content)
  string(REPLACE "\n${line}" "" without "${content}")
  string(LENGTH "${content}" length)
  string(LENGTH "${without}" shorter)
  string(LENGTH "\n${line}" one)
  math(EXPR times "(${length} - ${shorter}) / ${one}")
  if(NOT times EQUAL 1)
    message(FATAL_ERROR "${file}: the line '${line}' is there ${times} times")
  endif()
  string(REPLACE "\n${line}" "\n${text}${line}" content "${content}")
  file(WRITE "${tree}/${file}" "${content}")
  string(REGEX REPLACE "\n(.)" "\n       \\1" shown "${text}")
  message("edit: ${file}\n       ${shown}")
endfunction()

# 1. The kernel file: generic's, under the new name and with another block, so that it is not the same set.
file(READ "${tree}/src/kernels/generic/generic_f32.c" kernel)
string(REPLACE "#define SET_ISA generic" "#define SET_ISA dummy" kernel "${kernel}")
string(REPLACE "#define KEY_BLOCK 96" "#define KEY_BLOCK 48" kernel "${kernel}")
file(WRITE "${tree}/src/kernels/generic/dummy_f32.c" "${kernel}")
message("edit: src/kernels/generic/dummy_f32.c, a new file")

# 2. The registry: the level, and the set.
insert(src/kernels/kernels.def "RAPT_LEVEL(dummy, LEVEL(generic), .xcr0 = 0)\n" before "RAPT_LEVEL(generic,")
insert(src/kernels/kernels.def "#ifdef RAPT_HAVE_DUMMY_F32\nRAPT_KERNEL_SET(dummy, f32)\n#endif\n"
  before "RAPT_KERNEL_SET(generic,")

# 3. Flags and probe.
insert(cmake/isa.cmake "rapt_isa(NAME dummy ARCH any FLAGS -O3 PROBE \"p[0] += p[1];\")\n"
  before "rapt_isa(NAME generic ")

# Other sets are left out because they are not needed here and take long to compile.
configure("${tree}" "${build}" -DRAPT_HWLOC=OFF -DRAPT_BUILD_EXAMPLES=OFF -DRAPT_WERROR=ON
  -DRAPT_ISA_avx512_OK=OFF -DRAPT_ISA_avx2_OK=OFF -DRAPT_ISA_neon_OK=OFF)
run("${CMAKE_COMMAND}" --build "${build}" --target test-check test-dispatch rapt-core)

run("${build}/tests/test-check" --list)
string(REGEX MATCHALL "dummy_f32\\.[^\n]+" checks "${output}")
string(REGEX MATCHALL "generic_f32\\.[^\n]+" model "${output}")
list(LENGTH checks count)
list(LENGTH model count_of_model)
if(count LESS 10 OR NOT count EQUAL count_of_model)
  message(FATAL_ERROR "test-check has ${count} checks of dummy_f32 and ${count_of_model} of generic_f32:\n${output}")
endif()
list(FILTER checks EXCLUDE REGEX "\\.slow_")
run("${build}/tests/test-check" ${checks})
message("${count} checks of dummy_f32 are listed; those that are not slow pass")
# (Without the tests that know which levels recorded CPUs have: they have no dummy.)
run("${build}/tests/test-dispatch" build_table build_table_chooses_best_first kernel_list_is_the_table
  levels_with_sets isa_of_the_desc isa_of_the_environment a_plan_keeps_its_level)
message("the dispatcher's table, RAPT_ISA=dummy and desc.isa = \"dummy\" work")

# A program asks the library for its sets and uses the new one.
run("${CC}" "${CONSUMER}/use.c" -o "${WORK}/use" "-I${tree}/include" "-L${build}" -lrapt-core -lm
  "-Wl,-rpath,${build}")
run_use("${WORK}/use")
if(NOT output MATCHES "\nbits dummy [0-9a-f]+\nbits generic ")
  message(FATAL_ERROR "the set is not where it should be:\n${output}")
endif()

# The repository's own check of the registry agrees. (python3 may be missing where only this is built.)
find_program(PYTHON3 python3)
if(PYTHON3)
  run("${PYTHON3}" -B "${tree}/tools/lint/sets.py" "${tree}")
endif()
file(REMOVE_RECURSE "${tree}" "${build}")
