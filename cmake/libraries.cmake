# The two libraries, shared and static, from the same objects:
#   librapt-core  common + kernels + serial executor + plain topology; needs libc and libm only
#   librapt       common + kernels + OpenMP executor + hwloc topology + the layer over BLAS

# rapt_objects(NAME SOURCES...): baseline C.
function(rapt_objects name)
  add_library(${name} OBJECT ${ARGN})
  rapt_defaults(${name})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
  target_compile_definitions(${name} PRIVATE ${RAPT_SET_DEFINITIONS})
endfunction()

# These define the same symbols; each library has one of each kind, and shares all other files.
set(variants "/(executor_(serial|openmp)|topology_(basic|hwloc)|blas_(cblas|none))\\.c$")
# The layer is librapt's alone.
set(layer "/mha_[a-z]+\\.c$")
rapt_glob(sources src/api/*.c src/attention/*.c src/dispatch/*.c src/layer/*.c src/platform/*.c)
list(FILTER sources EXCLUDE REGEX "${variants}")
set(layer_sources ${sources})
list(FILTER layer_sources INCLUDE REGEX "${layer}")
list(FILTER sources EXCLUDE REGEX "${layer}")
rapt_objects(rapt-common ${sources})

set(platform "${PROJECT_SOURCE_DIR}/src/platform")
rapt_objects(rapt-platform-core ${platform}/executor_serial.c ${platform}/topology_basic.c)

find_package(OpenMP REQUIRED COMPONENTS C)
if(RAPT_HWLOC)
  rapt_find_hwloc()
  rapt_objects(rapt-platform-full ${platform}/executor_openmp.c ${platform}/topology_hwloc.c)
  target_link_libraries(rapt-platform-full PRIVATE rapt::hwloc)
else()
  rapt_objects(rapt-platform-full ${platform}/executor_openmp.c ${platform}/topology_basic.c)
endif()
target_link_libraries(rapt-platform-full PRIVATE OpenMP::OpenMP_C)

# The layer stays as it is; without BLAS its creation is refused.
if(RAPT_BLAS)
  rapt_find_blas("${RAPT_BLAS}")
  rapt_objects(rapt-layer ${layer_sources} ${platform}/blas_cblas.c)
  target_link_libraries(rapt-layer PRIVATE rapt::blas)
else()
  rapt_objects(rapt-layer ${layer_sources} ${platform}/blas_none.c)
endif()

# rapt_library(TARGET KIND PLATFORM): the file is named as the target, less its -static ending.
function(rapt_library target kind platform)
  string(REPLACE "-static" "" file ${target})
  string(REGEX REPLACE "^rapt-" "" export ${target})
  set(objects rapt-common ${platform} ${RAPT_KERNEL_TARGETS})
  if(platform STREQUAL "rapt-platform-full")
    list(APPEND objects rapt-layer)
  endif()
  list(TRANSFORM objects REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
  add_library(${target} ${kind} ${objects})
  rapt_defaults(${target})
  add_library(rapt::${export} ALIAS ${target})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${file} EXPORT_NAME ${export}
    LINKER_LANGUAGE C VERSION ${PROJECT_VERSION} SOVERSION 0)
  target_include_directories(${target} PUBLIC
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  target_link_libraries(${target} PRIVATE m)
  if(platform STREQUAL "rapt-platform-full")
    target_link_libraries(${target} PRIVATE OpenMP::OpenMP_C $<$<BOOL:${RAPT_HWLOC}>:rapt::hwloc>
      $<$<BOOL:${RAPT_BLAS}>:rapt::blas>)
  endif()
  if(kind STREQUAL "SHARED")
    # Hidden visibility selects the exports; the map adds the version node. --as-needed first,
    # so that a library nobody calls is not named.
    set(map "${PROJECT_SOURCE_DIR}/cmake/rapt.map")
    target_link_options(${target} PRIVATE -Wl,--as-needed "-Wl,--version-script=${map}")
    set_property(TARGET ${target} PROPERTY LINK_DEPENDS "${map}")
    if(NOT RAPT_SANITIZE) # sanitizer runtimes are resolved by the program
      target_link_options(${target} PRIVATE -Wl,-z,defs)
    endif()
  endif()
endfunction()

# The static librapt always exists, because tests and benchmark reach the internals through it.
rapt_library(rapt-static STATIC rapt-platform-full)
rapt_library(rapt-core-static STATIC rapt-platform-core)
if(RAPT_BUILD_SHARED)
  rapt_library(rapt-core SHARED rapt-platform-core)
  rapt_library(rapt SHARED rapt-platform-full)
endif()
if(NOT RAPT_BUILD_STATIC)
  set_target_properties(rapt-static rapt-core-static PROPERTIES EXCLUDE_FROM_ALL ON)
endif()

# For our own tests and benchmark: everything, private headers included.
add_library(rapt-internal INTERFACE)
target_link_libraries(rapt-internal INTERFACE rapt-static)
target_include_directories(rapt-internal INTERFACE "${PROJECT_SOURCE_DIR}/src")
target_compile_definitions(rapt-internal INTERFACE ${RAPT_SET_DEFINITIONS})
