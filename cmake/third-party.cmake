# Imported targets for the libraries around ours. Found by header and library, not by their own
# package files: the ones of OpenBLAS hard-code paths, and hwloc ships none for CMake.

include(${CMAKE_CURRENT_LIST_DIR}/rapt-hwloc.cmake)

# rapt::blas - OpenBLAS, the OpenMP build where the system offers several side by side, because it
# shares its threads with librapt; the pthread build would oversubscribe the cores.
function(rapt_find_blas)
  if(TARGET rapt::blas)
    return()
  endif()
  set(triplet "${CMAKE_LIBRARY_ARCHITECTURE}")
  find_path(RAPT_BLAS_INCLUDE_DIR cblas.h
    PATH_SUFFIXES ${triplet}/openblas-openmp openblas-openmp ${triplet} openblas)
  find_library(RAPT_BLAS_LIBRARY openblas
    PATH_SUFFIXES ${triplet}/openblas-openmp openblas-openmp ${triplet})
  if(NOT RAPT_BLAS_INCLUDE_DIR OR NOT RAPT_BLAS_LIBRARY)
    message(FATAL_ERROR "OpenBLAS (cblas.h, libopenblas) was not found: "
      "install libopenblas-openmp-dev, or build without the benchmark (-DRAPT_BUILD_BENCH=OFF)")
  endif()
  mark_as_advanced(RAPT_BLAS_INCLUDE_DIR RAPT_BLAS_LIBRARY)
  add_library(rapt::blas UNKNOWN IMPORTED GLOBAL)
  set_target_properties(rapt::blas PROPERTIES
    IMPORTED_LOCATION "${RAPT_BLAS_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${RAPT_BLAS_INCLUDE_DIR}")
endfunction()
