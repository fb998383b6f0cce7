# lib/chomp-inline.bc, which `chomp cc --inline` gives to Clang: the functions of abi/inlined.cpp, optimised, each by
# the name of its entry point and with a body for inlining alone (available_externally): what is not inlined stays a
# call. The compiler that builds chomp and later ones can read it. Target: inlined.
if(CMAKE_SCRIPT_MODE_FILE) # cmake -DIN=file.ll -DTEXT=file.ll -DCLANG=… -DTARGET=--target=… -DOUT=file.bc -DPC=… -P: to bitcode
  file(READ "${IN}" text)
  string(REGEX REPLACE "@((__kmpc|omp)_[a-z_0-9]+)" "@\"\\\\01\\1\"" text "${text}") # the library's: the same name for the linker
  string(REGEX REPLACE "define (dso_local )?([^@\n]*@)inlined_([^\n]*) {" "define available_externally \\2\\3 inlinehint {" text "${text}")
  string(REPLACE "@inlined_" "@" text "${text}")
  # As a module they have what programs may have (AArch64's -mbranch-protection), which these would lose; no function has.
  string(REGEX REPLACE " \"(branch-target-enf|guarded-control|sign-return)[^ ]*" "" text "${text}")
  string(REPLACE "= extern_weak global" "= extern_weak constant" text "${text}") # but for the moment when it is filled
  string(REGEX REPLACE "\nsource_filename = [^\n]*" "\nsource_filename = \"abi/inlined.cpp\"" text "${text}") # no path
  string(REGEX REPLACE "\ndefine [^@\n]*@_ZN[^\n]*" "" strays "${text}")
  if(NOT strays STREQUAL text OR text MATCHES "\ndeclare [^\n]*@_Z([A-Za-z0-9_]+)")
    message("`chomp cc --inline` is left out: with this compiler it would call a function that no program has: "
            "${CMAKE_MATCH_1}")
    file(REMOVE "${OUT}" "${PC}") # what is not there is not installed
    return()
  endif()
  file(WRITE "${TEXT}" "${text}")
  execute_process(COMMAND "${CLANG}" ${TARGET} -x ir -c -emit-llvm -Xclang -disable-llvm-passes "${TEXT}" -o "${OUT}"
                  COMMAND_ERROR_IS_FATAL ANY)
  return()
endif()

set(inlined_file "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/chomp-inline.bc")
add_library(inlined_text OBJECT EXCLUDE_FROM_ALL abi/inlined.cpp)
target_include_directories(inlined_text PRIVATE "${CMAKE_SOURCE_DIR}")
target_compile_definitions(inlined_text PRIVATE _GNU_SOURCE)
target_compile_options(inlined_text PRIVATE -S -emit-llvm -O2 -g0 -fPIC -fno-lto -fno-exceptions -fno-rtti
  -fvisibility=hidden -fno-stack-protector -fno-asynchronous-unwind-tables -Wall -Wextra -Wno-unused-parameter
  $<$<STREQUAL:${CMAKE_SYSTEM_PROCESSOR},aarch64>:-mbranch-protection=standard>
  "SHELL:-mllvm -inline-threshold=100000") # whatever a Clang thinks worth it (flatten inlines too early: worse code)
add_custom_command(OUTPUT "${inlined_file}"
  COMMAND "${CMAKE_COMMAND}" "-DIN=$<TARGET_OBJECTS:inlined_text>" "-DTEXT=${CMAKE_BINARY_DIR}/abi/inlined.ll"
    "-DCLANG=${CMAKE_CXX_COMPILER}" "-DTARGET=$<$<BOOL:${CMAKE_CROSSCOMPILING}>:--target=${CMAKE_CXX_COMPILER_TARGET}>"
    "-DOUT=${inlined_file}" "-DPC=${CMAKE_BINARY_DIR}/chomp-inlined.pc"
    -P "${CMAKE_CURRENT_LIST_FILE}"
  DEPENDS inlined_text "$<TARGET_OBJECTS:inlined_text>" "${CMAKE_CURRENT_LIST_FILE}"
  COMMENT "Making lib/chomp-inline.bc of the tasks' quick halves" VERBATIM)
add_custom_target(inlined ALL DEPENDS "${inlined_file}")
install(FILES "${inlined_file}" DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development OPTIONAL)

# The pass, for each Clang that can read the bitcode and whose LLVM has its headers here. It is loaded into Clang, so it
# has no LLVM of its own. Without headers `chomp cc --inline` works without it.
file(GLOB pass_headers "/usr/lib/llvm-*/include/llvm/Config/llvm-config.h")
string(REGEX MATCH "^[0-9]+" clang_major "${CMAKE_CXX_COMPILER_VERSION}")
foreach(header IN LISTS pass_headers)
  file(STRINGS "${header}" major REGEX "define LLVM_VERSION_MAJOR ")
  string(REGEX REPLACE "[^0-9]" "" major "${major}")
  if(major LESS clang_major OR NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang OR CMAKE_CROSSCOMPILING)
    continue()
  endif()
  get_filename_component(include_folder "${header}/../../.." ABSOLUTE)
  add_library(inlined_pass_${major} MODULE EXCLUDE_FROM_ALL tools/shipped/inline/pass.cpp)
  set_target_properties(inlined_pass_${major} PROPERTIES PREFIX "" OUTPUT_NAME chomp-inline-clang${major})
  target_include_directories(inlined_pass_${major} SYSTEM PRIVATE "${include_folder}")
  target_compile_options(inlined_pass_${major} PRIVATE -O1 -g0 -fvisibility=hidden -fno-rtti -fno-exceptions -Wall -Wextra)
  add_dependencies(inlined inlined_pass_${major})
  install(TARGETS inlined_pass_${major} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)
endforeach()
