# 64-bit RISC-V (Debian: gcc-riscv64-linux-gnu, libstdc++-12-dev-riscv64-cross). Use: cmake --preset riscv64.
set(chomp_machine riscv64)
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)
