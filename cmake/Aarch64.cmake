# The toolchain of preset aarch64: Debian's cross compiler, and Debian 12's arm64 packages unpacked in NEPH_SYSROOT. Programs
# of the build (protoc, Python) are this machine's.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc-12)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++-12)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(NEPH_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../build/aarch64-sysroot CACHE PATH
    "Debian 12 for arm64, with the packages of tools/packages.txt")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES NEPH_SYSROOT)
set(CMAKE_SYSROOT ${NEPH_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)  # OpenVINO's is a wheel's
