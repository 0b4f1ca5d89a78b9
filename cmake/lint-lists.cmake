# Lists of object files for the repository checks (tools/lint): kernels and baseline code apart. Not with a
# multi-config generator, where one list would be written once for each configuration.
if(CMAKE_CONFIGURATION_TYPES)
  return()
endif()
set(kernels "")
set(baseline "$<TARGET_OBJECTS:rapt-common>" "$<TARGET_OBJECTS:rapt-platform-core>"
  "$<TARGET_OBJECTS:rapt-platform-full>" "$<TARGET_OBJECTS:rapt-layer>")
foreach(target IN LISTS RAPT_KERNEL_TARGETS)
  list(APPEND kernels "$<TARGET_OBJECTS:${target}>")
  if(target MATCHES "^rapt-kernel-generic_")
    list(APPEND baseline "$<TARGET_OBJECTS:${target}>")
  endif()
endforeach()
file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/lint/kernel-objects.txt" CONTENT "$<JOIN:${kernels},\n>\n")
file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/lint/baseline-objects.txt" CONTENT "$<JOIN:${baseline},\n>\n")
