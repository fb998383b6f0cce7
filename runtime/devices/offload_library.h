// Calls about devices, which an offload library that comes after chomp in the process may answer: so preloading chomp
// never disables offloading.
#pragma once

#include "runtime/base/dynamic.h"
#include "runtime/memory/devices.h"

namespace chomp {

/// The next definition of a routine, if there are devices.
template <class Function> Function* of_devices(const char* name) {
  return device_count() > 0 ? next_definition<Function>(name) : nullptr;
}

/// The same, if the call is not about the host.
template <class Function> Function* of_devices(const char* name, int device) {
  return is_host(device) ? nullptr : of_devices<Function>(name);
}

/// A program gives its target regions to LLVM's offload library, which then opens libomp.so by name: it finds this one
/// from here on, also a preloaded one, and not another runtime.
inline void register_target_regions(void* regions) {
  note_file_name("libomp.so");
  if (auto* next = next_definition<void(void*)>("__tgt_register_lib")) next(regions);
}

} // namespace chomp
