# Cross-builds with the host's Clang and Debian's cross headers and libraries. aarch64.cmake and riscv64.cmake include it,
# and say for which machine.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${chomp_machine})

set(target ${chomp_machine}-linux-gnu)
find_program(CHOMP_CLANGXX
  NAMES clang++-19 clang++-22 clang++-21 clang++-20 clang++-18 clang++-17 clang++-16 clang++
  DOC "The Clang that builds chomp")
string(REGEX REPLACE "clang\\+\\+(-[0-9]+)?$" "clang\\1" chomp_clang "${CHOMP_CLANGXX}")
foreach(language C ASM)
  set(CMAKE_${language}_COMPILER "${chomp_clang}")
  set(CMAKE_${language}_COMPILER_TARGET ${target})
endforeach()
set(CMAKE_CXX_COMPILER "${CHOMP_CLANGXX}")
set(CMAKE_CXX_COMPILER_TARGET ${target})

# Debian keeps the target's headers under /usr/<target>, where Clang finds them by the target's name. There is no second
# root file system, so no CMAKE_SYSROOT; but a header or library of the host must never be found.
set(CMAKE_FIND_ROOT_PATH /usr/${target})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
foreach(kind EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "-fuse-ld=lld")
endforeach()
find_program(CHOMP_QEMU NAMES qemu-${chomp_machine} qemu-${chomp_machine}-static)
if(CHOMP_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${CHOMP_QEMU};-L;/usr/${target}")
endif()
