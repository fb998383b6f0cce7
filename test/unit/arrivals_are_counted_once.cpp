// The tree of arrivals, for domains of many shapes and regions of all sizes: in whatever order the members come, the
// last one learns that all have arrived, and nobody before it; at a region's end all but the primary count, and it
// learns that; at a reduction everything comes together in member 0's part, in an order that depends on the team alone;
// and the tree is then ready for the next barrier. Prints its seed.
// RUN: %clangxx -std=c++20 -O1 -I%root %s %root/runtime/teams/arrival.cpp -o %t && %t
#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "runtime/core/memory.h"
#include "runtime/core/team.h"
#include "runtime/teams/arrival.h"
#include "runtime/threads/wake.h"
#include "test/unit/check_that.h"

using namespace chomp;

void* chomp::memory_permanent(size_t bytes) {
  size_t rounded = (bytes + 63) / 64 * 64;
  return memset(aligned_alloc(64, rounded), 0, rounded);
}

void chomp::wake_if_asleep(Team*, int32_t) {}

namespace {

/// A team with nothing but what the tree needs.
struct MadeUpTeam {
  explicit MadeUpTeam(const std::vector<uint16_t>& domains)
      : domain_of_member(domains), domain_size(domains.size(), 0) {
    int count = 0;
    for (uint16_t domain : domains) {
      ++domain_size[domain];
      count = std::max(count, domain + 1);
    }
    team = static_cast<Team*>(memory_permanent(sizeof(Team)));
    team->capacity = static_cast<int>(domains.size());
    team->members = static_cast<Member*>(memory_permanent(domains.size() * sizeof(Member)));
    team->shape.domain_count = count;
    team->shape.domain_of_member = domain_of_member.data();
    team->shape.domain_size = domain_size.data();
    arrival_make(team);
  }

  std::vector<uint16_t> domain_of_member, domain_size;
  Team* team;
};

void arrive_in(const std::vector<int>& order, Team* team) {
  for (size_t i = 0; i < order.size(); ++i)
    THAT(arrive(team, team->members[order[i]].arrives_at, 0) == (i + 1 == order.size()));
}

/// The primary sees the last of the others, and nobody before, whether it looks each time or at the end only.
void end_in(const std::vector<int>& order, Team* team, bool looks) {
  static uint64_t epoch = 0;
  ++epoch;
  team->ends_seen = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    bool announced = arrive(team, team->members[order[i]].arrives_at, epoch), last = i + 1 == order.size();
    THAT(announced || !last);
    if (looks || last) THAT(others_have_arrived(team, epoch) == last);
  }
}

using Parts = std::vector<int>;

void append(void* mine, void* other) {
  auto& from = *static_cast<Parts*>(other);
  static_cast<Parts*>(mine)->insert(static_cast<Parts*>(mine)->end(), from.begin(), from.end());
}

/// What member 0 has when all have come in that order. Where no barrier follows, each member learns that its part is
/// not needed any more.
Parts reduced_in(const std::vector<int>& order, Team* team, bool barrier) {
  auto combined = [team](size_t tid) {
    return team->arrivals.reduced[node_that_combines(team, &team->members[tid])].reductions.load();
  };
  std::vector<Parts> parts(order.size());
  std::vector<uint32_t> before(order.size());
  for (size_t tid = 0; tid < parts.size(); ++tid) parts[tid] = {static_cast<int>(tid)}, before[tid] = combined(tid);
  for (size_t i = 0; i < order.size(); ++i) {
    auto tid = static_cast<size_t>(order[i]);
    ArrivalCount* counts = barrier ? team->arrivals.counts : team->arrivals.reduced;
    THAT(arrive_with(team, counts, &team->members[tid], &parts[tid], append) == (i + 1 == order.size()));
  }
  for (size_t tid = 0; tid < parts.size(); ++tid) THAT(combined(tid) == before[tid] + (barrier ? 0 : 1));
  return parts[0];
}

void regions_of(int size, Team* team, std::mt19937& random) {
  team->set_size(size);
  arrival_count_members(team);
  std::vector<int> all, others;
  for (int tid = 0; tid < size; ++tid) {
    all.push_back(tid);
    if (tid != 0) others.push_back(tid);
  }
  for (int round = 0; round < 4; ++round) {
    std::shuffle(all.begin(), all.end(), random);
    std::shuffle(others.begin(), others.end(), random);
    if (random() % 2 != 0)
      arrive_in(all, team);
    else
      end_in(others, team, random() % 2 != 0);
  }
  Parts reduced = reduced_in(all, team, true);
  for (int round = 0; round < 2; ++round) {
    std::shuffle(all.begin(), all.end(), random);
    THAT(reduced_in(all, team, round != 0) == reduced);
  }
  std::sort(reduced.begin(), reduced.end());
  std::sort(all.begin(), all.end());
  THAT(reduced == all);
}

} // namespace

int main() {
  uint32_t seed = std::random_device{}();
  printf("seed %u\n", seed);
  std::mt19937 random(seed);
  for (int count = 2; count <= 140; ++count) {
    // As team_cache.cpp numbers them: the first member of each domain comes after those of the domains before.
    std::vector<uint16_t> domains;
    int used = 1, most = 1 + static_cast<int>(random() % 20);
    bool mixed = random() % 2 != 0;
    for (int tid = 0; tid < count; ++tid) {
      int domain = mixed ? static_cast<int>(random() % static_cast<uint32_t>(used + 1)) : tid * most / count;
      if (tid == 0) domain = 0;
      domain = std::min({domain, used, most - 1});
      used = std::max(used, domain + 1);
      domains.push_back(static_cast<uint16_t>(domain));
    }
    MadeUpTeam made(domains);
    for (int size = 2; size <= count; size += 1 + static_cast<int>(random() % 5)) regions_of(size, made.team, random);
    regions_of(count, made.team, random);
  }
  return result();
}
