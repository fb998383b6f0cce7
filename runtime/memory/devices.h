// Devices by the numbers of <omp.h>. Only the host runs chomp's code; an offload library in the process knows the
// others.
#pragma once

namespace chomp {

constexpr int kInitialDevice = -1;     // omp_initial_device
constexpr int kInvalidDevice = -4;     // omp_invalid_device in GCC's <omp.h>
constexpr int kInvalidDeviceLlvm = -2; // and in LLVM's
constexpr int kDefaultDevice = -5;     // omp_default_device (OpenMP 6.0)

/// How many there are beside the host. The host has the number after theirs.
int device_count();

/// default-device-var of the current task.
int default_device();

/// The device's own number, if `device` stands for another.
int device_number(int device);

inline bool is_host(int device) { return device_number(device) == device_count(); }

} // namespace chomp
