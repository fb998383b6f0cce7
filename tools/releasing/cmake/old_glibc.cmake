# Builds for systems with an old glibc, or with musl, for this machine or another, with the Clang of PyPI's package ziglang,
# which brings the headers of each and what libraries are linked with (tools/package wheel --glibc, --musl). Use:
# -DCHOMP_ZIG=<zig> -DCHOMP_ZIG_TARGET=aarch64-linux-gnu.2.17, or x86_64-linux-musl.
set(CMAKE_SYSTEM_NAME Linux)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CHOMP_ZIG CHOMP_ZIG_TARGET)
string(REGEX MATCH "^[a-z0-9_]+" CMAKE_SYSTEM_PROCESSOR "${CHOMP_ZIG_TARGET}")

set(target "-target ${CHOMP_ZIG_TARGET}")
# What Clang does by itself, and zig does not.
set(flags "-fomit-frame-pointer -fno-stack-protector")
set(CMAKE_C_FLAGS_INIT "${flags}")
if(CHOMP_ZIG_TARGET MATCHES "musl")
  # Else each program is linked statically, for which zig compiles all of musl: minutes before CMake knows its compiler.
  string(APPEND target " -dynamic")
  set(CMAKE_CXX_FLAGS_INIT "${flags}")
else()
  # Until 2.34 dlopen was in a library of its own, which weak references do not bring.
  set(CMAKE_CXX_FLAGS_INIT "${flags} -DCHOMP_NEEDS_LOADER")
endif()
set(CMAKE_C_COMPILER "${CHOMP_ZIG}")
set(CMAKE_C_COMPILER_ARG1 "cc ${target}")
set(CMAKE_CXX_COMPILER "${CHOMP_ZIG}")
set(CMAKE_CXX_COMPILER_ARG1 "c++ ${target}")
set(CMAKE_ASM_COMPILER "${CHOMP_ZIG}")
set(CMAKE_ASM_COMPILER_ARG1 "cc ${target}")
# zig's own helper functions have some names that chomp exports, and would hide those: GCC's come in their place.
find_program(CHOMP_CLANG NAMES clang-19 clang-22 clang-21 clang-20 clang-18 clang-17 clang-16 clang)
execute_process(COMMAND "${CHOMP_CLANG}" --target=${CMAKE_SYSTEM_PROCESSOR}-linux-gnu -print-libgcc-file-name
                OUTPUT_VARIABLE helpers OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT EXISTS "${helpers}")
  message(FATAL_ERROR "no libgcc.a for ${CMAKE_SYSTEM_PROCESSOR} (Debian: gcc, gcc-aarch64-linux-gnu)")
endif()
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-rtlib=none")
set(CMAKE_CXX_STANDARD_LIBRARIES_INIT "${helpers}")
