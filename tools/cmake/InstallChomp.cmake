# cmake --install: the library and its links, chomp.pc, the CMake package (find_package(chomp), target chomp::omp),
# chomp.h, the licence, the README and its pages. No <omp.h>: it belongs to the compiler. The `chomp` command: tools/chomp.
include(CMakePackageConfigHelpers)

install(TARGETS omp LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(FILES "${CMAKE_SOURCE_DIR}/abi/chomp.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")

# Relative to the file itself, so that cmake --install --prefix and moved trees stay right.
file(RELATIVE_PATH prefix_from_pc "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" prefix_from_pc "${prefix_from_pc}")
configure_file("${CMAKE_SOURCE_DIR}/tools/cmake/chomp.pc.in" "${CMAKE_BINARY_DIR}/chomp.pc" @ONLY)
install(FILES "${CMAKE_BINARY_DIR}/chomp.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/chomp")
configure_package_config_file(
  "${CMAKE_SOURCE_DIR}/tools/cmake/chompConfig.cmake.in" "${CMAKE_BINARY_DIR}/chompConfig.cmake"
  INSTALL_DESTINATION "${package_folder}" PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file("${CMAKE_BINARY_DIR}/chompConfigVersion.cmake" COMPATIBILITY SameMajorVersion)
install(FILES "${CMAKE_BINARY_DIR}/chompConfig.cmake" "${CMAKE_BINARY_DIR}/chompConfigVersion.cmake"
        DESTINATION "${package_folder}")

install(FILES "${CMAKE_SOURCE_DIR}/LICENSE" "${CMAKE_SOURCE_DIR}/README.md" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY "${CMAKE_SOURCE_DIR}/tools/docs" DESTINATION "${CMAKE_INSTALL_DOCDIR}/tools")
