# Install rules: libraries, header, find_package(rapt COMPONENTS ...), pkg-config.
if(NOT RAPT_INSTALL)
  return()
endif()
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/rapt")
install(FILES "${PROJECT_SOURCE_DIR}/include/rapt/rapt.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/rapt")

# One export file per component, so that asking for core never looks for OpenMP or hwloc.
set(targets "")
if(RAPT_BUILD_SHARED)
  list(APPEND targets rapt-core rapt)
endif()
if(RAPT_BUILD_STATIC)
  list(APPEND targets rapt-core-static rapt-static)
endif()
foreach(target IN LISTS targets)
  get_target_property(component ${target} EXPORT_NAME)
  install(TARGETS ${target} EXPORT rapt-${component}
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(EXPORT rapt-${component} NAMESPACE rapt:: FILE rapt-${component}-targets.cmake
    DESTINATION "${package_dir}")
endforeach()

configure_package_config_file(cmake/rapt-config.cmake.in "${PROJECT_BINARY_DIR}/rapt-config.cmake"
  INSTALL_DESTINATION "${package_dir}" NO_SET_AND_CHECK_MACRO)
# Before 1.0 a new minor version may break the ABI together with the soname's meaning.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/rapt-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/rapt-config.cmake" "${PROJECT_BINARY_DIR}/rapt-config-version.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/rapt-hwloc.cmake" "${PROJECT_SOURCE_DIR}/cmake/rapt-blas.cmake"
  DESTINATION "${package_dir}")

# pkg-config. Relative to the .pc file, so that an installed tree can be moved; absolute when the
# install directories are.
function(rapt_pc_path out dir)
  if(IS_ABSOLUTE "${dir}")
    set(${out} "${dir}" PARENT_SCOPE)
  else()
    set(${out} "\${prefix}/${dir}" PARENT_SCOPE)
  endif()
endfunction()
rapt_pc_path(RAPT_PC_LIBDIR "${CMAKE_INSTALL_LIBDIR}")
rapt_pc_path(RAPT_PC_INCLUDEDIR "${CMAKE_INSTALL_INCLUDEDIR}")
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(RAPT_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
else()
  string(REGEX REPLACE "[^/]+" ".." up "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
  set(RAPT_PC_PREFIX "\${pcfiledir}/${up}")
endif()
# What a static link of librapt needs besides.
set(RAPT_PC_LIBS_PRIVATE "${OpenMP_C_FLAGS} -lm")
if(RAPT_HWLOC)
  string(APPEND RAPT_PC_LIBS_PRIVATE " -lhwloc") # not Requires.private: hwloc.pc asks for udev
endif()
if(RAPT_BLAS)
  string(APPEND RAPT_PC_LIBS_PRIVATE " ${RAPT_BLAS_LIBRARY}") # by path: several may lie side by side
endif()
# Of archives alone every link is static, asked for or not.
set(RAPT_PC_LIBS_ALWAYS "")
set(RAPT_PC_CORE_LIBS_ALWAYS "")
if(NOT RAPT_BUILD_SHARED)
  set(RAPT_PC_LIBS_ALWAYS " ${RAPT_PC_LIBS_PRIVATE}")
  set(RAPT_PC_CORE_LIBS_ALWAYS " -lm")
endif()
foreach(name rapt rapt-core)
  configure_file(cmake/${name}.pc.in "${PROJECT_BINARY_DIR}/${name}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${name}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endforeach()
