// Prints what chomp derives from the /sys and /proc below a folder: `ours FOLDER CPUS`, where CPUS ("0-3,8") stands for
// the process's affinity mask. Compiled by machines.py from the runtime's own sources; theirs.cpp prints the same lines
// for hwloc. One line per property, its name first; units are written "0-3|4-7", in chomp's order.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime/machine/cgroup.h"
#include "runtime/config/config.h"
#include "runtime/machine/hardware.h"
#include "runtime/machine/sysfs_units.h"
#include "runtime/machine/topology_build.h"
#include "runtime/config/places.h"

using namespace chomp;

Config chomp::config;

static TopologyBuild build;
static Hardware machine;
static PlaceList list;

static void print_mask(const CpuMask& mask) {
  const char* comma = "";
  for (int cpu = 0; cpu < kMaxCpus; cpu++) {
    if (!mask.has(cpu)) continue;
    int last = cpu;
    while (last + 1 < kMaxCpus && mask.has(last + 1)) last++;
    if (last == cpu) printf("%s%d", comma, cpu);
    if (last > cpu) printf("%s%d-%d", comma, cpu, last);
    comma = ",";
    cpu = last;
  }
}

static void print_places(const char* name, HwLevel level) {
  printf("%s ", name);
  if (!machine.knows(level)) {
    puts("-");
    return;
  }
  list.clear();
  if (!places_of_level(machine, level, 0, 1, &list)) abort();
  for (int place = 0; place < list.count(); place++) {
    if (place > 0) putchar('|');
    print_mask(list.mask(place));
  }
  putchar('\n');
}

static void print_domains(const char* root, const CpuMask& mask, const char* name, DomainLevel level) {
  printf("domains.%s ", name);
  memset(&build, 0, sizeof build);
  if (!build_from_sysfs(root, mask, level, /*bounded=*/false, &build)) {
    puts("-");
    return;
  }
  int pu = 0;
  for (int domain = 0; domain < build.domain_count; domain++) {
    CpuMask members = {};
    for (; pu < build.pu_count && build.domain_of_pu[pu] == domain; pu++) members.set(build.cpu_of_pu[pu]);
    if (domain > 0) putchar('|');
    print_mask(members);
  }
  if (pu != build.pu_count) abort();
  printf("\ndistances.%s", name);
  for (int i = 0; i < build.domain_count * build.domain_count; i++)
    printf("%s%d", i % build.domain_count ? "," : i > 0 ? "|" : " ", build.distance[i]);
  putchar('\n');
}

int main(int count, char** arguments) {
  if (count != 3) return 2;
  char root[512], groups[512], mount[512], text[kSysfsBytes];
  snprintf(root, sizeof root, "%s/sys", arguments[1]);
  snprintf(groups, sizeof groups, "%s/proc/self/cgroup", arguments[1]);
  snprintf(mount, sizeof mount, "%s/sys/fs/cgroup", arguments[1]);
  CpuMask mask, online, group;
  if (!parse_cpu_list(arguments[2], &mask)) return 2;

  printf("online ");
  if (online_cpus_from_sysfs(root, &online)) print_mask(online);
  printf("\ngroup ");
  if (cgroup_cpus(text, sizeof text, groups, mount) && parse_cpu_list(text, &group)) print_mask(group);
  printf("\nquota %d\n", cgroup_cpu_quota(groups, mount));

  print_domains(root, mask, "default", DomainLevel::kDefault);
  print_domains(root, mask, "socket", DomainLevel::kSocket);
  print_domains(root, mask, "numa", DomainLevel::kNuma);
  print_domains(root, mask, "core", DomainLevel::kCore);

  if (!hardware_from_sysfs(root, mask, (1 << kHwLevels) - 1, &machine)) return 1;
  print_places("threads", HwLevel::kThread);
  print_places("cores", HwLevel::kCore);
  print_places("l1_caches", HwLevel::kL1);
  print_places("l2_caches", HwLevel::kL2);
  print_places("l3_caches", HwLevel::kL3);
  print_places("ll_caches", HwLevel::kLastCache);
  print_places("numa_domains", HwLevel::kNuma);
  print_places("dice", HwLevel::kDie);
  print_places("sockets", HwLevel::kSocket);
  return 0;
}
