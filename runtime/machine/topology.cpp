// Chooses the source of the topology, splits domains that are too large, folds them if there are too many, ranks
// distances and publishes the result. The sources are topology_sysfs.cpp and topology_hwloc.cpp. Called under the
// start-up lock. Afterwards only one field of `topology` changes: how many CPUs threads may run on.
#include "runtime/machine/topology.h"

#include <algorithm>
#include <sys/auxv.h>

#include "runtime/base/cacheline.h"
#include "runtime/machine/cgroup.h"
#include "runtime/base/env.h"
#include "runtime/base/log.h"
#include "runtime/base/os_linux.h"
#include "runtime/base/policy.h"
#include "runtime/config/config.h"
#include "runtime/machine/topology_build.h"

namespace chomp {

constinit Topology topology;

namespace {

constexpr int kMaxRank = 255;

// The flat topology: one domain, 0, at distance 0. It needs no allocation, and pages that nobody touches cost nothing.
CHOMP_LARGE constinit uint16_t flat_domain_of_pu[kMaxCpus] = {};
CHOMP_LARGE constinit uint16_t flat_cpu_of_pu[kMaxCpus] = {};
constinit uint8_t flat_distance[1] = {0};

constinit CpuMask allowed_cpus = {};
constinit CpuMask process_cpus = {};

// Which part of the quota this process has.
constinit int share_number = 0, share_count = 1;

void use_flat() {
  topology.pu_count = 0;
  for (int cpu = 0; cpu < kMaxCpus && topology.pu_count < topology.allowed_cpus; cpu++)
    if (allowed_cpus.has(cpu)) flat_cpu_of_pu[topology.pu_count++] = static_cast<uint16_t>(cpu);
  topology.domain_count = 1;
  topology.synthetic = false;
  topology.domain_of_pu = flat_domain_of_pu;
  topology.cpu_of_pu = flat_cpu_of_pu;
  topology.domain_distance = flat_distance;
  topology.source = "flat";
}

using policy::kMostUnitsOfDomain;

/// Splits large domains into parts of nearly equal size, and notes the chip of each part.
void split_domains(TopologyBuild* build) {
  int domains = 0;
  for (int first = 0, units; first < build->pu_count; first += units) {
    int chip = build->domain_of_pu[first];
    units = 1;
    while (first + units < build->pu_count && build->domain_of_pu[first + units] == chip) ++units;
    int parts = build->bounded ? (units + kMostUnitsOfDomain - 1) / kMostUnitsOfDomain : 1;
    for (int unit = 0; unit < units; ++unit)
      build->domain_of_pu[first + unit] = static_cast<uint16_t>(domains + unit * parts / units);
    for (int part = 0; part < parts && domains + part < kMaxDomains; ++part)
      build->chip_of_domain[domains + part] = static_cast<uint16_t>(chip);
    domains += parts;
  }
  build->domain_count = domains;
}

/// Joins neighbours until there are at most kMaxDomains domains.
void fold_domains(TopologyBuild* build) {
  int together = (build->domain_count + kMaxDomains - 1) / kMaxDomains;
  if (together <= 1) return;
  build->domain_count = (build->domain_count + together - 1) / together;
  for (int pu = 0; pu < build->pu_count; pu++)
    build->domain_of_pu[pu] = static_cast<uint16_t>(build->domain_of_pu[pu] / together);
  for (int domain = 0; domain < build->domain_count; domain++)
    build->chip_of_domain[domain] =
        static_cast<uint16_t>(domain); // with so many chips no chip has several parts any more
}

/// The domains that the machine's chips become, and the first PU of each.
void finish_domains(TopologyBuild* build) {
  split_domains(build);
  fold_domains(build);
  for (int pu = build->pu_count - 1; pu >= 0; pu--)
    build->first_pu_of_domain[build->domain_of_pu[pu]] = static_cast<uint16_t>(pu);
}

/// Turns distances of any unit into small ones: 0 on the diagonal, elsewhere 1 + the number of smaller values that
/// occur. Thieves need only the order. Nothing is sorted: there are few distinct values (levels of a machine), so each
/// pass finds the next larger one.
void rank_distances(TopologyBuild* build) {
  int count = build->domain_count;
  // Another part of the same chip is nearer than anything else.
  for (int i = 0; i < count; i++)
    for (int j = 0; j < count; j++) {
      uint32_t& far = build->far[i * kMaxDomains + j];
      far = build->chip_of_domain[i] == build->chip_of_domain[j] ? 0 : far + 1;
    }
  uint64_t ranked_below = 0; // values below this one have their rank
  for (int rank = 1;; rank++) {
    uint64_t next = UINT64_MAX;
    for (int i = 0; i < count; i++)
      for (int j = 0; j < count; j++) {
        uint64_t value = build->far[i * kMaxDomains + j];
        if (i != j && value >= ranked_below && value < next) next = value;
      }
    if (next == UINT64_MAX) return;
    for (int i = 0; i < count; i++)
      for (int j = 0; j < count; j++) {
        uint64_t value = build->far[i * kMaxDomains + j];
        bool here = rank == kMaxRank ? value >= next : value == next;
        if (i != j && here) build->distance[i * count + j] = static_cast<uint8_t>(rank);
      }
    if (rank == kMaxRank) return;
    ranked_below = next + 1;
  }
}

bool build_from_hwloc(const CpuMask& allowed, DomainLevel level, bool bounded, TopologyBuild* build) {
  build->bounded = bounded;
  if (!topology_from_hwloc(allowed, level, build, finish_domains)) return false;
  rank_distances(build);
  return true;
}

void publish(const TopologyBuild* build, const char* source) {
  topology.pu_count = build->pu_count;
  topology.domain_count = build->domain_count;
  topology.synthetic = build->synthetic;
  topology.domain_of_pu = build->domain_of_pu;
  topology.cpu_of_pu = build->cpu_of_pu;
  topology.domain_distance = build->distance;
  topology.source = source;
}

constinit int bound_cpus = kMaxCpus; // of the places that threads are bound to

/// How many of `allowed` CPUs the quota lets this process use.
int within_quota(int allowed) {
  int64_t quota = allowed > 1 ? cgroup_cpu_quota() : 0;
  if (quota <= 0) return allowed;
  quota = quota * (share_number + 1) / share_count - quota * share_number / share_count;
  if (quota == 0) quota = 1;
  return quota < allowed ? static_cast<int>(quota) : allowed;
}

} // namespace

int UsableCpus::find() const {
  int count = within_quota(topology.allowed_cpus);
  count_.store(count, std::memory_order_relaxed); // relaxed: threads that ask at once find the same
  return count;
}

bool build_from_sysfs(const char* root, const CpuMask& allowed, DomainLevel level, bool bounded, TopologyBuild* build) {
  if (!topology_from_sysfs(root, allowed, level, build)) return false;
  build->synthetic = false;
  build->bounded = bounded;
  finish_domains(build);
  if (build->domain_count > 1) {
    distances_from_sysfs(root, build);
    rank_distances(build);
  }
  return true;
}

void topology_count_cpus() {
  if (read_affinity(&allowed_cpus)) {
    topology.allowed_cpus = allowed_cpus.count();
  } else {
    // The mask is unknown: assume that this process may use the CPUs 0 … n-1.
    topology.allowed_cpus = online_cpus();
    for (int cpu = 0; cpu < topology.allowed_cpus; cpu++) allowed_cpus.set(cpu);
  }
  process_cpus = allowed_cpus;
}

const CpuMask& topology_allowed_cpus() { return allowed_cpus; }

const CpuMask& topology_process_cpus() { return process_cpus; }

void topology_share(const CpuMask& share, int rank, int count) {
  share_number = rank;
  share_count = count;
  topology_restrict(share);
}

int topology_units_in(int domain) {
  int units = 0;
  for (int pu = 0; pu < topology.pu_count; ++pu) units += topology.domain_of_pu[pu] == domain;
  return units;
}

void topology_restrict(const CpuMask& allowed) {
  allowed_cpus = allowed;
  topology.allowed_cpus = allowed.count();
  topology.usable_cpus.forget();
}

int topology_count_again(const CpuMask* threads) {
  int allowed = topology.allowed_cpus;
  if (threads != nullptr) {
    CpuMask own = *threads;
    if (share_count > 1)
      for (size_t word = 0; word < sizeof own.words / sizeof *own.words; ++word)
        own.words[word] &= allowed_cpus.words[word];
    if (int count = own.count(); count > 0) allowed = count;
  }
  return within_quota(allowed);
}

void topology_use_cpus(int usable) { topology.running_cpus.set(std::min(usable, bound_cpus)); }

void topology_limit_running(int cpus) { bound_cpus = cpus; }

void topology_discover_domains() {
  use_flat();
  topology_use_cpus(topology.usable_cpus);
  // A set-uid program must not open what an environment variable names, and hwloc reads several such variables.
  bool shaped = !getauxval(AT_SECURE) && (environment_value("HWLOC_SYNTHETIC") || environment_value("HWLOC_XMLFILE"));
  if (!shaped && (topology.allowed_cpus == 1 || config.domain == DomainLevel::kMachine)) return;

  bool bounded = config.domain == DomainLevel::kDefault; // a level that the user names is not split
  // The build lives for ever if it is used: `topology` points into it.
  auto build = static_cast<TopologyBuild*>(map_pages(sizeof(TopologyBuild)));
  if (!build) return;
  // Of this machine hwloc knows no more than /sys. To open it takes the loader's lock, which may be held by a thread
  // that waits for this one; where a container has no /sys, it complains in each process.
  if (shaped && build_from_hwloc(allowed_cpus, config.domain, bounded, build))
    publish(build, build->synthetic ? "synthetic" : "hwloc");
  else if (!shaped && build_from_sysfs("/sys", allowed_cpus, config.domain, bounded, build))
    publish(build, "sysfs");
  else
    unmap_pages(build, sizeof *build);
  if (const char* made_up = environment_value("HWLOC_SYNTHETIC"); shaped && made_up && !topology.synthetic)
    warn(0,
         "HWLOC_SYNTHETIC=\"%.200s\" has no effect: hwloc is not installed, or does not take it as a machine, as it "
         "takes \"package:2 core:4 pu:1\".",
         made_up);
}

} // namespace chomp
