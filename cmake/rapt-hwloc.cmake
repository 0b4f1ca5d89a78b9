# rapt::hwloc. Also installed: programs that link the static librapt need it.
function(rapt_find_hwloc)
  if(TARGET rapt::hwloc)
    return()
  endif()
  find_path(RAPT_HWLOC_INCLUDE_DIR hwloc.h)
  find_library(RAPT_HWLOC_LIBRARY hwloc)
  if(NOT RAPT_HWLOC_INCLUDE_DIR OR NOT RAPT_HWLOC_LIBRARY)
    message(FATAL_ERROR "hwloc was not found: install libhwloc-dev, or use -DRAPT_HWLOC=OFF")
  endif()
  mark_as_advanced(RAPT_HWLOC_INCLUDE_DIR RAPT_HWLOC_LIBRARY)
  add_library(rapt::hwloc UNKNOWN IMPORTED GLOBAL)
  set_target_properties(rapt::hwloc PROPERTIES
    IMPORTED_LOCATION "${RAPT_HWLOC_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${RAPT_HWLOC_INCLUDE_DIR}")
endfunction()
