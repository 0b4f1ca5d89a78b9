# Kernel sets: src/kernels/<folder>/<isa>_<type>.c, one object library each, so that the flags of an
# instruction set can never reach baseline code.
#
# Afterwards: RAPT_KERNEL_TARGETS, the object libraries; RAPT_SETS, the tokens that are compiled in;
# RAPT_SET_DEFINITIONS, RAPT_HAVE_<SET>=1 for each, which kernels.def asks for.

# The same in every build type, Debug too: a kernel at -O0 keeps its accumulators in memory and takes
# minutes where it should take seconds. Contraction is off because the bits of a result must not
# depend on what a compiler fuses; kernels spell FMA out.
set(RAPT_KERNEL_FLAGS -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math
  -fno-stack-protector)
# Sanitizers put a check on every access; on fully unrolled tiles that took gcc 12 a quarter of an
# hour a file. Rolled loops hold the same accesses and compile in half a minute.
if(RAPT_SANITIZE)
  list(APPEND RAPT_KERNEL_FLAGS -O1 $<$<C_COMPILER_ID:GNU>:-fno-tree-loop-optimize>
    $<$<C_COMPILER_ID:Clang>:-fno-unroll-loops>)
endif()

set(left_out "")
set(RAPT_KERNEL_TARGETS "")
set(RAPT_SETS "")
set(RAPT_SET_DEFINITIONS "")

rapt_glob(files src/kernels/*/*_*.c)
foreach(file IN LISTS files)
  get_filename_component(set "${file}" NAME_WE)
  string(REGEX REPLACE "_.*" "" isa "${set}")
  if(NOT isa IN_LIST RAPT_ISAS)
    message(FATAL_ERROR "${file}: cmake/isa.cmake has no row for the instruction set '${isa}'")
  endif()
  if(NOT RAPT_ISA_${isa}_OK)
    list(APPEND left_out ${set}) # another architecture, or a compiler that is too old
    continue()
  endif()
  set(target rapt-kernel-${set})
  add_library(${target} OBJECT "${file}")
  rapt_defaults(${target})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_compile_options(${target} PRIVATE ${RAPT_KERNEL_FLAGS} ${RAPT_ISA_${isa}_FLAGS})
  string(TOUPPER "${set}" upper)
  list(APPEND RAPT_KERNEL_TARGETS ${target})
  list(APPEND RAPT_SETS ${set})
  list(APPEND RAPT_SET_DEFINITIONS RAPT_HAVE_${upper}=1)
endforeach()
message(STATUS "Kernel sets: ${RAPT_SETS} (left out here: ${left_out})")
