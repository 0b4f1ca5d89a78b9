# Imported targets for the libraries around ours. Found by header and library, not by their own
# package files: the ones of OpenBLAS hard-code paths, and hwloc ships none for CMake.

include(${CMAKE_CURRENT_LIST_DIR}/rapt-hwloc.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/rapt-blas.cmake)
