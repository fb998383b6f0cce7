# Chooses Clang when nothing else has chosen a compiler: neither the command line, the environment, a preset nor a
# toolchain file. Included before project(), so only find_program is at hand. Leaves the choice in CMAKE_CXX_COMPILER,
# CMAKE_C_COMPILER.
if(NOT DEFINED CMAKE_CXX_COMPILER AND NOT DEFINED ENV{CXX} AND NOT DEFINED CMAKE_TOOLCHAIN_FILE)
  find_program(CHOMP_CLANGXX
    NAMES clang++-19 clang++-22 clang++-21 clang++-20 clang++-18 clang++-17 clang++-16 clang++
    DOC "The Clang that builds chomp")
  mark_as_advanced(CHOMP_CLANGXX)
  if(CHOMP_CLANGXX)
    set(CMAKE_CXX_COMPILER "${CHOMP_CLANGXX}")
    if(NOT DEFINED CMAKE_C_COMPILER AND NOT DEFINED ENV{CC})
      string(REGEX REPLACE "clang\\+\\+(-[0-9]+)?$" "clang\\1" CMAKE_C_COMPILER "${CHOMP_CLANGXX}")
    endif()
  endif()
endif()
