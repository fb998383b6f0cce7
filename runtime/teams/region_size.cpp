// See region_size.h. Each thread that forks such regions has a table of its call sites, which stays with its record.
#include "runtime/teams/region_size.h"

#include <new>

#include "runtime/base/os_linux.h"
#include "runtime/core/memory.h"
#include "runtime/core/worker.h"
#include "runtime/teams/learned_size.h"
#include "runtime/threads/thread_budget.h"

namespace chomp {

struct alignas(kCacheLine) RegionSite {
  const void* site = nullptr;
  int32_t wanted = 0;
  LearnedSize learned;
};

/// What region_size_choose() leaves to region_size_keep().
struct ChosenSize {
  RegionSite* timed = nullptr; // null: the region is not timed
  uint64_t began = 0;
  int32_t size = 0;
  int32_t budget_share = 0;
};

struct RegionSites {
  static constexpr uintptr_t kSites = 64, kProbes = 4;
  RegionSite sites[kSites];
  ChosenSize chosen;

  /// A program with more call sites learns slowly, or not at all: a new one takes the room of another.
  RegionSite& find(const void* site, int wanted) {
    auto number = reinterpret_cast<uintptr_t>(site);
    uintptr_t home = (number >> 4) + (number >> 10) + static_cast<uintptr_t>(wanted);
    for (uintptr_t probe = 0; probe < kProbes; ++probe) {
      RegionSite& each = sites[(home + probe) % kSites];
      if (each.site == site && each.wanted == wanted) return each;
      if (each.site == nullptr) return each = RegionSite{site, wanted, {}};
    }
    return sites[home % kSites] = RegionSite{site, wanted, {}};
  }
};

CHOMP_SLOW static RegionSites* make_sites(Worker* worker) {
  return worker->teams.region_sites = new (memory_permanent(sizeof(RegionSites))) RegionSites;
}

int region_size_choose(Worker* worker, const void* site, int wanted, bool* is_adjusted) {
  if (int most = budget_threads(); wanted > most) wanted = most;
  if (wanted == 1) return 1;
  RegionSites* sites = worker->teams.region_sites;
  if (CHOMP_UNLIKELY(sites == nullptr)) sites = make_sites(worker);
  RegionSite& here = sites->find(site, wanted);
  int size = here.learned.size(wanted);
  bool is_timed = here.learned.is_timed();
  if (size == 1 && !is_timed) return 1;
  ChosenSize& chosen = sites->chosen;
  chosen = ChosenSize{&here, cycle_counter(), size, 0};
  budget_look_again(worker, chosen.began);
  if (size > 1) chosen.size = budget_take(worker->member->team, size, &chosen.budget_share);
  if (!is_timed || chosen.size != size) chosen.timed = nullptr; // the time with fewer threads would say nothing
  *is_adjusted = chosen.timed != nullptr || chosen.budget_share != 0;
  return chosen.size;
}

void region_size_keep(Worker* worker, Team* team, int size) {
  const ChosenSize& chosen = worker->teams.region_sites->chosen;
  team->is_adjusted = true;
  team->budget_share = budget_keep(chosen.budget_share, chosen.size - size);
  team->timed_site = size == chosen.size ? chosen.timed : nullptr;
  team->timed_since = chosen.began;
}

void region_size_end(Team* team) {
  team->is_adjusted = false;
  budget_give_back(team->budget_share);
  team->budget_share = 0;
  if (RegionSite* site = team->timed_site) site->learned.took(cycle_counter() - team->timed_since, site->wanted);
}

} // namespace chomp
