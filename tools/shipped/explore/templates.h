// Included before a C++ program that `chomp cc` compiles: libstdc++'s templates, such as std::string and the streams,
// become the program's own code, whose accesses are seen, instead of that of the library.
#ifdef __cplusplus
#if __has_include(<bits/c++config.h>)
#include <bits/c++config.h>
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0
#endif
#endif
