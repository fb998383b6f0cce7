// Entry points of target constructs, for code compiled by GCC, and the omp_target_* routines. chomp has no devices:
//
//   - If an offload library in the process has devices (libgomp, loaded behind us), it gets the call. chomp does the
//     depend clause before that, since the tasks are its own; and it ignores `nowait`, so the call is synchronous.
//   - Otherwise the construct runs on the host. A target region is then a region of one thread, with `nowait` in a task
//     of its own. Data constructs have nothing to move, and only obey their dependences.
//
// GCC gives a region the addresses of what it maps. On the host only firstprivate variables are copied.
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "abi/abi.h"
#include "abi/devices.h"
#include "abi/gomp_depend.h"
#include "abi/omp_c_api.h"
#include "runtime/base/log.h"
#include "runtime/config/config.h"
#include "runtime/core/team.h"
#include "runtime/core/program_call.h"
#include "runtime/tasks/task_alloc.h"
#include "runtime/teams/region.h"

using namespace chomp;
using namespace chomp::abi;

namespace {

// What compiled code passes for a device if an if clause is false. GCC 13 and later also do so for omp_initial_device.
constexpr int kHostFallback = -2;
constexpr unsigned kNowait = 1; // of `flags`

using Body = BodyPayload::Body; // of an array of addresses

// ---- Forwarding -----------------------------------------------------------------------------------------------------

/// The construct's device, resolved since the other library does not know our settings. Ends the program if there is no
/// such device and the host may not do in its place (OpenMP 5.2, 13.2 and 21.2.8).
int checked_device(int device) {
  if (device == kHostFallback) return omp_get_initial_device();
  this_worker(); // reads the settings, if no call has done so yet
  const int number = device_of_construct(device);
  const bool exists = number >= 0 && number <= omp_get_initial_device();
  const bool mandatory = config.target_offload == TargetOffload::kMandatory && !exists;
  if (mandatory || number == kInvalidDevice || number == kInvalidDeviceLlvm)
    fatal("a target construct has no device: its number is %d%s", number,
          mandatory ? ", and OMP_TARGET_OFFLOAD is mandatory" : "");
  return exists ? number : omp_get_initial_device();
}

/// The offload library's definition of a data construct's entry point. Null: the host has nothing to do.
template <class Function> Function* offload_function(const char* name, int& device) {
  device = checked_device(device);
  return of_devices<Function>(name);
}

// ---- Regions on the host --------------------------------------------------------------------------------------------

/// What a target construct maps. Each kind holds the alignment's logarithm in its upper byte.
struct Mappings {
  static constexpr unsigned kFirstprivate = 12; // the address is of the value to copy
  static constexpr unsigned kAttach = 80;       // see attach()

  size_t count;
  void** addresses;
  const size_t* sizes;
  const unsigned short* kinds;

  /// Whether there is something to copy. An absent argument of Fortran has a null address, and any size.
  bool is_firstprivate(size_t i) const { return (kinds[i] & 0xff) == kFirstprivate && addresses[i] != nullptr; }
  size_t alignment(size_t i) const { return size_t{1} << (kinds[i] >> 8); }

  size_t addresses_bytes() const { return count * sizeof(void*); }
  /// Bytes for the addresses and the values of firstprivate variables, wherever the room begins.
  size_t copies_bytes() const {
    size_t bytes = addresses_bytes();
    for (size_t i = 0; i < count; ++i)
      if (is_firstprivate(i)) bytes += sizes[i] + alignment(i) - 1;
    return bytes;
  }
  /// Copies addresses and values there. A region gets the addresses of the copies.
  void copy_to(void* memory) const {
    auto copied = static_cast<void**>(memory);
    auto next = reinterpret_cast<uintptr_t>(copied + count);
    for (size_t i = 0; i < count; ++i) {
      copied[i] = addresses[i];
      if ((kinds[i] & 0xff) == kAttach) attach(copied, i);
      if (!is_firstprivate(i)) continue;
      next = (next + alignment(i) - 1) & ~(alignment(i) - 1);
      copied[i] = reinterpret_cast<void*>(next);
      memcpy(copied[i], addresses[i], sizes[i]);
      next += sizes[i];
    }
  }
  /// Entry `i` makes a pointer point to what the entry before it maps. The pointer may be the first word of a copied
  /// descriptor, of an allocatable variable of Fortran. Then it has to point to the copy of the values, and the address
  /// in entry `i` is that of the descriptor's place in the list (from GCC 14 on).
  void attach(void** copied, size_t i) const {
    auto place = reinterpret_cast<uintptr_t>(addresses[i]), first = reinterpret_cast<uintptr_t>(addresses);
    if (i == 0 || place < first || place >= first + (i - 1) * sizeof(void*)) return;
    size_t descriptor = (place - first) / sizeof(void*);
    if (is_firstprivate(descriptor) && sizes[descriptor] >= sizeof(void*))
      memcpy(copied[descriptor], &copied[i - 1], sizeof(void*));
  }
};

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

/// A target region has an initial thread of its own, whatever region encounters it (OpenMP 5.2, 13.8).
void run_region(Worker* worker, Body body, void** addresses, int32_t thread_limit) {
  team_enter_initial(worker, thread_limit);
  if (announcing()) *exit_frame_of(worker) = __builtin_frame_address(0);
  body(addresses);
  team_leave_serial(worker);
}

struct TargetPayload : BodyPayload { // the task's shareds are the copies
  int32_t thread_limit;
};

int32_t run_target_task(int32_t, void* payload) {
  auto task = static_cast<TargetPayload*>(payload);
  run_region(this_worker(), task->body, static_cast<void**>(task->shareds), task->thread_limit);
  return 0;
}

Task* make_target_task(Worker* worker, Body body, const Mappings& mappings, int32_t thread_limit) {
  Task* task = task_allocate(worker, 0, sizeof(TargetPayload), mappings.copies_bytes(), run_target_task); // untied
  auto payload = static_cast<TargetPayload*>(task->payload());
  payload->set_body(body);
  payload->thread_limit = thread_limit;
  if (mappings.count != 0) mappings.copy_to(payload->shareds);
  return task;
}

void run_on_host(Body body, const Mappings& mappings, int32_t thread_limit, bool nowait, void** depend) {
  Worker* worker = this_worker();
  with_dependences(worker, depend, [&](const DependenceList& list) {
    Task* task = make_target_task(worker, body, mappings, thread_limit);
    nowait ? task_spawn_with_dependences(worker, task, list) : task_run_undeferred(worker, task, list);
  });
}

/// Waits for the tasks that a construct depends on, before another library executes it at once.
void wait_for_siblings(void** depend) {
  if (depend == nullptr) return;
  Worker* worker = this_worker();
  with_dependences(worker, depend, [&](const DependenceList& list) { wait_for_dependences(worker, list); });
}

/// On the host a construct that moves data has nothing to move. It still comes after tasks that it depends on, and
/// before tasks that depend on it.
void keep_order(bool nowait, void** depend) {
  if (!nowait) return wait_for_siblings(depend);
  if (depend == nullptr) return;
  Worker* worker = this_worker();
  with_dependences(worker, depend,
                   [&](const DependenceList& list) { spawn_empty_task_with_dependences(worker, list); });
}

} // namespace

// ---- target ---------------------------------------------------------------------------------------------------------

CHOMP_EXPORT void GOMP_target_ext(int device, Body body, size_t count, void** addresses, size_t* sizes,
                                  unsigned short* kinds, unsigned flags, void** depend, void** arguments) {
  using Function = void(int, Body, size_t, void**, size_t*, unsigned short*, unsigned, void**, void**);
  device = checked_device(device);
  auto* offload = device < omp_get_num_devices() ? next_definition<Function>("GOMP_target_ext") : nullptr;
  if (offload == nullptr)
    return run_on_host(body, {count, addresses, sizes, kinds}, thread_limit_of(arguments), (flags & kNowait) != 0,
                       depend);
  wait_for_siblings(depend);
  offload(device, body, count, addresses, sizes, kinds, flags & ~kNowait, nullptr, arguments);
}

/// The form of GCC 4.9, which has no firstprivate.
CHOMP_EXPORT void GOMP_target(int device, Body body, const void* table, size_t count, void** addresses, size_t* sizes,
                              unsigned char* kinds) {
  using Function = void(int, Body, const void*, size_t, void**, size_t*, unsigned char*);
  device = checked_device(device);
  if (auto* offload = device < omp_get_num_devices() ? next_definition<Function>("GOMP_target") : nullptr)
    return offload(device, body, table, count, addresses, sizes, kinds);
  run_region(this_worker(), body, addresses, 0);
}

// ---- target data, update, enter and exit data -----------------------------------------------------------------------

CHOMP_EXPORT void GOMP_target_data_ext(int device, size_t count, void** addresses, size_t* sizes,
                                       unsigned short* kinds) {
  using Function = void(int, size_t, void**, size_t*, unsigned short*);
  if (auto* offload = offload_function<Function>("GOMP_target_data_ext", device))
    offload(device, count, addresses, sizes, kinds);
}

CHOMP_EXPORT void GOMP_target_data(int device, const void* table, size_t count, void** addresses, size_t* sizes,
                                   unsigned char* kinds) {
  using Function = void(int, const void*, size_t, void**, size_t*, unsigned char*);
  if (auto* offload = offload_function<Function>("GOMP_target_data", device))
    offload(device, table, count, addresses, sizes, kinds);
}

CHOMP_EXPORT void GOMP_target_end_data() {
  if (auto* offload = of_devices<void()>("GOMP_target_end_data")) offload();
}

CHOMP_EXPORT void GOMP_target_update_ext(int device, size_t count, void** addresses, size_t* sizes,
                                         unsigned short* kinds, unsigned flags, void** depend) {
  using Function = void(int, size_t, void**, size_t*, unsigned short*, unsigned, void**);
  auto* offload = offload_function<Function>("GOMP_target_update_ext", device);
  if (offload == nullptr) return keep_order((flags & kNowait) != 0, depend);
  wait_for_siblings(depend);
  offload(device, count, addresses, sizes, kinds, flags & ~kNowait, nullptr);
}

CHOMP_EXPORT void GOMP_target_update(int device, const void* table, size_t count, void** addresses, size_t* sizes,
                                     unsigned char* kinds) {
  using Function = void(int, const void*, size_t, void**, size_t*, unsigned char*);
  if (auto* offload = offload_function<Function>("GOMP_target_update", device))
    offload(device, table, count, addresses, sizes, kinds);
}

CHOMP_EXPORT void GOMP_target_enter_exit_data(int device, size_t count, void** addresses, size_t* sizes,
                                              unsigned short* kinds, unsigned flags, void** depend) {
  using Function = void(int, size_t, void**, size_t*, unsigned short*, unsigned, void**);
  auto* offload = offload_function<Function>("GOMP_target_enter_exit_data", device);
  if (offload == nullptr) return keep_order((flags & kNowait) != 0, depend);
  wait_for_siblings(depend);
  offload(device, count, addresses, sizes, kinds, flags & ~kNowait, nullptr);
}

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

// ---- Memory of devices (OpenMP 5.2, 18.8) ---------------------------------------------------------------------------
// The host is the only device, unless there is another library.

namespace {

struct Box {
  size_t element_bytes;
  const size_t *volume, *to_offsets, *from_offsets, *to_dimensions, *from_dimensions;
};

void copy_box(char* to, const char* from, const Box& box, int dimension, int dimensions) {
  if (dimension == dimensions - 1) {
    memcpy(to + box.to_offsets[dimension] * box.element_bytes, from + box.from_offsets[dimension] * box.element_bytes,
           box.volume[dimension] * box.element_bytes);
    return;
  }
  size_t to_slice = box.element_bytes, from_slice = box.element_bytes;
  for (int i = dimension + 1; i < dimensions; ++i) {
    to_slice *= box.to_dimensions[i];
    from_slice *= box.from_dimensions[i];
  }
  for (size_t i = 0; i < box.volume[dimension]; ++i)
    copy_box(to + (box.to_offsets[dimension] + i) * to_slice, from + (box.from_offsets[dimension] + i) * from_slice,
             box, dimension + 1, dimensions);
}

} // namespace

CHOMP_EXPORT void* omp_target_alloc(size_t size, int device) {
  if (auto* next = next_definition<void*(size_t, int)>("omp_target_alloc")) return next(size, device_number(device));
  return is_host(device) && size != 0 ? malloc(size) : nullptr;
}

CHOMP_EXPORT void omp_target_free(void* memory, int device) {
  if (auto* next = next_definition<void(void*, int)>("omp_target_free")) return next(memory, device_number(device));
  if (is_host(device)) free(memory);
}

CHOMP_EXPORT int omp_target_is_present(const void* address, int device) {
  using Function = int(const void*, int);
  if (auto* next = next_definition<Function>("omp_target_is_present")) return next(address, device_number(device));
  return is_host(device);
}

CHOMP_EXPORT int omp_target_memcpy(void* to, const void* from, size_t length, size_t to_offset, size_t from_offset,
                                   int to_device, int from_device) {
  using Function = int(void*, const void*, size_t, size_t, size_t, int, int);
  if (auto* next = next_definition<Function>("omp_target_memcpy"))
    return next(to, from, length, to_offset, from_offset, device_number(to_device), device_number(from_device));
  if (!is_host(to_device) || !is_host(from_device)) return EINVAL;
  memcpy(static_cast<char*>(to) + to_offset, static_cast<const char*>(from) + from_offset, length);
  return 0;
}

/// Called without memory to copy, it returns how many dimensions are supported.
CHOMP_EXPORT int omp_target_memcpy_rect(void* to, const void* from, size_t element_bytes, int dimensions,
                                        const size_t* volume, const size_t* to_offsets, const size_t* from_offsets,
                                        const size_t* to_dimensions, const size_t* from_dimensions, int to_device,
                                        int from_device) {
  using Function = int(void*, const void*, size_t, int, const size_t*, const size_t*, const size_t*, const size_t*,
                       const size_t*, int, int);
  if (auto* next = next_definition<Function>("omp_target_memcpy_rect"))
    return next(to, from, element_bytes, dimensions, volume, to_offsets, from_offsets, to_dimensions, from_dimensions,
                device_number(to_device), device_number(from_device));
  if (to == nullptr && from == nullptr) return INT_MAX;
  if (to == nullptr || from == nullptr || dimensions < 1) return EINVAL;
  if (!is_host(to_device) || !is_host(from_device)) return EINVAL;
  Box box{element_bytes, volume, to_offsets, from_offsets, to_dimensions, from_dimensions};
  copy_box(static_cast<char*>(to), static_cast<const char*>(from), box, 0, dimensions);
  return 0;
}

/// Refused for the host, where every address stands for itself already.
CHOMP_EXPORT int omp_target_associate_ptr(const void* host, const void* address, size_t size, size_t offset,
                                          int device) {
  using Function = int(const void*, const void*, size_t, size_t, int);
  if (auto* next = next_definition<Function>("omp_target_associate_ptr"))
    return next(host, address, size, offset, device_number(device));
  return EINVAL;
}

CHOMP_EXPORT int omp_target_disassociate_ptr(const void* address, int device) {
  using Function = int(const void*, int);
  if (auto* next = next_definition<Function>("omp_target_disassociate_ptr"))
    return next(address, device_number(device));
  return EINVAL;
}
