// Masks of Intel's kmp_*_affinity_* routines. See affinity.h.
#include <algorithm>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/base/check.h"
#include "runtime/base/os_linux.h"
#include "runtime/machine/topology.h"
#include "runtime/threads/affinity.h"
#include "runtime/threads/binding.h"

namespace chomp {

static CpuMask* mask_in(void* mask) { return static_cast<CpuMask*>(mask); }

void* affinity_mask_make() {
  void* mask = calloc(1, sizeof(CpuMask));
  if (mask == nullptr) fatal("out of memory: kmp_create_affinity_mask");
  return mask;
}

void affinity_mask_free(void* mask) { free(mask); }

int affinity_mask_cpus() {
  if (!binding_capable()) return 0;
  long cpus = sysconf(_SC_NPROCESSORS_CONF);
  return static_cast<int>(std::clamp<long>(cpus, 1, kMaxCpus));
}

int affinity_mask_set(void* mask, int cpu, bool on) {
  if (mask == nullptr || cpu < 0 || cpu >= affinity_mask_cpus()) return -1;
  if (!binding_available().has(cpu)) return -2;
  if (on)
    mask_in(mask)->set(cpu);
  else
    mask_in(mask)->words[cpu / 64] &= ~(uint64_t{1} << (cpu % 64));
  return 0;
}

int affinity_mask_has(const void* mask, int cpu) {
  if (mask == nullptr || cpu < 0 || cpu >= affinity_mask_cpus()) return -1;
  return binding_available().has(cpu) && static_cast<const CpuMask*>(mask)->has(cpu);
}

int affinity_mask_apply(Worker* worker, const void* mask) {
  if (!binding_capable()) return -1;
  if (mask == nullptr) return EINVAL;
  if (!write_affinity(*static_cast<const CpuMask*>(mask))) return errno;
  binding_mask_changed(worker, true);
  return 0;
}

int affinity_mask_restore(Worker* worker) {
  if (!binding_capable()) return -1;
  CpuMask initial = binding_available();
  if (!write_affinity(initial)) return errno;
  binding_mask_changed(worker, false);
  return 0;
}

int affinity_mask_read(void* mask) {
  if (!binding_capable()) return -1;
  if (mask == nullptr) return EINVAL;
  return read_affinity(mask_in(mask)) ? 0 : ENOSYS;
}

} // namespace chomp
