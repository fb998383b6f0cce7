// Included before a program that `chomp cc` compiles. In C++ libstdc++'s templates, such as std::string and the
// streams, become the program's own code, whose accesses are seen, instead of that of the library.
//
// In C, and in C++ before 2020 (P0982), a relaxed store goes on with the release sequence of its thread. Defined with
// this value, the name says so of the program (memory.cpp).
#if !defined(__cplusplus)
__attribute__((weak, used, visibility("default"))) char chomp_explore_stores_go_on = 1;
#elif __cplusplus < 202002L
extern "C" {
__attribute__((weak, used, visibility("default"))) char chomp_explore_stores_go_on = 1;
}
#endif
#ifdef __cplusplus
#if __has_include(<bits/c++config.h>)
#include <bits/c++config.h>
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0
#endif
#endif
