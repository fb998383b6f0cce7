// See device_routines.h.
#include "runtime/devices/device_routines.h"

#include <string_view>

#include "runtime/base/log.h"
#include "runtime/core/worker.h"
#include "runtime/devices/offload_library.h"

namespace chomp {

static constexpr const char* kHost = "HOST";

const char* device_name(int device) {
  if (auto* next = of_devices<const char*(int)>("omp_get_uid_from_device", device)) return next(device_number(device));
  return is_host(device) ? kHost : nullptr;
}

int device_of_name(const char* name, int none) {
  if (name != nullptr && std::string_view(name) == kHost) return device_count();
  auto* next = of_devices<int(const char*)>("omp_get_device_from_uid");
  const int device = next != nullptr ? next(name) : none;
  return device < 0 ? none : device;
}

int device_setting(const char* routine, int device) {
  auto* next = of_devices<int(int)>(routine);
  return next != nullptr ? next(device_number(device)) : 0;
}

void device_change_setting(const char* routine, int value, int device) {
  if (auto* next = of_devices<void(int, int)>(routine)) return next(value, device_number(device));
  this_worker();
  warn(0, "%s: %d is the number of no device; ignored.", routine, device);
}

} // namespace chomp
