// What the machine looks like to a scheduler: processing units (PUs) grouped into domains (chips), and how far domains
// are from one another. CPUs are counted at the first OpenMP construct; domains are found at the first region of
// several threads, from /sys. Where /sys is silent, and for synthetic topologies, hwloc is opened with dlopen
// (RTLD_LOCAL). If both fail, there is one flat domain of the process's allowed CPUs. Nothing here changes the binding
// of a thread. HWLOC_SYNTHETIC shapes the domains only: team size and binding always come from the process's mask and
// CPU quota.
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/base/os_linux.h"

namespace chomp {

/// What counts as one domain (CHOMP_DOMAIN).
enum class DomainLevel : uint8_t { kDefault, kSocket, kL3, kNuma, kCore, kMachine };

inline constexpr int kMaxDomains = 256;

/// A number that may change while the program runs (topology_use_cpus()).
class ChangingNumber {
public:
  constexpr explicit ChangingNumber(int32_t value) : value_(value) {}
  // relaxed, all: nothing is passed on with it, and any recent value will do.
  operator int32_t() const { return value_.load(std::memory_order_relaxed); } // NOLINT(google-explicit-constructor)
  void set(int32_t value) { store_if_new(value_, value); }

private:
  atomic<int32_t> value_;
};

/// Topology::usable_cpus. The CPU quota is read when somebody asks. That takes some ten system calls, in vain where the
/// settings say that there is one thread.
class UsableCpus {
public:
  constexpr explicit UsableCpus(int count = 0) : count_(count) {}
  operator int() const { // NOLINT(google-explicit-constructor)
    // relaxed: threads that ask at once find the same.
    int count = count_.load(std::memory_order_relaxed);
    return count > 0 ? count : find();
  }
  void forget() { count_.store(0, std::memory_order_relaxed); } // relaxed: as above

private:
  int find() const;

  mutable atomic<int> count_;
};

struct Topology {
  int allowed_cpus = 1;   // CPUs in the process's affinity mask, or its share of them (rank_share.h)
  UsableCpus usable_cpus; // the same, limited by the cgroup CPU quota (rounded up, at least 1): the default team size
  ChangingNumber running_cpus{1}; // how many CPUs threads may run on, once there may be two: the same at first; fewer
                                  // if threads are bound to places that have fewer CPUs
  int pu_count = 1;               // processing units of the (possibly synthetic) topology
  int domain_count = 1;           // 1 … kMaxDomains
  bool synthetic = false;         // from HWLOC_SYNTHETIC
  const uint16_t* domain_of_pu = nullptr;   // [pu_count], PUs in logical order, so that neighbours share a domain
  const uint16_t* cpu_of_pu = nullptr;      // [pu_count], the system's CPU numbers; meaningless if synthetic
  const uint8_t* domain_distance = nullptr; // [domain_count * domain_count]; 0 on the diagonal, larger is farther
  const char* source = "flat";              // "sysfs", "hwloc", "synthetic" or "flat", for people
};

/// The topology in force. Valid after topology_discover_domains().
extern Topology topology;

/// For domains that exist: how far apart two are, and how many processing units one has.
inline int topology_distance(int from, int to) {
  if (topology.domain_distance == nullptr) return from == to ? 0 : 1;
  return topology.domain_distance[from * topology.domain_count + to];
}
int topology_units_in(int domain);

/// Counts CPUs (sched_getaffinity). Called once, under the start-up lock, before config_read().
void topology_count_cpus();

/// The CPUs that were counted as `allowed_cpus`.
const CpuMask& topology_allowed_cpus();
/// The affinity mask that the process began with.
const CpuMask& topology_process_cpus();

/// Restricts this process, number `rank` of `count`, to that share of the machine and to its part of the CPU quota.
/// Called by rank_share_take().
void topology_share(const CpuMask& share, int rank, int count);

/// Counts again: from now on the process uses the CPUs of `allowed`. Called under the start-up lock, before any team is
/// made.
void topology_restrict(const CpuMask& allowed);

/// Counts again how many CPUs the process may use: reads the CPU quota, which may have changed. `threads`: the masks of
/// the process's threads together; null: those have not changed.
int topology_count_again(const CpuMask* threads);

/// From now on the process may use so many CPUs: sets Topology::running_cpus only.
void topology_use_cpus(int usable);

/// Called when all threads are bound, to places that have that many CPUs together.
void topology_limit_running(int cpus);

/// Fills the domains for config.domain, and sets Topology::running_cpus. Called once, under the start-up lock, after
/// config_read().
void topology_discover_domains();

} // namespace chomp
