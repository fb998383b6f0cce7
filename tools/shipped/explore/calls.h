// A function of a library's name, which does something for the search and then what the library's own does.
#pragma once

#include <dlfcn.h>

namespace explore {
/// The function of that name which would be called without this library. Of a library that was opened for its caller
/// alone (RTLD_LOCAL) only that one's own search finds it. Ends the process where there is none: nobody calls through
/// null.
void* next_function(const char* name, const void* caller);
} // namespace explore

#define HERE __builtin_return_address(0)
#define EXPORT extern "C" __attribute__((visibility("default")))
#define NEXT_AS(name, as) static auto next = reinterpret_cast<decltype(&name)>(explore::next_function(#as, HERE))
#define NEXT(name) NEXT_AS(name, name)

/// A function of which only what it touches is told, beforehand.
#define TOLD(result, name, parameters, arguments, what)                                                                \
  EXPORT result name parameters {                                                                                      \
    NEXT(name);                                                                                                        \
    what;                                                                                                              \
    return next arguments;                                                                                             \
  }
