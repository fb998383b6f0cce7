// Where somebody else may know better: the definition of a name in a library that comes after this one (libomptarget's,
// libgomp's, libatomic's). RTLD_NEXT starts after this library, so it never finds ourselves.
#pragma once

#include <dlfcn.h>

namespace chomp::abi {

/// Null if there is none.
template <class Function> Function* next_definition(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

} // namespace chomp::abi
