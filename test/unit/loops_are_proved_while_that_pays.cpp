// Waits for the proof that units of a dynamic loop do not wait for later ones: a member waits for another one's unit
// where that pays, not where it does not; when it has waited in vain it says so in the front, and takes the next unit,
// and so does a member that takes for its chip. Whether it pays is decided by all members if each is alone on its chip,
// and by what units took in earlier executions. Where waits brought nothing time and again, members seldom wait.
// RUN: %clangxx -std=c++20 -O1 -I%root %s %root/runtime/loops/loop_front.cpp -o %t && %t
#include "runtime/base/os_linux.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/loops/loop_front.h"
#include "runtime/tasks/cancel.h"
#include "test/unit/check_that.h"

using namespace chomp;

constinit atomic<const LightWaits*> chomp::light_waits{nullptr};
bool chomp::cancel_requested(const Worker*, CancelKind) { return false; }
void chomp::cpu_yield() {}

namespace {

template <typename T> T* zeroed(size_t count = 1) {
  size_t bytes = (count * sizeof(T) + 63) / 64 * 64;
  return static_cast<T*>(memset(aligned_alloc(64, bytes), 0, bytes));
}

constexpr int kMembers = 6;
constexpr uint32_t kUnits = 2000;

/// A team of which two members meet in a loop. The first has a unit, and does not end it.
struct MadeUpTeam {
  MadeUpTeam(int chips, uint32_t cost, uint32_t in_vain = 0, uint64_t number = 0, uint32_t units = kUnits)
      : team(zeroed<Team>()), workers(zeroed<Worker>(kMembers)) {
    team->members = zeroed<Member>(kMembers);
    team->domain_lines = zeroed<DomainLine>(kMembers);
    team->set_size(kMembers);
    team->capacity = kMembers;
    team->domains_in_use = chips;
    team->shape.domain_of_member = domains;
    for (int chip = 0; chip < chips; ++chip) team->domain_lines[chip].first_member = chip * kMembers / chips;
    uint32_t tag;
    atomic<uint64_t>& memory = team->worksharing.loop_memories.find(this, &tag);
    memory.store(LoopMemory{.tag = tag, .cost = cost, .in_vain = in_vain}.pack());
    for (int tid = 0; tid < kMembers; ++tid) {
      Member* member = &team->members[tid];
      member->team = team;
      member->tid = tid;
      domains[tid] = static_cast<uint16_t>(tid * chips / kMembers);
      member->domain = domains[tid];
      workers[tid].member = member;
      MemberLoop& loop = member->worksharing.loop;
      loop.shared = &team->worksharing.loops[0];
      loop.number = number;
      loop.range.site = this;
      loop.range.last = units - 1;
      loop.schedule.kind = LoopKind::kDynamic;
      loop.schedule.any_order = true;
      loop.schedule.chunk = 1;
      front_enter(member);
    }
  }

  uint64_t take(int tid) {
    IndexBlock<uint64_t> taken;
    THAT(front_take(&workers[tid], &taken));
    return taken.first;
  }
  LoopMemory memory() const {
    uint32_t tag;
    return LoopMemory::unpack(team->worksharing.loop_memories.find(this, &tag).load());
  }
  uint32_t waits_end_at() const { return LoopFront::from(team->worksharing.loops[0].taken.load()); }

  Team* team;
  Worker* workers;
  uint16_t domains[kMembers] = {};
};

constexpr uint32_t kShortUnit = 20, kLongUnit = policy::kTransferCycles * (kMembers + 2);

void on_one_chip() {
  MadeUpTeam pays(1, kShortUnit);
  THAT(pays.take(0) == 0);
  THAT(pays.waits_end_at() == 0);
  THAT(pays.take(1) == 1);
  uint32_t end = pays.waits_end_at();
  THAT(end > 2);
  THAT(pays.take(2) == 2);
  THAT(pays.waits_end_at() == end); // it has not waited, so it says nothing

  MadeUpTeam does_not(1, kLongUnit);
  THAT(does_not.take(0) == 0);
  THAT(does_not.take(1) == 1);
  THAT(does_not.waits_end_at() == 0);
}

void alone_on_chips() {
  MadeUpTeam pays(kMembers, 2 * policy::kTransferCycles);
  THAT(pays.take(0) == 0);
  THAT(pays.take(1) == 1);
  THAT(pays.waits_end_at() > 2);

  MadeUpTeam does_not(kMembers, kLongUnit);
  THAT(does_not.take(0) == 0);
  THAT(does_not.take(1) == 1);
  THAT(does_not.waits_end_at() == 0);
}

void long_units_first() {
  MadeUpTeam pays(1, kShortUnit);
  THAT(pays.take(0) == 0);
  pays.team->members[1].worksharing.loop.front.memory.cost = kLongUnit;
  THAT(pays.take(1) == 1);
  THAT(pays.waits_end_at() > 2);
}

void in_vain_time_and_again() {
  for (uint32_t number : {0, 1}) {
    MadeUpTeam team(1, kShortUnit, LoopMemory::kMostInVain, number);
    THAT(team.take(0) == 0);
    THAT(team.take(1) == 1);
    THAT((team.waits_end_at() > 2) == (number == 0));
  }
}

void the_last_unit_tells() {
  MadeUpTeam team(1, kShortUnit);
  bool in_turn = true;
  for (uint32_t unit = 0; unit < kUnits; ++unit)
    in_turn = team.take(static_cast<int>(unit % kMembers)) == unit && in_turn;
  THAT(in_turn);
  THAT(team.memory().proved == 0);
  THAT(team.memory().in_vain == 1);
  THAT(team.memory().cost != kShortUnit);
}

void a_proof_counts() {
  MadeUpTeam team(1, kShortUnit, LoopMemory::kMostInVain);
  THAT(team.take(0) == 0);
  for (uint32_t unit = 1; unit < kUnits / 4; ++unit) team.take(0);
  team.take(1);
  team.take(0);
  THAT(team.memory().proved >= kUnits / 4 - 1);
  THAT(team.memory().in_vain == 0);
}

// The last unit begins before the one before it has ended.
void the_last_unit_is_a_later_one() {
  MadeUpTeam team(1, kShortUnit, 0, 0, 3);
  THAT(team.take(0) == 0);
  THAT(team.take(0) == 1);
  THAT(team.take(1) == 2);
  IndexBlock<uint64_t> taken;
  THAT(!front_take(&team.workers[0], &taken));
  THAT(team.memory().proved == 1);
}

void by_chips() {
  MadeUpTeam two(2, kShortUnit);
  THAT(two.take(0) == 0); // the first unit waits for none
  THAT(two.waits_end_at() == 0);
  THAT(two.take(kMembers - 1) == 1);
  THAT(two.team->members[kMembers - 1].worksharing.loop.front.in_vain);
  THAT(two.waits_end_at() > 1);
}

} // namespace

int main() {
  on_one_chip();
  alone_on_chips();
  long_units_first();
  in_vain_time_and_again();
  the_last_unit_tells();
  a_proof_counts();
  the_last_unit_is_a_later_one();
  by_chips();
  return result();
}
