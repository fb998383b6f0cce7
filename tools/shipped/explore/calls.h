// A function of a library's name, which does something for the search and then what the library's own does.
#pragma once

#include <dlfcn.h>

#define HERE __builtin_return_address(0)
#define EXPORT extern "C" __attribute__((visibility("default")))
#define NEXT_AS(name, as) static auto next = reinterpret_cast<decltype(&name)>(dlsym(RTLD_NEXT, #as))
#define NEXT(name) NEXT_AS(name, name)

/// A function of which only what it touches is told, beforehand.
#define TOLD(result, name, parameters, arguments, what)                                                                \
  EXPORT result name parameters {                                                                                      \
    NEXT(name);                                                                                                        \
    what;                                                                                                              \
    return next arguments;                                                                                             \
  }
