# rapt::blas. Also installed: programs that link the static librapt need it.
# WHICH is "openblas", the name of another library with the C interface of BLAS, or a path to one. Of the
# builds of OpenBLAS that a system offers side by side the OpenMP one is taken, because librapt is on
# OpenMP anyway; whichever is loaded in the end, none gets to use threads of its own.
# Found by header and library: the package files of OpenBLAS hard-code paths.
function(rapt_find_blas which)
  if(TARGET rapt::blas)
    return()
  endif()
  set(triplet "${CMAKE_LIBRARY_ARCHITECTURE}")
  set(places "")
  if(EXISTS "${which}")
    set(RAPT_BLAS_LIBRARY "${which}" CACHE FILEPATH "Library with CBLAS" FORCE)
    get_filename_component(beside "${which}" DIRECTORY)
    get_filename_component(folder "${beside}" NAME) # openblas-pthread has its header in such a folder
    list(APPEND places ${triplet}/${folder} ${folder})
  elseif(which STREQUAL "openblas")
    set(places ${triplet}/openblas-openmp openblas-openmp)
  endif()
  find_path(RAPT_BLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES ${places} ${triplet} openblas ${which})
  find_library(RAPT_BLAS_LIBRARY ${which} PATH_SUFFIXES ${places} ${triplet})
  if(NOT RAPT_BLAS_INCLUDE_DIR OR NOT RAPT_BLAS_LIBRARY)
    message(FATAL_ERROR "A BLAS with cblas.h (RAPT_BLAS=${which}) was not found: install "
      "libopenblas-openmp-dev, name another with -DRAPT_BLAS=, or build librapt without the layer and "
      "without the benchmark: -DRAPT_BLAS=OFF -DRAPT_BUILD_BENCH=OFF")
  endif()
  mark_as_advanced(RAPT_BLAS_INCLUDE_DIR RAPT_BLAS_LIBRARY)
  add_library(rapt::blas UNKNOWN IMPORTED GLOBAL)
  set_target_properties(rapt::blas PROPERTIES
    IMPORTED_LOCATION "${RAPT_BLAS_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${RAPT_BLAS_INCLUDE_DIR}")
endfunction()
