# Options. Tests and benchmark are off for a project that embeds this one.
option(RAPT_BUILD_SHARED "Build librapt-core.so and librapt.so" ON)
option(RAPT_BUILD_STATIC "Build and install librapt-core.a and librapt.a" ON)
option(RAPT_HWLOC "Read cache and core topology with hwloc in librapt (OFF: plain system calls)" ON)
set(RAPT_BLAS "openblas" CACHE STRING
  "BLAS of librapt's layer: openblas, the name or path of another CBLAS, or OFF (no layer)")
option(RAPT_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(RAPT_BUILD_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(RAPT_BUILD_TOOL "Build the command line tool rapt" ${PROJECT_IS_TOP_LEVEL})
option(RAPT_BUILD_BENCH "Build rapt-bench (needs Google Benchmark, OpenBLAS and a C++ compiler)" OFF)
option(RAPT_INSTALL "Add install rules" ${PROJECT_IS_TOP_LEVEL})
option(RAPT_WERROR "Warnings are errors" OFF)
set(RAPT_SANITIZE "" CACHE STRING "Sanitizers: empty, address,undefined or thread")
set_property(CACHE RAPT_SANITIZE PROPERTY STRINGS "" "address,undefined" "thread")

if(NOT RAPT_BUILD_SHARED AND NOT RAPT_BUILD_STATIC)
  message(FATAL_ERROR "RAPT_BUILD_SHARED and RAPT_BUILD_STATIC are both OFF: there would be no library")
endif()

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
