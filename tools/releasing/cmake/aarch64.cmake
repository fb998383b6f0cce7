# 64-bit Arm (Debian: gcc-aarch64-linux-gnu, libstdc++-12-dev-arm64-cross). Use: cmake --preset aarch64.
set(chomp_machine aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)
