// REQUIRES: hwloc
// RUN: %clangxx -std=c++20 -I%root %s %root/runtime/base/log.cpp %root/runtime/base/os_linux.cpp %root/runtime/machine/cgroup.cpp %root/runtime/base/env.cpp %root/runtime/machine/topology.cpp %root/runtime/machine/topology_sysfs.cpp %root/runtime/machine/topology_hwloc.cpp %root/runtime/machine/sysfs_units.cpp -pthread -ldl -o %t && %t
// Machines that hwloc makes up have the domains and distances that their texts say.
#include <sched.h>

#include "runtime/base/os_linux.h"
#include "runtime/config/config.h"
#include "runtime/machine/topology.h"
#include "test/unit/capture.h"
#include "test/unit/check_that.h"

using namespace chomp;

Config chomp::config;

/// Discovers the topology for `shape` in a child and returns the exit status of `check` there (0: good).
template <class Check> static bool with(const char* shape, DomainLevel level, Check check) {
  Captured c = capture([&] {
    setenv("HWLOC_SYNTHETIC", shape, 1);
    cpu_set_t before, after;
    sched_getaffinity(0, sizeof before, &before);
    config.domain = level;
    topology_count_cpus();
    topology_discover_domains();
    sched_getaffinity(0, sizeof after, &after);
    THAT(CPU_EQUAL(&before, &after));
    THAT(!getenv("HWLOC_PLUGINS_PATH"));
    THAT(topology.allowed_cpus == CPU_COUNT(&before)); // the shape does not change the team size
    for (int pu = 1; pu < topology.pu_count; pu++) {
      int step = topology.domain_of_pu[pu] - topology.domain_of_pu[pu - 1];
      THAT(step == 0 || step == 1);
    }
    for (int i = 0; i < topology.domain_count; i++)
      for (int j = 0; j < topology.domain_count; j++)
        THAT((topology.domain_distance[i * topology.domain_count + j] == 0) == (i == j));
    check();
    return result();
  });
  if (c.text[0]) fprintf(stderr, "%s (level %d): %s", shape, static_cast<int>(level), c.text);
  return c.status == 0;
}

static int distance(int i, int j) { return topology.domain_distance[i * topology.domain_count + j]; }

int main() {
  constexpr const char* kFourSockets = "package:4 l3:1 core:8 pu:1";
  THAT(with(kFourSockets, DomainLevel::kDefault, [] {
    THAT(topology.synthetic && strcmp(topology.source, "synthetic") == 0);
    THAT(topology.pu_count == 32 && topology.domain_count == 4);
    THAT(topology.domain_of_pu[7] == 0 && topology.domain_of_pu[8] == 1 && topology.domain_of_pu[31] == 3);
    THAT(distance(0, 1) == 1 && distance(0, 3) == 1);
  }));
  THAT(with(kFourSockets, DomainLevel::kCore, [] { THAT(topology.domain_count == 32 && distance(0, 1) == 1); }));
  THAT(with(kFourSockets, DomainLevel::kCore, [] { THAT(distance(0, 7) == 1 && distance(0, 8) == 2); }));
  THAT(with(kFourSockets, DomainLevel::kSocket, [] { THAT(topology.domain_count == 4); }));
  THAT(with(kFourSockets, DomainLevel::kMachine, [] { THAT(topology.domain_count == 1 && topology.pu_count == 32); }));

  constexpr const char* kChiplets = "package:2 numa:2 l3:2 core:4 pu:2";
  THAT(with(kChiplets, DomainLevel::kDefault, [] {
    THAT(topology.pu_count == 64 && topology.domain_count == 8);
    THAT(distance(0, 1) == 1 && distance(0, 2) == 2 && distance(0, 4) == 3);
  }));
  THAT(with(kChiplets, DomainLevel::kNuma, [] { THAT(topology.domain_count == 4); }));
  THAT(with(kChiplets, DomainLevel::kCore, [] { THAT(topology.domain_count == 32); }));

  // No L3: the L2 that several cores share; an L2 of one core is no chip; no cache and no package is one domain.
  THAT(with("package:1 l2:4 core:2 pu:2", DomainLevel::kDefault, [] { THAT(topology.domain_count == 4); }));
  THAT(with("package:2 l2:4 core:1 pu:2", DomainLevel::kDefault, [] { THAT(topology.domain_count == 2); }));
  THAT(with("core:6 pu:1", DomainLevel::kDefault, [] { THAT(topology.domain_count == 1 && topology.pu_count == 6); }));
  THAT(with("pu:5", DomainLevel::kCore, [] { THAT(topology.domain_count == 5); }));
  // More cores than domains are allowed.
  THAT(with("package:2 core:300 pu:1", DomainLevel::kCore,
            [] { THAT(topology.pu_count == 600 && topology.domain_count == 200); }));
  THAT(with("package:1 core:1 pu:1", DomainLevel::kDefault, [] { THAT(topology.domain_count == 1); }));
  // Nonsense: whatever hwloc makes of it, one valid topology.
  setenv("HWLOC_HIDE_ERRORS", "2", 1);
  THAT(with("no such:4 thing", DomainLevel::kDefault, [] { THAT(topology.pu_count >= 1); }));
  return result();
}
