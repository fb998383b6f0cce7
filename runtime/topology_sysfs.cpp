// Domains from /sys/devices/system: the usual source, since it is quick and adds nothing to the process. One or two
// small files are read per *domain*, not per CPU: the list of CPUs that share a cache assigns them all at once, so that
// a machine whose CPUs share one last-level cache is decided by three reads.
//
// Measured on a 2-CPU virtual machine: this path 0.05 ms. hwloc 2.9 there: 3 to 13 ms, of which dlopen 0.3, init 2.6 to
// 12 (it opens its plug-ins, and with them libX11, OpenCL and libstdc++), load 2 to 6. libomp's whole first parallel
// region is below 1 ms, so hwloc is left for what only it can do (topology_hwloc.cpp; 0.35 ms for a synthetic machine).
#include "runtime/topology_build.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace chomp {

namespace {

constexpr int kMaxCacheIndex = 10;
constexpr int kMaxNodes = 1024;
constexpr size_t kFileBytes = 4096; // a longer file is refused: domains this ragged are left to hwloc

/// Reads `<root>/devices/system/<name>`; `name` is a printf format.
__attribute__((format(printf, 4, 5))) bool read_system_file(const char* root, char* text, size_t size, const char* name,
                                                            ...) {
  char path[512];
  int prefix = snprintf(path, sizeof path, "%s/devices/system/", root);
  if (prefix < 0 || prefix >= static_cast<int>(sizeof path)) return false;
  va_list arguments;
  va_start(arguments, name);
  int length = vsnprintf(path + prefix, sizeof path - static_cast<size_t>(prefix), name, arguments);
  va_end(arguments);
  if (length < 0 || length >= static_cast<int>(sizeof path) - prefix) return false;
  long bytes = read_small_file(path, text, size);
  return bytes > 0 && static_cast<size_t>(bytes) < size - 1; // exactly full: perhaps cut
}

/// Answers "which CPUs are in the domain of this CPU?" for one level.
class DomainReader {
public:
  DomainReader(const char* root, DomainLevel level) : root_(root), level_(level) {}

  bool domain_of(int cpu, CpuMask* mates) {
    switch (level_) {
    case DomainLevel::kCore: return core_of(cpu, mates);
    case DomainLevel::kSocket: return package_of(cpu, mates);
    case DomainLevel::kNuma: return node_of(cpu, mates);
    default: return last_level_cache_of(cpu, mates) || package_of(cpu, mates);
    }
  }

private:
  bool list(CpuMask* mask, const char* format, int cpu, int index = 0) {
    char text[kFileBytes];
    return read_system_file(root_, text, sizeof text, format, cpu, index) && parse_cpu_list(text, mask);
  }

  // Each file has a newer and an older name; kernels before 5.x have only the second.
  bool core_of(int cpu, CpuMask* mates) {
    return list(mates, "cpu/cpu%d/topology/core_cpus_list", cpu) ||
           list(mates, "cpu/cpu%d/topology/thread_siblings_list", cpu);
  }
  bool package_of(int cpu, CpuMask* mates) {
    return list(mates, "cpu/cpu%d/topology/package_cpus_list", cpu) ||
           list(mates, "cpu/cpu%d/topology/core_siblings_list", cpu);
  }

  bool node_of(int cpu, CpuMask* mates) {
    char text[kFileBytes];
    CpuMask nodes; // node numbers are written like CPU numbers
    if (!read_system_file(root_, text, sizeof text, "node/online") || !parse_cpu_list(text, &nodes)) return false;
    for (int node = 0; node < kMaxNodes; node++)
      if (nodes.has(node) && list(mates, "node/node%d/cpulist", node) && mates->has(cpu)) return true;
    return false;
  }

  int cache_level(int cpu, int index) {
    char text[16];
    if (!read_system_file(root_, text, sizeof text, "cpu/cpu%d/cache/index%d/level", cpu, index)) return 0;
    return atoi(text);
  }

  /// L3 if there is one, else the largest cache that several cores share. (A cache of one core is shared by its
  /// hardware threads only: that is no chip.) An L3 that spans packages, as virtual machines show it, is believed.
  bool last_level_cache_of(int cpu, CpuMask* mates) {
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

  const char* root_;
  DomainLevel level_;
  int last_level_index_ = 3; // L1 data, L1 instruction, L2, L3: nearly always
};

/// NUMA nodes of the domains' first CPUs. Returns the number of nodes that hold any of them.
int nodes_of_domains(const char* root, const TopologyBuild* build, int16_t* node_of_domain) {
  char text[kFileBytes];
  CpuMask nodes, members;
  for (int domain = 0; domain < build->domain_count; domain++) node_of_domain[domain] = -1;
  if (!read_system_file(root, text, sizeof text, "node/online") || !parse_cpu_list(text, &nodes)) return 0;
  int found = 0;
  for (int node = 0; node < kMaxNodes; node++) {
    if (!nodes.has(node)) continue;
    if (!read_system_file(root, text, sizeof text, "node/node%d/cpulist", node) || !parse_cpu_list(text, &members))
      continue; // a node of memory alone
    bool used = false;
    for (int domain = 0; domain < build->domain_count; domain++) {
      if (!members.has(build->cpu_of_pu[build->first_pu_of_domain[domain]])) continue;
      node_of_domain[domain] = static_cast<int16_t>(node);
      used = true;
    }
    found += used;
  }
  return found;
}

/// The firmware's distances from `node`, by node number; 0 where it says nothing. The file lists online nodes in order.
void read_node_distances(const char* root, int node, uint32_t* distance_to) {
  char text[kFileBytes];
  CpuMask nodes;
  memset(distance_to, 0, kMaxNodes * sizeof *distance_to);
  if (!read_system_file(root, text, sizeof text, "node/online") || !parse_cpu_list(text, &nodes)) return;
  if (!read_system_file(root, text, sizeof text, "node/node%d/distance", node)) return;
  const char* cursor = text;
  for (int other = 0; other < kMaxNodes; other++) {
    if (!nodes.has(other)) continue;
    char* end;
    unsigned long value = strtoul(cursor, &end, 10);
    if (end == cursor) return;
    distance_to[other] = value < 100000 ? static_cast<uint32_t>(value) : 100000;
    cursor = end;
  }
}

void far_by_package(const char* root, TopologyBuild* build) {
  int package[kMaxDomains];
  char text[32];
  for (int domain = 0; domain < build->domain_count; domain++) {
    int cpu = build->cpu_of_pu[build->first_pu_of_domain[domain]];
    bool known = read_system_file(root, text, sizeof text, "cpu/cpu%d/topology/physical_package_id", cpu);
    package[domain] = known ? atoi(text) : -1;
  }
  for (int i = 0; i < build->domain_count; i++)
    for (int j = 0; j < build->domain_count; j++) build->far[i * kMaxDomains + j] = package[i] == package[j] ? 1 : 2;
}

} // namespace

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

bool topology_from_sysfs(const char* root, const CpuMask& allowed, DomainLevel level, TopologyBuild* build) {
  DomainReader reader(root, level);
  CpuMask placed = {};
  build->pu_count = 0;
  build->domain_count = 0;
  for (int cpu = 0; cpu < kMaxCpus; cpu++) {
    if (!allowed.has(cpu) || placed.has(cpu)) continue;
    CpuMask mates;
    if (!reader.domain_of(cpu, &mates)) return false;
    mates.set(cpu);
    for (int mate = cpu; mate < kMaxCpus; mate++) {
      if (!mates.has(mate) || !allowed.has(mate) || placed.has(mate)) continue;
      placed.set(mate);
      build->domain_of_pu[build->pu_count] = static_cast<uint16_t>(build->domain_count);
      build->cpu_of_pu[build->pu_count] = static_cast<uint16_t>(mate);
      build->pu_count++;
    }
    build->domain_count++;
  }
  return build->pu_count > 0;
}

void distances_from_sysfs(const char* root, TopologyBuild* build) {
  int16_t node_of_domain[kMaxDomains];
  if (nodes_of_domains(root, build, node_of_domain) <= 1) {
    far_by_package(root, build);
    return;
  }
  uint32_t distance_to[kMaxNodes];
  int read_for = -1;
  for (int i = 0; i < build->domain_count; i++) {
    int from = node_of_domain[i];
    if (from >= 0 && from != read_for) read_node_distances(root, from, distance_to);
    read_for = from;
    for (int j = 0; j < build->domain_count; j++) {
      int to = node_of_domain[j];
      uint32_t far = from == to ? 1 : from < 0 || to < 0 ? 100001 : 2 + distance_to[to];
      build->far[i * kMaxDomains + j] = far;
    }
  }
}

} // namespace chomp
