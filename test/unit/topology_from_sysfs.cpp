// RUN: %clangxx -std=c++20 -I%root %s %root/runtime/base/log.cpp %root/runtime/base/os_linux.cpp %root/runtime/machine/cgroup.cpp %root/runtime/base/env.cpp %root/runtime/machine/topology.cpp %root/runtime/machine/topology_sysfs.cpp %root/runtime/machine/topology_hwloc.cpp %root/runtime/machine/sysfs_units.cpp -pthread -ldl -o %t && %t
// Machines made of files. The one this runs on appears only at the end.
#include <initializer_list>

#include "runtime/config/config.h"
#include "runtime/machine/sysfs_units.h"
#include "runtime/machine/topology_build.h"
#include "test/unit/check_that.h"
#include "test/unit/fake_files.h"

using namespace chomp;

Config chomp::config;

static TopologyBuild build;

static CpuMask first_cpus(int count) {
  CpuMask mask = {};
  for (int cpu = 0; cpu < count; cpu++) mask.set(cpu);
  return mask;
}

static bool valid() {
  if (build.pu_count < 1 || build.domain_count < 1 || build.domain_count > kMaxDomains) return false;
  int expected = 0;
  for (int pu = 0; pu < build.pu_count; pu++) {
    if (build.domain_of_pu[pu] == expected + 1) expected++;
    if (build.domain_of_pu[pu] != expected) return false;
  }
  int n = build.domain_count;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if ((build.distance[i * n + j] == 0) != (i == j)) return false;
  return expected == n - 1;
}

static bool make(FakeFiles& files, const CpuMask& allowed, DomainLevel level = DomainLevel::kDefault) {
  memset(&build, 0, sizeof build);
  return build_from_sysfs(files.root, allowed, level, level == DomainLevel::kDefault, &build) && valid();
}

static int distance(int i, int j) { return build.distance[i * build.domain_count + j]; }

#define CPU "devices/system/cpu/cpu%d/"
#define NODE "devices/system/node/"

/// 2 packages, each a NUMA node of 2 L3 caches of 4 cores with 2 hardware threads; threads 16–31 are the second ones.
static void two_sockets_four_chips(FakeFiles& files) {
  for (int cpu = 0; cpu < 32; cpu++) {
    int core = cpu % 16;
    char list[64];
    files.put("1\n", CPU "cache/index0/level", cpu);
    files.put("1\n", CPU "cache/index1/level", cpu);
    files.put("2\n", CPU "cache/index2/level", cpu);
    files.put("3\n", CPU "cache/index3/level", cpu);
    snprintf(list, sizeof list, "%d-%d,%d-%d\n", core / 4 * 4, core / 4 * 4 + 3, core / 4 * 4 + 16, core / 4 * 4 + 19);
    files.put(list, CPU "cache/index3/shared_cpu_list", cpu);
    snprintf(list, sizeof list, "%d,%d\n", core, core + 16);
    files.put(list, CPU "topology/thread_siblings_list", cpu);
    snprintf(list, sizeof list, "%d-%d,%d-%d\n", core / 8 * 8, core / 8 * 8 + 7, core / 8 * 8 + 16, core / 8 * 8 + 23);
    files.put(list, CPU "topology/package_cpus_list", cpu);
    files.put(core < 8 ? "0\n" : "1\n", CPU "topology/physical_package_id", cpu);
  }
  files.put("0-1\n", NODE "online");
  files.put("0-7,16-23\n", NODE "node0/cpulist");
  files.put("8-15,24-31\n", NODE "node1/cpulist");
  files.put("10 21\n", NODE "node0/distance");
  files.put("21 10\n", NODE "node1/distance");
}

static void chips_of_a_server() {
  FakeFiles files;
  two_sockets_four_chips(files);
  CpuMask all = first_cpus(32);
  THAT(make(files, all) && build.pu_count == 32 && build.domain_count == 4);
  THAT(build.cpu_of_pu[0] == 0 && build.cpu_of_pu[4] == 16 && build.cpu_of_pu[8] == 4); // neighbours share a chip
  THAT(distance(0, 1) == 1 && distance(0, 2) == 2 && distance(0, 3) == 2 && distance(3, 2) == 1);
  THAT(make(files, all, DomainLevel::kSocket) && build.domain_count == 2 && distance(0, 1) == 1);
  THAT(make(files, all, DomainLevel::kNuma) && build.domain_count == 2);
  THAT(make(files, all, DomainLevel::kCore) && build.domain_count == 16 && distance(0, 7) == 1 && distance(0, 8) == 2);

  CpuMask few = {};
  for (int cpu : {3, 4, 5, 20, 31}) few.set(cpu); // only what the mask allows, and empty chips do not count
  THAT(make(files, few) && build.pu_count == 5 && build.domain_count == 3);
  THAT(build.cpu_of_pu[0] == 3 && build.cpu_of_pu[1] == 4 && build.cpu_of_pu[3] == 20 && build.cpu_of_pu[4] == 31);

  // Without NUMA files the packages give the distance.
  files.put("", NODE "online");
  THAT(make(files, all) && distance(0, 1) == 1 && distance(0, 2) == 2);
  THAT(!make(files, all, DomainLevel::kNuma));
}

static void node_distances_are_ranked() {
  FakeFiles files;
  for (int cpu = 0; cpu < 4; cpu++) {
    char text[64];
    snprintf(text, sizeof text, "%d\n", cpu);
    files.put(text, CPU "topology/core_cpus_list", cpu);
    files.put(text, NODE "node%d/cpulist", 2 * cpu); // nodes 0, 2, 4, 6
  }
  files.put("0,2,4,6,8\n", NODE "online");
  files.put("\n", NODE "node8/cpulist"); // memory alone
  files.put("10 12 32 32 99\n", NODE "node0/distance");
  files.put("12 10 32 40 99\n", NODE "node2/distance");
  files.put("32 32 10 12 99\n", NODE "node4/distance");
  files.put("32 40 12 10 99\n", NODE "node6/distance");
  THAT(make(files, first_cpus(4), DomainLevel::kCore) && build.domain_count == 4);
  THAT(distance(0, 1) == 1 && distance(0, 2) == 2 && distance(0, 3) == 2 && distance(1, 3) == 3 && distance(3, 2) == 1);
}

static void without_l3() {
  FakeFiles files;
  for (int cpu = 0; cpu < 8; cpu++) { // 2 clusters of 4 cores share an L2
    char list[64];
    files.put("1\n", CPU "cache/index0/level", cpu);
    files.put("2\n", CPU "cache/index1/level", cpu);
    snprintf(list, sizeof list, "%d-%d\n", cpu / 4 * 4, cpu / 4 * 4 + 3);
    files.put(list, CPU "cache/index1/shared_cpu_list", cpu);
    snprintf(list, sizeof list, "%d\n", cpu);
    files.put(list, CPU "topology/core_cpus_list", cpu);
    files.put("0-7\n", CPU "topology/package_cpus_list", cpu);
  }
  THAT(make(files, first_cpus(8)) && build.domain_count == 2 && distance(0, 1) == 1);
  for (int cpu = 0; cpu < 8; cpu++) { // L2 of one core: the package
    char list[64];
    snprintf(list, sizeof list, "%d\n", cpu);
    files.put(list, CPU "cache/index1/shared_cpu_list", cpu);
  }
  THAT(make(files, first_cpus(8)) && build.domain_count == 1);
}

static void no_caches_at_all() {
  FakeFiles files;
  for (int cpu = 0; cpu < 4; cpu++) files.put(cpu < 2 ? "0-1\n" : "2-3\n", CPU "topology/core_siblings_list", cpu);
  THAT(make(files, first_cpus(4)) && build.domain_count == 2);
  THAT(!make(files, first_cpus(5))); // a CPU of which /sys knows nothing
}

/// 2 packages of 20 cores, each under one cache: more than a domain holds.
static void large_chips_are_split() {
  FakeFiles files;
  for (int cpu = 0; cpu < 40; cpu++) {
    char list[64];
    snprintf(list, sizeof list, "%d-%d\n", cpu / 20 * 20, cpu / 20 * 20 + 19);
    files.put("3\n", CPU "cache/index0/level", cpu);
    files.put(list, CPU "cache/index0/shared_cpu_list", cpu);
    files.put(list, CPU "topology/package_cpus_list", cpu);
    snprintf(list, sizeof list, "%d\n", cpu);
    files.put(list, CPU "topology/core_cpus_list", cpu);
  }
  THAT(make(files, first_cpus(40)) && build.pu_count == 40 && build.domain_count == 6);
  int units[6] = {};
  for (int pu = 0; pu < 40; pu++) units[build.domain_of_pu[pu]]++;
  for (int domain = 0; domain < 6; domain++) THAT(units[domain] == 6 || units[domain] == 7);
  THAT(distance(0, 1) == 1 && distance(0, 2) == 1 && distance(4, 5) == 1); // parts of one chip
  THAT(distance(0, 3) == 2 && distance(5, 2) == 2);
  THAT(make(files, first_cpus(8)) && build.domain_count == 1);
  THAT(make(files, first_cpus(40), DomainLevel::kSocket) && build.domain_count == 2); // who asks for it gets it
}

static void many_domains_are_folded() {
  FakeFiles files;
  for (int cpu = 0; cpu < 600; cpu++) {
    char text[16];
    snprintf(text, sizeof text, "%d\n", cpu);
    files.put(text, CPU "topology/core_cpus_list", cpu);
  }
  THAT(make(files, first_cpus(600), DomainLevel::kCore) && build.domain_count == 200 && build.pu_count == 600);
}

static void nothing_there() {
  FakeFiles files;
  for (auto level : {DomainLevel::kDefault, DomainLevel::kSocket, DomainLevel::kNuma, DomainLevel::kCore})
    THAT(!make(files, first_cpus(4), level));
}

static void lists_of_cpus() {
  CpuMask mask;
  THAT(parse_cpu_list("0\n", &mask) && mask.count() == 1 && mask.has(0));
  THAT(parse_cpu_list("0-3,8,10-11\n", &mask) && mask.count() == 7 && mask.has(8) && mask.has(11) && !mask.has(9));
  THAT(parse_cpu_list("16383", &mask) && mask.has(16383));
  for (const char* bad : {"", "\n", "-1", "3-1", "1,", "1-", "16384", "99999999999999999999", "a", "1 2", "0-99999"})
    THAT(!parse_cpu_list(bad, &mask));
}

int main() {
  lists_of_cpus();
  chips_of_a_server();
  node_distances_are_ranked();
  without_l3();
  no_caches_at_all();
  large_chips_are_split();
  many_domains_are_folded();
  nothing_there();

  unsetenv("HWLOC_SYNTHETIC");
  unsetenv("HWLOC_XMLFILE");
  topology_count_cpus();
  THAT(topology.usable_cpus >= 1 && topology.usable_cpus <= topology.allowed_cpus);
  topology_discover_domains();
  THAT(!topology.synthetic && topology.domain_count >= 1 && topology.pu_count == topology.allowed_cpus);
  return result();
}
