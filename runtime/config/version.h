// The version of chomp as text. CMake defines it; a file that is compiled by itself, for a test, has none.
#pragma once

#ifndef CHOMP_VERSION
#define CHOMP_VERSION "development version"
#endif
