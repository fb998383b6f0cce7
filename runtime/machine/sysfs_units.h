// Which CPUs share a unit (core, cache, socket …) with a given one, from the lists in /sys/devices/system. Reads one or
// two small files per unit, since a list assigns all its CPUs at once. Private to topology_sysfs.cpp and
// hardware_sysfs.cpp.
#pragma once

#include <cstddef>

#include "runtime/base/os_linux.h"
#include "runtime/machine/hardware.h"

namespace chomp {

inline constexpr int kMaxNodes = 1024;      // NUMA nodes
inline constexpr size_t kSysfsBytes = 4096; // a longer file is refused: units this ragged are left to hwloc

/// Reads `<root>/devices/system/<name>`; `name` is a printf format. False if absent, empty or too long.
bool read_system_file(const char* root, char* text, size_t size, const char* name, ...)
    __attribute__((format(printf, 4, 5)));

/// The list of CPUs of /sys ("0-3,8,10-11\n") into `mask`, which is cleared first. False if empty or malformed.
bool parse_cpu_list(const char* text, CpuMask* mask);

class UnitReader {
public:
  explicit UnitReader(const char* root) : root_(root) {}

  /// The CPUs in the same unit as `cpu`. False when /sys does not say, or the CPU has no such unit.
  bool unit_of(HwLevel level, int cpu, CpuMask* mates);

private:
  bool list(CpuMask* mask, const char* format, int cpu, int index = 0);
  bool core_of(int cpu, CpuMask* mates);
  bool package_of(int cpu, CpuMask* mates);
  bool die_of(int cpu, CpuMask* mates);
  bool node_of(int cpu, CpuMask* mates);
  int cache_level(int cpu, int index);
  bool cache_of(int level, int cpu, CpuMask* mates);
  bool last_level_cache_of(int cpu, CpuMask* mates);

  const char* root_;
  int last_level_index_ = 3; // behind L1 data, L1 instruction and L2, nearly always
};

} // namespace chomp
