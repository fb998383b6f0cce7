// Another library in the process may know better than chomp (devices, interop). Such calls go to the next definition of
// the same name: libomptarget's, libgomp's. RTLD_NEXT starts behind this library, so it never finds our own.
#pragma once

#include "runtime/base/dynamic.h"

namespace chomp::abi {

/// The function of that name in a library that comes after this one, or null.
template <class Function> Function* next_definition(const char* name) {
  return others_define(name) ? reinterpret_cast<Function*>(find_symbol(RTLD_NEXT, name)) : nullptr;
}

/// The function of that name in whatever library the program finds it, or null. For names that this one does not have.
template <class Function> Function* any_definition(const char* name) {
  return others_define(name) ? reinterpret_cast<Function*>(find_symbol(RTLD_DEFAULT, name)) : nullptr;
}

} // namespace chomp::abi
