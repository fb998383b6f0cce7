// See devices.h.
#include "runtime/memory/devices.h"

#include "runtime/base/dynamic.h"
#include "runtime/core/icv.h"
#include "runtime/core/worker.h"

namespace chomp {

int device_count() {
  if (auto* count = any_definition<int()>("__tgt_get_num_devices")) return count();
  if (auto* count = next_definition<int()>("omp_get_num_devices")) return count();
  return 0;
}

int default_device() {
  const int device = icvs(this_worker()).default_device;
  if (device != kFirstDevice) return device;
  return device_count() > 0 ? 0 : kInvalidDevice;
}

int device_number(int device) {
  if (device == kDefaultDevice) device = default_device();
  return device == kInitialDevice ? device_count() : device;
}

} // namespace chomp
