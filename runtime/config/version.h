// The version of chomp as text. CMake defines it, but not for a file that a test compiles by itself.
#pragma once

#ifndef CHOMP_VERSION
#define CHOMP_VERSION "development version"
#endif
