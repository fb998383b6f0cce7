// See interop.h.
#include "runtime/devices/interop.h"

#include <iterator>

namespace chomp {
namespace {

using Init = void(void*, int32_t, Interop*, int32_t, int32_t, int32_t, void*, int32_t);
using Destroy = void(void*, int32_t, Interop*, int32_t, int32_t, void*, int32_t);

// libomptarget 19 gives an object back that the device refuses, and then writes into it, if it is for targetsync. So it
// is asked first for one that is not.
bool can_have_one(const InteropInit& wanted, Init* init) {
  constexpr int32_t kTarget = 1;
  Interop trial = nullptr;
  init(wanted.location, wanted.gtid, &trial, kTarget, wanted.device, wanted.dependence_count, wanted.dependences,
       wanted.nowait);
  auto* destroy = next_definition<Destroy>("__tgt_interop_destroy");
  if (trial == nullptr || destroy == nullptr) return trial != nullptr;
  destroy(wanted.location, wanted.gtid, &trial, wanted.device, 0, nullptr, 0);
  return true;
}

} // namespace

void interop_init(const InteropInit& wanted) {
  *wanted.object = nullptr;
  auto* init = next_definition<Init>("__tgt_interop_init");
  if (init != nullptr && can_have_one(wanted, init))
    init(wanted.location, wanted.gtid, wanted.object, wanted.type, wanted.device, 0, nullptr, wanted.nowait);
}

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
