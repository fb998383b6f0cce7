// Devices by the numbers of <omp.h>, and calls that are about one. Only the host runs chomp's code. An offload library
// that comes after chomp in the process knows the others.
#pragma once

#include "abi/next_definition.h"
#include "abi/omp_c_api.h"

namespace chomp::abi {

constexpr int kInitialDevice = -1;     // omp_initial_device
constexpr int kInvalidDevice = -4;     // omp_invalid_device in GCC's <omp.h>
constexpr int kInvalidDeviceLlvm = -2; // and in LLVM's
constexpr int kDefaultDevice = -5;     // omp_default_device (OpenMP 6.0)

/// The device's own number, if `device` stands for another.
inline int device_number(int device) {
  if (device == kDefaultDevice) device = omp_get_default_device();
  return device == kInitialDevice ? omp_get_initial_device() : device;
}

inline bool is_host(int device) { return device_number(device) == omp_get_initial_device(); }

/// The next definition of a routine, if there are devices.
template <class Function> Function* of_devices(const char* name) {
  return omp_get_num_devices() > 0 ? next_definition<Function>(name) : nullptr;
}

/// The same, if the call is not about the host.
template <class Function> Function* of_devices(const char* name, int device) {
  return is_host(device) ? nullptr : of_devices<Function>(name);
}

/// The device that compiled code passes for a construct.
inline int device_of_construct(int device) {
  constexpr int kNoClause = -1;
  return device_number(device == kNoClause ? kDefaultDevice : device);
}

} // namespace chomp::abi
