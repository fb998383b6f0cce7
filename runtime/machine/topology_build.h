// What the two sources of a topology (topology_sysfs.cpp, topology_hwloc.cpp) fill in for topology.cpp. Private to
// those three files.
#pragma once

#include <cstdint>

#include "runtime/base/os_linux.h"
#include "runtime/machine/topology.h"

namespace chomp {

/// A topology under construction. It lives in pages of its own that are committed as they are touched, and whose first
/// part stays in use for ever as the arrays that `topology` points to.
/// Invariant after a source returned true: 1 <= pu_count <= kMaxCpus; domain_of_pu is in logical order with ids
/// 0 … domain_count-1, each starting where the one before ended.
struct TopologyBuild {
  uint16_t domain_of_pu[kMaxCpus];
  uint16_t cpu_of_pu[kMaxCpus]; // what the operating system calls the PU
  uint8_t distance[kMaxDomains * kMaxDomains];
  // --- below: only while building ---
  int pu_count;
  int domain_count; // may exceed kMaxDomains until finish_domains()
  bool synthetic;
  bool bounded;                             // domains larger than kMostUnitsOfDomain become several
  uint16_t chip_of_domain[kMaxDomains];     // domains with the same number are parts of one chip
  uint16_t first_pu_of_domain[kMaxDomains]; // filled by topology.cpp, before the sources are asked for distances
  uint32_t far[kMaxDomains * kMaxDomains];  // how far, in any unit: topology.cpp ranks the values
};

/// From /sys (below `root`, which is "/sys" except in tests), for the allowed CPUs. Returns false when /sys does not
/// say enough.
bool topology_from_sysfs(const char* root, const CpuMask& allowed, DomainLevel level, TopologyBuild* build);
/// Fills build->far[i * kMaxDomains + j] for folded domains.
void distances_from_sysfs(const char* root, TopologyBuild* build);

/// From hwloc. Returns false when hwloc is not there or failed. Calls `folded` when the domains are known, then fills
/// build->far, then closes hwloc.
bool topology_from_hwloc(const CpuMask& allowed, DomainLevel level, TopologyBuild* build,
                         void (*folded)(TopologyBuild*));

/// Finds the domains, splits and folds them, reads their distances and ranks them: everything but publishing. Declared
/// here for the tests. `bounded`: large domains are split.
bool build_from_sysfs(const char* root, const CpuMask& allowed, DomainLevel level, bool bounded, TopologyBuild* build);

} // namespace chomp
