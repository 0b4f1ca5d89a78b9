# Options. Tests and benchmark are off for a project that embeds this one.
option(RAPT_BUILD_SHARED "Build librapt-core.so and librapt.so" ON)
option(RAPT_BUILD_STATIC "Build and install librapt-core.a and librapt.a" ON)
option(RAPT_HWLOC "Read cache and core topology with hwloc in librapt (OFF: plain system calls)" ON)
option(RAPT_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(RAPT_BUILD_BENCH "Build rapt-bench (needs Google Benchmark, OpenBLAS and a C++ compiler)" OFF)
option(RAPT_INSTALL "Add install rules" ${PROJECT_IS_TOP_LEVEL})
option(RAPT_WERROR "Warnings are errors" OFF)
set(RAPT_SANITIZE "" CACHE STRING "Sanitizers: empty, address,undefined or thread")
set_property(CACHE RAPT_SANITIZE PROPERTY STRINGS "" "address,undefined" "thread")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
