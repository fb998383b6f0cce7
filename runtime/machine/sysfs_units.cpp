// See sysfs_units.h.
#include "runtime/machine/sysfs_units.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace chomp {

namespace {
constexpr int kMaxCacheIndex = 10;
}

bool read_system_file(const char* root, char* text, size_t size, const char* name, ...) {
  char path[512];
  int prefix = snprintf(path, sizeof path, "%s/devices/system/", root);
  if (prefix < 0 || prefix >= static_cast<int>(sizeof path)) return false;
  va_list arguments;
  va_start(arguments, name);
  int length = vsnprintf(path + prefix, sizeof path - static_cast<size_t>(prefix), name, arguments);
  va_end(arguments);
  if (length < 0 || length >= static_cast<int>(sizeof path) - prefix) return false;
  long bytes = read_small_file(path, text, size);
  return bytes > 0 && static_cast<size_t>(bytes) < size - 1; // a full buffer may have been cut
}

bool parse_cpu_list(const char* text, CpuMask* mask) {
  memset(mask, 0, sizeof *mask);
  const char* cursor = text;
  for (;;) {
    char* end;
    if (*cursor < '0' || *cursor > '9') return false;
    unsigned long first = strtoul(cursor, &end, 10);
    unsigned long last = first;
    if (*end == '-') {
      cursor = end + 1;
      if (*cursor < '0' || *cursor > '9') return false;
      last = strtoul(cursor, &end, 10);
    }
    if (first > last || last >= kMaxCpus) return false;
    for (unsigned long cpu = first; cpu <= last; cpu++) mask->set(static_cast<int>(cpu));
    if (*end != ',') return *end == '\n' || *end == 0;
    cursor = end + 1;
  }
}

bool UnitReader::unit_of(HwLevel level, int cpu, CpuMask* mates) {
  switch (level) {
  case HwLevel::kSocket: return package_of(cpu, mates);
  case HwLevel::kDie: return die_of(cpu, mates);
  case HwLevel::kNuma: return node_of(cpu, mates);
  case HwLevel::kLastCache: return last_level_cache_of(cpu, mates);
  case HwLevel::kL3: return cache_of(3, cpu, mates);
  case HwLevel::kTile: // the cores of one L2: /sys says no more
  case HwLevel::kL2: return cache_of(2, cpu, mates);
  case HwLevel::kL1: return cache_of(1, cpu, mates);
  case HwLevel::kCore: return core_of(cpu, mates);
  case HwLevel::kThread: break;
  }
  memset(mates, 0, sizeof *mates);
  mates->set(cpu);
  return true;
}

bool UnitReader::list(CpuMask* mask, const char* format, int cpu, int index) {
  char text[kSysfsBytes];
  return read_system_file(root_, text, sizeof text, format, cpu, index) && parse_cpu_list(text, mask);
}

// Each file has a newer and an older name; kernels before 5.x have only the older.
bool UnitReader::core_of(int cpu, CpuMask* mates) {
  return list(mates, "cpu/cpu%d/topology/core_cpus_list", cpu) ||
         list(mates, "cpu/cpu%d/topology/thread_siblings_list", cpu);
}

bool UnitReader::package_of(int cpu, CpuMask* mates) {
  return list(mates, "cpu/cpu%d/topology/package_cpus_list", cpu) ||
         list(mates, "cpu/cpu%d/topology/core_siblings_list", cpu);
}

/// A processor without dice (64-bit Arm) has die -1, and lists each CPU as a die of its own.
bool UnitReader::die_of(int cpu, CpuMask* mates) {
  char text[16];
  if (!read_system_file(root_, text, sizeof text, "cpu/cpu%d/topology/die_id", cpu) || text[0] == '-') return false;
  return list(mates, "cpu/cpu%d/topology/die_cpus_list", cpu);
}

bool UnitReader::node_of(int cpu, CpuMask* mates) {
  char text[kSysfsBytes];
  CpuMask nodes; // node numbers are written like CPU numbers
  if (!read_system_file(root_, text, sizeof text, "node/online") || !parse_cpu_list(text, &nodes)) return false;
  for (int node = 0; node < kMaxNodes; node++)
    if (nodes.has(node) && list(mates, "node/node%d/cpulist", node) && mates->has(cpu)) return true;
  return false;
}

int UnitReader::cache_level(int cpu, int index) {
  char text[16];
  if (!read_system_file(root_, text, sizeof text, "cpu/cpu%d/cache/index%d/level", cpu, index)) return 0;
  return atoi(text);
}

/// The data or unified cache of that level.
bool UnitReader::cache_of(int level, int cpu, CpuMask* mates) {
  for (int index = 0; index < kMaxCacheIndex; index++) {
    int found = cache_level(cpu, index);
    if (found == 0) return false;
    char type[16];
    if (found != level || !read_system_file(root_, type, sizeof type, "cpu/cpu%d/cache/index%d/type", cpu, index))
      continue;
    if (type[0] != 'I') return list(mates, "cpu/cpu%d/cache/index%d/shared_cpu_list", cpu, index);
  }
  return false;
}

/// L3 if there is one, else the largest cache that several cores share. (A cache that only the hardware threads of one
/// core share makes no domain.) If virtual machines show an L3 that spans packages, that is believed.
bool UnitReader::last_level_cache_of(int cpu, CpuMask* mates) {
  if (cache_level(cpu, last_level_index_) == 3)
    return list(mates, "cpu/cpu%d/cache/index%d/shared_cpu_list", cpu, last_level_index_);
  int best_level = 0;
  int best_index = -1;
  for (int index = 0; index < kMaxCacheIndex; index++) {
    int level = cache_level(cpu, index);
    if (level == 0) break;
    if (level == 3) {
      last_level_index_ = index;
      return list(mates, "cpu/cpu%d/cache/index%d/shared_cpu_list", cpu, index);
    }
    if (level > best_level) {
      best_level = level;
      best_index = index;
    }
  }
  CpuMask core;
  if (best_index < 0 || !list(mates, "cpu/cpu%d/cache/index%d/shared_cpu_list", cpu, best_index)) return false;
  return core_of(cpu, &core) && mates->count() > core.count();
}

} // namespace chomp
