// Entry points of target constructs, for code compiled by GCC (runtime/devices/target_region.h).
#include "abi/abi.h"
#include "abi/gomp_depend.h"
#include "runtime/core/worker.h"
#include "runtime/devices/target_region.h"

using namespace chomp;
using namespace chomp::abi;

namespace {

constexpr unsigned kNowait = 1; // of `flags`

/// The thread_limit clause in `arguments`; 0: none. `arguments` is a list of words that ends with a null. The 7 lowest
/// bits of a word are the device (0: all). The next bit says that the value is in the next word. The byte above is the
/// number of the clause, and the rest is the value.
int32_t thread_limit_of(void** arguments) {
  constexpr intptr_t kDeviceMask = 0x7f, kValueFollows = 0x80, kAboutMask = 0xff00, kThreadLimit = 0x200;
  constexpr int kValueShift = 16;
  if (arguments == nullptr) return 0;
  for (; *arguments != nullptr; ++arguments) {
    auto word = reinterpret_cast<intptr_t>(*arguments);
    bool of_host = (word & kDeviceMask) == 0 && (word & kAboutMask) == kThreadLimit;
    intptr_t value = word >> kValueShift;
    if ((word & kValueFollows) != 0) value = reinterpret_cast<intptr_t>(*++arguments);
    if (of_host) return static_cast<int32_t>(value);
  }
  return 0;
}

} // namespace

// ---- target ---------------------------------------------------------------------------------------------------------

CHOMP_EXPORT void GOMP_target_ext(int device, TargetBody body, size_t count, void** addresses, size_t* sizes,
                                  unsigned short* kinds, unsigned flags, void** depend, void** arguments) {
  using Function = void(int, TargetBody, size_t, void**, size_t*, unsigned short*, unsigned, void**, void**);
  Worker* worker = this_worker();
  with_dependences(worker, depend, [&](const DependenceList& list) {
    if (auto* offload = offloaded_region<Function>(worker, "GOMP_target_ext", &device, list))
      return offload(device, body, count, addresses, sizes, kinds, flags & ~kNowait, nullptr, arguments);
    target_on_host(worker, {body, {count, addresses, sizes, kinds}, thread_limit_of(arguments), (flags & kNowait) != 0},
                   list);
  });
}

/// The form of GCC 4.9, which has no firstprivate.
CHOMP_EXPORT void GOMP_target(int device, TargetBody body, const void* table, size_t count, void** addresses,
                              size_t* sizes, unsigned char* kinds) {
  using Function = void(int, TargetBody, const void*, size_t, void**, size_t*, unsigned char*);
  Worker* worker = this_worker();
  if (auto* offload = offloaded_region<Function>(worker, "GOMP_target", &device, {}))
    return offload(device, body, table, count, addresses, sizes, kinds);
  target_region_run(worker, body, addresses, 0);
}

// ---- target data, update, enter and exit data: nothing to move on the host ------------------------------------------

CHOMP_EXPORT void GOMP_target_data_ext(int device, size_t count, void** addresses, size_t* sizes,
                                       unsigned short* kinds) {
  using Function = void(int, size_t, void**, size_t*, unsigned short*);
  if (auto* offload = offloaded<Function>(this_worker(), "GOMP_target_data_ext", &device, {}))
    offload(device, count, addresses, sizes, kinds);
}

CHOMP_EXPORT void GOMP_target_end_data() {
  if (auto* offload = of_devices<void()>("GOMP_target_end_data")) offload();
}

// The forms of GCC 4.9.
#define WITH_TABLE(name)                                                                                               \
  CHOMP_EXPORT void name(int device, const void* table, size_t count, void** addresses, size_t* sizes,                 \
                         unsigned char* kinds) {                                                                       \
    using Function = void(int, const void*, size_t, void**, size_t*, unsigned char*);                                  \
    if (auto* offload = offloaded<Function>(this_worker(), #name, &device, {}))                                        \
      offload(device, table, count, addresses, sizes, kinds);                                                          \
  }
WITH_TABLE(GOMP_target_data)
WITH_TABLE(GOMP_target_update)

#define WITH_DEPENDENCES(name)                                                                                         \
  CHOMP_EXPORT void name(int device, size_t count, void** addresses, size_t* sizes, unsigned short* kinds,             \
                         unsigned flags, void** depend) {                                                              \
    using Function = void(int, size_t, void**, size_t*, unsigned short*, unsigned, void**);                            \
    Worker* worker = this_worker();                                                                                    \
    with_dependences(worker, depend, [&](const DependenceList& list) {                                                 \
      if (auto* offload = offloaded<Function>(worker, #name, &device, list))                                           \
        return offload(device, count, addresses, sizes, kinds, flags & ~kNowait, nullptr);                             \
      target_keeps_order(worker, (flags & kNowait) != 0, list);                                                        \
    });                                                                                                                \
  }
WITH_DEPENDENCES(GOMP_target_update_ext)
WITH_DEPENDENCES(GOMP_target_enter_exit_data)

// ---- Code for devices, inside a program -----------------------------------------------------------------------------
// Called by constructors, before the offload library has looked for devices.

#define REGISTRATION(name, parameters, arguments)                                                                      \
  CHOMP_EXPORT void name parameters {                                                                                  \
    if (auto* next = next_definition<void parameters>(#name)) next arguments;                                          \
  }
REGISTRATION(GOMP_offload_register, (const void* host, int type, const void* data), (host, type, data))
REGISTRATION(GOMP_offload_unregister, (const void* host, int type, const void* data), (host, type, data))
REGISTRATION(GOMP_offload_register_ver, (unsigned version, const void* host, int type, const void* data),
             (version, host, type, data))
REGISTRATION(GOMP_offload_unregister_ver, (unsigned version, const void* host, int type, const void* data),
             (version, host, type, data))
