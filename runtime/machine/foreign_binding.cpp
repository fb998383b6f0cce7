// See foreign_binding.h. Public routines of that libgomp tell the mask that the process had: the places lie within that
// mask, and omp_get_num_procs() is its number of CPUs. If the places have fewer CPUs, the mask may have been all that
// the control group allows, and the kernel knows that. Otherwise the places are the best answer.
//
// Rejected: a constructor that reads the mask before libgomp's does (`-z initfirst`). It would run in every process
// that chomp is preloaded into, even without a construct. And the loader honours the flag only for the last library
// that has it.
#include "runtime/machine/foreign_binding.h"

#include <string.h>
#include <unistd.h>

#include "runtime/base/dynamic.h"
#include "runtime/base/log.h"
#include "runtime/base/os_linux.h"

namespace chomp {

namespace {

constexpr size_t kRoomBytes = sizeof(int) * kMaxCpus;

/// The routines of the other runtime, as its own file has them. A look by name alone would find ours.
struct Foreign {
  int (*num_places)() = nullptr;
  int (*place_num_procs)(int) = nullptr;
  void (*place_proc_ids)(int, int*) = nullptr;
  int (*num_procs)() = nullptr;
  int* room = nullptr; // [kMaxCpus]; not on the stack, since the program's stack may be small

  bool find(const Symbols& symbols) {
    num_places = reinterpret_cast<int (*)()>(symbols.find("omp_get_num_places"));
    place_num_procs = reinterpret_cast<int (*)(int)>(symbols.find("omp_get_place_num_procs"));
    place_proc_ids = reinterpret_cast<void (*)(int, int*)>(symbols.find("omp_get_place_proc_ids"));
    num_procs = reinterpret_cast<int (*)()>(symbols.find("omp_get_num_procs"));
    room = static_cast<int*>(map_pages(kRoomBytes));
    return num_places != nullptr && place_num_procs != nullptr && place_proc_ids != nullptr && num_procs != nullptr &&
           room != nullptr;
  }

  ~Foreign() {
    if (room != nullptr) unmap_pages(room, kRoomBytes);
  }

  /// Adds the CPUs of a place to `mask`.
  void add_place(int place, CpuMask* mask) const {
    int count = place_num_procs(place);
    if (count > kMaxCpus) return;
    place_proc_ids(place, room);
    for (int i = 0; i < count; ++i)
      if (room[i] >= 0 && room[i] < kMaxCpus) mask->set(room[i]);
  }

  bool is_place(const CpuMask& mask) const {
    for (int place = 0; place < num_places(); ++place) {
      CpuMask cpus = {};
      add_place(place, &cpus);
      if (memcmp(&cpus, &mask, sizeof mask) == 0) return true;
    }
    return false;
  }
};

/// All CPUs that the control group lets this thread use. Afterwards these are the thread's mask.
bool widen(CpuMask* mask) {
  memset(mask, 0xff, sizeof *mask);
  return write_affinity(*mask) && read_affinity(mask);
}

void undo(const Foreign& foreign, ForeignBinding* binding) {
  CpuMask bound, all = {};
  if (!read_affinity(&bound) || !foreign.is_place(bound)) return;
  for (int place = 0; place < foreign.num_places(); ++place) foreign.add_place(place, &all);
  int had = foreign.num_procs();
  CpuMask allowed;
  if (all.count() < had && widen(&allowed) && allowed.count() == had) all = allowed;
  if (!write_affinity(all)) {
    write_affinity(bound);
    return;
  }
  binding->bound_to = bound.count();
  binding->cpus = all.count();
  int first_thread = getpid();
  CpuMask mask;
  if (first_thread != thread_id() && read_affinity(&mask, first_thread) && foreign.is_place(mask))
    write_affinity(all, first_thread);
}

} // namespace

bool foreign_runtime_find(LoadedLibrary* library) { return find_other_library({"libgomp"}, library); }

void foreign_binding_undo(const LoadedLibrary& library, ForeignBinding* binding) {
  Foreign foreign;
  if (foreign.find(library.symbols)) undo(foreign, binding);
  if (binding->cpus > binding->bound_to) binding->library = library.path;
}

void foreign_binding_report(const ForeignBinding& binding) {
  if (binding.library == nullptr) return;
  inform(15, "%s bound this process to %d of its %d CPUs before its first OpenMP construct; chomp uses them all.",
         binding.library, binding.bound_to, binding.cpus);
}

} // namespace chomp
