// Domains from /sys/devices/system: the usual source, since it is quick and adds nothing to the process. One or two
// small files are read per *domain*, not per CPU: the list of CPUs that share a cache assigns them all at once. So
// three reads are enough for a machine whose CPUs share one last-level cache.
//
// On a 2-CPU virtual machine this takes 0.05 ms. hwloc 2.9 takes 3 to 13 ms there, mostly for plug-ins, which bring
// libX11, OpenCL and libstdc++ with them. libomp's whole first parallel region takes less than 1 ms. So hwloc is left
// for what only it can do (topology_hwloc.cpp), where it takes 0.35 ms.
#include "runtime/machine/topology_build.h"

#include <cstdlib>
#include <cstring>

#include "runtime/machine/sysfs_units.h"

namespace chomp {

namespace {

/// The CPUs of the domain, at that level, that `cpu` is in.
bool domain_of(UnitReader& reader, DomainLevel level, int cpu, CpuMask* mates) {
  switch (level) {
  case DomainLevel::kCore: return reader.unit_of(HwLevel::kCore, cpu, mates);
  case DomainLevel::kSocket: return reader.unit_of(HwLevel::kSocket, cpu, mates);
  case DomainLevel::kNuma: return reader.unit_of(HwLevel::kNuma, cpu, mates);
  default: return reader.unit_of(HwLevel::kLastCache, cpu, mates) || reader.unit_of(HwLevel::kSocket, cpu, mates);
  }
}

/// NUMA nodes of the domains' first CPUs. Returns the number of nodes that hold any of them.
int nodes_of_domains(const char* root, const TopologyBuild* build, int16_t* node_of_domain) {
  char text[kSysfsBytes];
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

/// The firmware's distances from `node`, by node number; 0 where it says nothing. The file lists only online nodes, in
/// order.
void read_node_distances(const char* root, int node, uint32_t* distance_to) {
  char text[kSysfsBytes];
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

bool topology_from_sysfs(const char* root, const CpuMask& allowed, DomainLevel level, TopologyBuild* build) {
  UnitReader reader(root);
  CpuMask placed = {};
  build->pu_count = 0;
  build->domain_count = 0;
  for (int cpu = 0; cpu < kMaxCpus; cpu++) {
    if (!allowed.has(cpu) || placed.has(cpu)) continue;
    CpuMask mates;
    if (!domain_of(reader, level, cpu, &mates)) return false;
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
