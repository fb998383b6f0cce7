// Interoperability objects (OpenMP 5.2, 18.12). Only an offload library makes them; without devices every object is
// omp_interop_none. `function` is the name under which programs call what the offload library is asked for.
#pragma once

#include "runtime/devices/offload_library.h"

namespace chomp {

using Interop = void*;

constexpr int kInteropEmpty = -1;      // omp_irc_empty: the object is omp_interop_none
constexpr int kInteropOutOfRange = -2; // omp_irc_out_of_range: there is no such property
constexpr int kInteropOther = -6;      // omp_irc_other
constexpr int kInteropFirst = -9;      // omp_ipr_first; the last is -1, since we define none

/// omp_get_interop_int, _ptr and _str: the value of a property; *return_code says whether there is one.
template <class Value> Value interop_property(const char* function, Interop object, int property, int* return_code) {
  // LLVM's offload library does not ask whether there is an object.
  auto* next = object != nullptr ? of_devices<Value(Interop, int, int*)>(function) : nullptr;
  if (next != nullptr) return next(object, property, return_code);
  bool exists = property >= kInteropFirst && property < 0;
  if (return_code) *return_code = !exists ? kInteropOutOfRange : object ? kInteropOther : kInteropEmpty;
  return Value{};
}

/// What Clang's code says of an interop construct that initialises an object.
struct InteropInit {
  void* location;
  int32_t gtid;
  Interop* object;
  int32_t type;
  int32_t device;
  int32_t dependence_count;
  void* dependences;
  int32_t nowait;
};

/// LLVM's offload library makes the object; omp_interop_none, where the device cannot have one.
void interop_init(const InteropInit& wanted);

int interop_property_count(Interop object);

/// omp_get_interop_type_desc: a text, or null.
const char* interop_text(const char* function, Interop object, int number);
/// omp_get_interop_name: the property's, whatever the object. Null: there is no such property.
const char* interop_name(Interop object, int property);

/// What a return code (omp_interop_rc_t) says. Null if no code has the number, and for omp_irc_other, as in GCC.
const char* interop_return_text(Interop object, int code);

} // namespace chomp
