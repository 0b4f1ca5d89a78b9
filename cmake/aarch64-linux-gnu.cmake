# Cross build for 64-bit Arm with an unpacked sysroot (cmake/mk-arm64-sysroot.sh).
#   ARM64_SYSROOT   the sysroot (also read from the environment)
#   ARM64_CLANG     version of clang; empty: gcc-12. Prefer clang: gcc-12 miscompiles bf16 constants.
#   ARM64_QEMU_CPU  the CPU that tests run on, under the QEMU user emulator
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ARM64_SYSROOT ARM64_CLANG ARM64_QEMU ARM64_QEMU_CPU)

if(NOT ARM64_SYSROOT)
  set(ARM64_SYSROOT "$ENV{ARM64_SYSROOT}")
endif()
if(NOT IS_DIRECTORY "${ARM64_SYSROOT}")
  message(FATAL_ERROR "No arm64 sysroot at '${ARM64_SYSROOT}': run cmake/mk-arm64-sysroot.sh DIR and "
    "pass -DARM64_SYSROOT=DIR, or let ./dev cross do both")
endif()
set(CMAKE_SYSROOT "${ARM64_SYSROOT}")

set(_triplet aarch64-linux-gnu)
set(CMAKE_LIBRARY_ARCHITECTURE ${_triplet})
if(ARM64_CLANG)
  set(CMAKE_C_COMPILER clang-${ARM64_CLANG})
  set(CMAKE_CXX_COMPILER clang++-${ARM64_CLANG})
  set(CMAKE_C_COMPILER_TARGET ${_triplet})
  set(CMAKE_CXX_COMPILER_TARGET ${_triplet})
  # Debian keeps clang's OpenMP library in its own folder; -rpath-link lets the linker follow what
  # shared libraries of the sysroot need in turn.
  foreach(_kind EXE SHARED MODULE)
    set(CMAKE_${_kind}_LINKER_FLAGS_INIT
      "-L${ARM64_SYSROOT}/usr/lib/llvm-${ARM64_CLANG}/lib -Wl,-rpath-link,${ARM64_SYSROOT}/usr/lib/${_triplet}")
  endforeach()
else()
  set(CMAKE_C_COMPILER ${_triplet}-gcc-12)
  set(CMAKE_CXX_COMPILER ${_triplet}-g++-12)
endif()

set(CMAKE_FIND_ROOT_PATH "${ARM64_SYSROOT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

if(NOT ARM64_QEMU)
  set(ARM64_QEMU qemu-aarch64)
endif()
if(NOT ARM64_QEMU_CPU)
  set(ARM64_QEMU_CPU max)
endif()
set(_lib "${ARM64_SYSROOT}/usr/lib/${_triplet}")
set(CMAKE_CROSSCOMPILING_EMULATOR "${ARM64_QEMU};-cpu;${ARM64_QEMU_CPU};-L;${ARM64_SYSROOT};-E;LD_LIBRARY_PATH=${_lib}/openblas-openmp:${_lib}:${ARM64_SYSROOT}/lib/${_triplet}")
