// Target regions on the host, as GCC's code describes them (Clang's code calls the region itself), and what all target
// constructs ask first: which device, and who executes the construct.
//
//   - If an offload library in the process has the device (libgomp, loaded behind us), it gets the call. chomp does the
//     depend clause before that, since the tasks are its own; and it ignores `nowait`, so the call is synchronous.
//   - Otherwise the construct runs on the host. A target region is then a region of one thread, with `nowait` in a task
//     of its own. Data constructs have nothing to move, and only obey their dependences.
//
// GCC gives a region the addresses of what it maps. On the host only firstprivate variables are copied.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/core/task.h"
#include "runtime/dependences/task_deps.h"
#include "runtime/devices/offload_library.h"

namespace chomp {

using TargetBody = BodyPayload::Body; // of an array of addresses

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
  size_t copies_bytes() const;
  /// Copies addresses and values there. A region gets the addresses of the copies.
  void copy_to(void* memory) const;
  /// Entry `i` makes a pointer point to what the entry before it maps. The pointer may be the first word of a copied
  /// descriptor, of an allocatable variable of Fortran. Then it has to point to the copy of the values, and the address
  /// in entry `i` is that of the descriptor's place in the list (from GCC 14 on).
  void attach(void** copied, size_t i) const;
};

struct TargetRegion {
  TargetBody body;
  Mappings mappings;
  int32_t thread_limit; // 0: none
  bool nowait;
};

/// The number of the device that compiled code passes for a construct. Ends the program if there is no such device, and
/// the host may not do in its place (OpenMP 5.2, 13.2 and 21.2.8).
int device_of_construct(int device);
/// The same for `interop`, which needs no device.
int device_of_interop(int device);

/// The offload library's definition of a construct's entry point, after the tasks that the construct depends on.
/// Null: the host does what there is to do. Resolves *device, since the other library does not know our settings.
template <class Function>
Function* offloaded(Worker* worker, const char* name, int* device, const DependenceList& list) {
  *device = device_of_construct(*device);
  auto* function = of_devices<Function>(name);
  if (function != nullptr && !list.empty()) wait_for_dependences(worker, list);
  return function;
}
/// The same for a region: the host's are never forwarded.
template <class Function>
Function* offloaded_region(Worker* worker, const char* name, int* device, const DependenceList& list) {
  *device = device_of_construct(*device);
  if (*device >= device_count()) return nullptr;
  return offloaded<Function>(worker, name, device, list);
}

/// A target region has an initial thread of its own, whatever region encounters it (OpenMP 5.2, 13.8).
void target_region_run(Worker* worker, TargetBody body, void** addresses, int32_t thread_limit);
void target_on_host(Worker* worker, const TargetRegion& region, const DependenceList& list);

/// On the host a construct that moves data, or asks for interoperability, has nothing to do. It still comes after tasks
/// that it depends on, and before tasks that depend on it.
void target_keeps_order(Worker* worker, bool nowait, const DependenceList& list);

} // namespace chomp
