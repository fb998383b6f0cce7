// See interop.h.
#include "runtime/devices/interop.h"

#include <iterator>

namespace chomp {

int interop_property_count(Interop object) {
  auto* next = of_devices<int(Interop)>("omp_get_num_interop_properties");
  return next ? next(object) : 0;
}

const char* interop_text(const char* function, Interop object, int number) {
  auto* next = of_devices<const char*(Interop, int)>(function);
  return next ? next(object, number) : nullptr;
}

const char* interop_name(Interop object, int property) {
  // From kInteropFirst.
  static constexpr const char* kNames[] = {"targetsync",  "device_context", "device",  "platform", "device_num",
                                           "vendor_name", "vendor",         "fr_name", "fr_id"};
  if (const char* text = interop_text("omp_get_interop_name", object, property)) return text;
  const auto index = static_cast<unsigned>(property - kInteropFirst);
  return index < std::size(kNames) ? kNames[index] : nullptr;
}

const char* interop_return_text(Interop object, int code) {
  // From kInteropOther to omp_irc_no_value.
  static constexpr const char* kTexts[] = {nullptr,
                                           "the property is a string: use omp_get_interop_str",
                                           "the property is a pointer: use omp_get_interop_ptr",
                                           "the property is an integer: use omp_get_interop_int",
                                           "there is no property with that number",
                                           "the object is omp_interop_none",
                                           "success",
                                           "the property has no value"};
  if (const char* text = interop_text("omp_get_interop_rc_desc", object, code)) return text;
  const auto index = static_cast<unsigned>(code - kInteropOther);
  return index < std::size(kTexts) ? kTexts[index] : nullptr;
}

} // namespace chomp
