# lib/libomp.a: the objects of the shared library, linked into one, so that nothing is compiled twice and link-time
# optimisation is done here and not by the user's linker. Position-independent. Without symbol_versions.S: a program that
# is linked anew asks for the default version of each name. Target: omp_static, a part of `everything`.
set(static_objects "$<FILTER:$<TARGET_OBJECTS:omp>,EXCLUDE,symbol_versions>")
set(static_one "${CMAKE_BINARY_DIR}/chomp_static.o")
set(static_library "${CMAKE_ARCHIVE_OUTPUT_DIRECTORY}/libomp.a")
set(static_link_options -r -nostdlib -fPIC)
if(CHOMP_LLD)
  list(APPEND static_link_options -fuse-ld=lld)
  if(CHOMP_LTO AND CMAKE_BUILD_TYPE STREQUAL "Release")
    list(APPEND static_link_options -flto -O2)
  endif()
endif()
# It opens no other library: a static program has no loader, and ld would warn of dlopen there. The weak references of
# runtime/base/dynamic.h get a name that nobody defines. Its debug information, twelve thirteenths of the file, goes.
set(static_without_loader "${CMAKE_COMMAND}" -E true)
if(CMAKE_OBJCOPY)
  set(static_without_loader "${CMAKE_OBJCOPY}" --strip-debug)
  foreach(function dlopen dlsym dlclose dlerror)
    list(APPEND static_without_loader --redefine-sym ${function}=chomp_absent_${function})
  endforeach()
endif()
add_custom_command(
  OUTPUT "${static_library}"
  COMMAND "${CMAKE_CXX_COMPILER}" ${static_link_options} -o "${static_one}" "${static_objects}"
  COMMAND ${static_without_loader} "${static_one}"
  COMMAND "${CMAKE_COMMAND}" -E rm -f "${static_library}"
  COMMAND "${CMAKE_AR}" rcsD "${static_library}" "${static_one}"
  DEPENDS omp "$<TARGET_OBJECTS:omp>"
  COMMAND_EXPAND_LISTS VERBATIM
  COMMENT "Linking static library lib/libomp.a")
add_custom_target(omp_static DEPENDS "${static_library}")
install(FILES "${static_library}" DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development OPTIONAL)
