# -DCOMPONENT= -DLANGUAGES=C|CXX|C,CXX: find_package(rapt), built and run. The program is one in both
# languages; with CXX it is compiled as C++.
include("${CMAKE_CURRENT_LIST_DIR}/common.cmake")
set(build "${WORK}/find_package-${COMPONENT}-${LANGUAGES}")
set(source "${CONSUMER}/use.c")
if(LANGUAGES MATCHES "CXX")
  set(source "${build}.cc") # not shared: tests run side by side
  file(WRITE "${source}" "#include \"${CONSUMER}/use.c\"\n")
endif()
configure("${CONSUMER}/find_package" "${build}" "-DCMAKE_PREFIX_PATH=${PREFIX}" "-DVERSION=${VERSION}"
  "-DCOMPONENT=${COMPONENT}" "-DSOURCE=${source}" "-DLANGUAGES=${LANGUAGES}")
run("${CMAKE_COMMAND}" --build "${build}")
run_use("${build}/use")
if(COMPONENT MATCHES "static")
  must_need("${build}/use" librapt NO)
elseif(COMPONENT STREQUAL "core")
  must_need("${build}/use" librapt-core.so.0 YES)
  must_need("${build}/use" libgomp NO)
else()
  must_need("${build}/use" librapt.so.0 YES)
endif()

# The layer brings BLAS with it.
if(COMPONENT MATCHES "^(rapt|static)$")
  configure("${CONSUMER}/find_package" "${build}-layer" "-DCMAKE_PREFIX_PATH=${PREFIX}" "-DVERSION=${VERSION}"
    "-DCOMPONENT=${COMPONENT}" "-DSOURCE=${CONSUMER}/use_layer.c" -DLANGUAGES=C)
  run("${CMAKE_COMMAND}" --build "${build}-layer")
  run("${build}-layer/use")
endif()
