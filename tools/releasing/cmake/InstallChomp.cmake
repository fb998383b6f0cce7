# cmake --install: the library and its links, chomp.pc, the CMake package (find_package(chomp), targets chomp::omp,
# chomp::inlined), chomp.h, chomp/alpi.h, the licence, the README and its pages. No <omp.h>: it belongs to the compiler.
# The `chomp` command: tools/shipped/chomp. Components, for cmake --install --component: runtime (the library), debug
# (what debuggers know of it), development, tools.
include(CMakePackageConfigHelpers)

# The library is installed without its debug information, seven eighths of the file, which lies in .debug/ beside it: there, and
# by the name in .gnu_debuglink, debuggers and profilers look for it.
set(split_default OFF)
if(CMAKE_OBJCOPY AND NOT CMAKE_CROSSCOMPILING AND NOT CHOMP_ZIG)
  set(split_default ON)
endif()
option(CHOMP_SPLIT_DEBUG "Install the library's debug information as a file of its own" ${split_default})
if(CHOMP_SPLIT_DEBUG)
  set(installed "${CMAKE_BINARY_DIR}/installed")
  add_custom_command(OUTPUT "${installed}/libomp.so" "${installed}/libomp.so.debug"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${installed}"
    COMMAND "${CMAKE_OBJCOPY}" --only-keep-debug --compress-debug-sections=zlib "$<TARGET_FILE:omp>" "${installed}/libomp.so.debug"
    COMMAND "${CMAKE_OBJCOPY}" --strip-debug "--add-gnu-debuglink=${installed}/libomp.so.debug" "$<TARGET_FILE:omp>" "${installed}/libomp.so"
    DEPENDS omp VERBATIM COMMENT "Taking the debug information out of the library that is installed")
  add_custom_target(omp_installed ALL DEPENDS "${installed}/libomp.so")
  install(PROGRAMS "${installed}/libomp.so" DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime)
  install(FILES "${installed}/libomp.so.debug" DESTINATION "${CMAKE_INSTALL_LIBDIR}/.debug" COMPONENT debug)
else()
  install(TARGETS omp LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime)
endif()
install(FILES "${CMAKE_SOURCE_DIR}/abi/chomp.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development)
install(FILES "${CMAKE_SOURCE_DIR}/abi/alpi.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/chomp" COMPONENT development)

# Relative to the file itself, so that cmake --install --prefix and moved trees stay right.
file(RELATIVE_PATH prefix_from_pc "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" prefix_from_pc "${prefix_from_pc}")
configure_file("${CMAKE_SOURCE_DIR}/tools/releasing/cmake/chomp.pc.in" "${CMAKE_BINARY_DIR}/chomp.pc" @ONLY)
install(FILES "${CMAKE_BINARY_DIR}/chomp.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig"
        COMPONENT development)
if(TARGET inlined)
  configure_file("${CMAKE_SOURCE_DIR}/tools/releasing/cmake/chomp-inlined.pc.in" "${CMAKE_BINARY_DIR}/chomp-inlined.pc" @ONLY)
  install(FILES "${CMAKE_BINARY_DIR}/chomp-inlined.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig"
          COMPONENT development OPTIONAL)
endif()

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/chomp")
configure_package_config_file(
  "${CMAKE_SOURCE_DIR}/tools/releasing/cmake/chompConfig.cmake.in" "${CMAKE_BINARY_DIR}/chompConfig.cmake"
  INSTALL_DESTINATION "${package_folder}" PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file("${CMAKE_BINARY_DIR}/chompConfigVersion.cmake" COMPATIBILITY SameMajorVersion)
install(FILES "${CMAKE_BINARY_DIR}/chompConfig.cmake" "${CMAKE_BINARY_DIR}/chompConfigVersion.cmake"
        DESTINATION "${package_folder}" COMPONENT development)

install(FILES "${CMAKE_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT runtime)
install(FILES "${CMAKE_SOURCE_DIR}/README.md" "${CMAKE_SOURCE_DIR}/CHANGELOG.md" DESTINATION "${CMAKE_INSTALL_DOCDIR}"
        COMPONENT tools)
install(DIRECTORY "${CMAKE_SOURCE_DIR}/tools/docs" DESTINATION "${CMAKE_INSTALL_DOCDIR}/tools" COMPONENT tools)
install(CODE "set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}\")" COMPONENT tools)
install(SCRIPT "${CMAKE_SOURCE_DIR}/tools/releasing/cmake/InstalledPages.cmake" COMPONENT tools)
install(FILES "${CMAKE_SOURCE_DIR}/tools/shipped/gdb/chomp-gdb.py" DESTINATION "${CMAKE_INSTALL_DATADIR}/chomp" COMPONENT tools)

# `cpack`, in a build folder: one archive a component and its SHA-256 sum. The tree may be moved as a whole: the command,
# chomp.pc and the CMake package find their neighbours from where they are.
set(CPACK_GENERATOR TXZ)
set(CPACK_PACKAGE_VENDOR chomp)
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL runtime debug development tools)
set(CPACK_INCLUDE_TOPLEVEL_DIRECTORY ON)
set(CPACK_STRIP_FILES OFF)
set(CPACK_PACKAGE_FILE_NAME "chomp-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR}")
include(CPack)
