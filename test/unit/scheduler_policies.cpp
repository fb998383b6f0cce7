// What each scheduler's paper says that it does, asked of its table by one thread: which member gets which task, how
// many are stolen from where, what happens when a queue is full, when a member may not run what it finds, and when it
// never looks.
// RUN: %clangxx -std=c++20 -I%root %s %root/schedulers/*.cpp %root/runtime/base/os_linux.cpp %root/runtime/base/log.cpp -pthread -o %t && %t
#include <unistd.h>

#include <initializer_list>
#include <vector>

#include "runtime/machine/topology.h"
#include "runtime/base/policy.h"
#include "schedulers/scheduler.h"
#include "test/unit/check_that.h"

using namespace chomp;

Topology chomp::topology;

namespace {

struct alignas(64) Item : QueueHook { // as tasks are
  int number = 0;
  uint32_t depth = 1;
};

bool anything(void*, QueueHook*) { return true; }
bool nothing(void*, QueueHook*) { return false; }
uint32_t depth_of(const QueueHook* task) { return static_cast<const Item*>(task)->depth; }

size_t bytes_used = 0;
void* permanent(size_t bytes) {
  size_t lines = (bytes + 63) / 64;
  bytes_used += 64 * lines;
  return memset(aligned_alloc(64, 64 * lines), 0, 64 * lines);
}

/// A team under a scheduler, whose members this thread plays.
class Bench {
public:
  Bench(const char* name, const std::vector<uint16_t>& domains, StealAmount steal = StealAmount::kIdle)
      : scheduler(*scheduler_find(name)), domain_of_member(domains), domain_size(domains.size(), 0) {
    shape.size = static_cast<int>(domain_of_member.size());
    for (uint16_t domain : domain_of_member) ++domain_size[domain];
    shape.domain_count = 0;
    while (shape.domain_count < shape.size && domain_size[shape.domain_count] > 0) ++shape.domain_count;
    shape.domain_of_member = domain_of_member.data();
    shape.domain_size = domain_size.data();
    bytes_used = 0;
    state = scheduler.make(shape, SchedulerSettings{steal}, permanent);
  }
  Bench(const Bench&) = delete;

  Item* make(uint32_t depth = 1) {
    items.push_back(new Item);
    items.back()->number = static_cast<int>(items.size()) - 1;
    items.back()->depth = depth;
    items.back()->next = items.back()->prev = nullptr;
    return items.back();
  }
  void publish(int member, uint32_t depth = 1) {
    Item* task = make(depth);
    scheduler.publish(state, member, TaskBatch{task, task, 1});
  }
  void set_requesting(int member, bool requesting) {
    scheduler.set_request(state, member, requesting ? StealRequest::kRequesting : StealRequest::kNone);
  }
  uint32_t request_word(int member) const {
    return *state->request_word(domain_of_member[static_cast<size_t>(member)]);
  }
  unsigned wanted(int member) const { return scheduler.wanted(state, member); }
  bool has_tasks() const { return scheduler.has_tasks(state); }
  int deal(int member) { return scheduler.deal(state, member, shape.size, make(), counts); }
  /// The number of the task that the member gets, or -1.
  int acquire(int member, uint32_t waiter_depth = 0, bool (*may_run)(void*, QueueHook*) = anything) {
    Eligible eligible{may_run, depth_of, nullptr, waiter_depth, refused, only_descendants, only_descendants, others};
    last = scheduler.acquire(state, member, eligible, counts);
    return last.task == nullptr ? -1 : static_cast<Item*>(last.task)->number;
  }

  const Scheduler& scheduler;
  std::vector<uint16_t> domain_of_member, domain_size;
  TeamShape shape;
  SchedulerState* state;
  std::vector<Item*> items;
  SchedulerCounts counts;
  RefusedLists* refused = nullptr; // of a member that waits in a task
  bool only_descendants = false;   // that task is tied, and the member will look again
  OtherDomains others = OtherDomains::kAsks;
  Acquired last;
};

void amounts_of_a_steal() {
  struct Case {
    const char* name;
    StealAmount amount;
    unsigned stolen;
  };
  for (Case each : {Case{"mts", StealAmount::kOne, 1},
                    {"mts", StealAmount::kHalfIdle, 2},
                    {"mts", StealAmount::kIdle, 3},
                    {"mts", StealAmount::kHalfQueue, 5},
                    {"hierarchical", StealAmount::kOne, 1},
                    {"hierarchical", StealAmount::kHalfIdle, 2},
                    {"hierarchical", StealAmount::kIdle, 3},
                    {"hierarchical", StealAmount::kHalfQueue, 5},
                    {"sherwood", StealAmount::kOne, 5}}) {
    Bench bench(each.name, {0, 0, 1, 1, 1}, each.amount);
    for (int member : {2, 3, 4}) bench.set_requesting(member, true);
    for (int i = 0; i < 10; ++i) bench.publish(0);
    int got = bench.acquire(2);
    THAT(bench.counts.stolen_operations.value() == 1 && bench.counts.stolen_tasks.value() == each.stolen);
    THAT(got == static_cast<int>(each.stolen) - 1); // the oldest went over in order; the newest of them is on top
    THAT(bench.last.handed_on == (each.stolen > 1));
    bool one_list = strcmp(each.name, "hierarchical") != 0; // else another of the domain takes the oldest
    for (int number = 0; number < got; ++number) THAT(bench.acquire(3) == (one_list ? got - 1 - number : number));
    THAT(bench.counts.acquired_local.value() == each.stolen - 1 && bench.counts.stolen_operations.value() == 1);
    THAT(bench.acquire(0) == 9); // at home: the newest
  }
  for (const char* name : {"hierarchical", "mts"}) {
    Bench few(name, {0, 1, 1, 1});
    for (int member : {1, 2, 3}) few.set_requesting(member, true);
    for (int i = 0; i < 4; ++i) few.publish(0);
    few.acquire(1);
    THAT(few.counts.stolen_tasks.value() == 2); // at most half
  }
}

void each_member_has_some_on_offer() {
  Bench bench("hierarchical", {0, 0, 0, 1, 1});
  THAT(bench.wanted(0) == 2); // the owner asks only while somebody is requesting
  for (int member : {1, 2}) bench.set_requesting(member, true);
  THAT(bench.wanted(0) == 4);
  bench.set_requesting(3, true);
  THAT(bench.acquire(3) == -1 && bench.wanted(0) == 7); // and some for the other domain
  for (int i = 0; i < 3; ++i) bench.publish(0);
  THAT(bench.wanted(0) == 0 && bench.wanted(1) == 7);
  THAT(bench.acquire(1) == 0 && bench.acquire(0) == 2); // others take the oldest, the owner the newest
  THAT(bench.last.emptied_owner == -1);
  THAT(bench.acquire(2) == 1 && bench.last.emptied_owner == 0); // the owner is to offer more
  THAT(bench.acquire(2) == -1 && bench.last.emptied_owner == -1 && bench.counts.stolen_operations.value() == 0);
}

// However many members a domain has, an idle one looks at 64 lists at most: members 0 and 64 share one.
void a_crowd_shares_lists() {
  Bench bench("hierarchical", std::vector<uint16_t>(10'000, 0));
  THAT(bytes_used < 10'000 * sizeof(uint16_t) + 65 * 320 + 1024);
  bench.set_requesting(1, true);
  bench.publish(0);
  bench.publish(9'999);
  THAT(bench.wanted(64) == 0 && bench.wanted(1) > 0);
  THAT(bench.has_tasks());
  THAT(bench.acquire(128) == 0 && bench.acquire(5) == 1 && bench.acquire(5) == -1);
  THAT(!bench.has_tasks());
}

void a_thief_that_refuses_some_leaves_them() {
  RefusedLists refused;
  refused.wait = 1;
  for (const char* name : {"hierarchical", "mts"}) {
    Bench bench(name, {0, 1, 1});
    for (int i = 0; i < 4; ++i) bench.publish(0);
    bench.refused = &refused;
    THAT(bench.acquire(1, 0, nothing) == -1);
    bench.refused = nullptr;
    bool brings = strcmp(name, "mts") == 0;
    THAT(bench.counts.stolen_tasks.value() == (brings ? 1 : 0) && bench.last.handed_on == brings);
    THAT(bench.acquire(2) == 0); // nor does it keep others from a look
  }
}

void requests_go_to_other_domains(const char* name) {
  Bench bench(name, {0, 1});
  bench.set_requesting(1, true);
  THAT(bench.request_word(0) == 0);
  THAT(bench.acquire(1) == -1);
  THAT(bench.wanted(0) == 2 && bench.request_word(0) != 0);
  bench.set_requesting(1, false);
  THAT(bench.request_word(0) == 0);
  THAT(bench.counts.failed_steals.value() == 0); // nobody was seen to have any
}

// While a domain goes on alone it withdraws what it has asked, takes nothing from others, and stays quiet.
void a_domain_goes_on_alone(const char* name) {
  Bench bench(name, {0, 1, 1});
  bench.set_requesting(1, true);
  bench.others = OtherDomains::kLooks;
  THAT(bench.acquire(2) == -1 && bench.request_word(0) == 0);
  usleep(100); // a thief that found nothing pauses
  bench.others = OtherDomains::kAsks;
  THAT(bench.acquire(2) == -1 && (bench.request_word(0) & kRequestedElsewhere) != 0);
  bench.others = OtherDomains::kStays;
  THAT(bench.acquire(2) == -1 && bench.request_word(0) == 0 && bench.request_word(1) == 1);
  bench.publish(0);
  usleep(100);
  THAT(bench.acquire(2) == -1 && bench.counts.stolen_operations.value() == 0);
  bench.others = OtherDomains::kLooks;
  THAT(bench.acquire(2) == 0 && bench.last.from_elsewhere == 1);
  usleep(100);
  bench.others = OtherDomains::kAsks;
  THAT(bench.acquire(2) == -1 && bench.request_word(0) != 0); // it may ask again
  bench.set_requesting(1, false);
  THAT(bench.request_word(0) == 0);
}

// A member that is present gets tasks directly, and then counts as requesting no more. What has come to one that does
// not look is for all.
void a_present_member_is_handed_tasks() {
  Bench bench("hierarchical", {0, 0, 0});
  auto begin = [&](int member) {
    bench.set_requesting(member, true);
    bench.scheduler.set_request(bench.state, member, StealRequest::kPresent);
  };
  auto publish = [&](int member) {
    Item* task = bench.make();
    return bench.scheduler.publish(bench.state, member, TaskBatch{task, task, 1});
  };
  auto end = [&](int member) { return bench.scheduler.set_request(bench.state, member, StealRequest::kNone); };
  begin(1);
  THAT(bench.request_word(0) == 1 && !publish(0)); // nobody is to be woken
  THAT(bench.request_word(0) == 0 && !bench.has_tasks());
  THAT(bench.acquire(1) == 0 && !end(1) && bench.request_word(0) == 0);
  begin(1);
  THAT(!publish(0) && end(1) && bench.has_tasks() && bench.acquire(2) == 1);
  begin(1);
  THAT(!end(1) && bench.request_word(0) == 0 && publish(0) && bench.acquire(2) == 2);
  bench.set_requesting(1, true); // asleep
  THAT(publish(0) && bench.request_word(0) == 1 && !end(1) && bench.request_word(0) == 0);
}

void steal_takes_one_and_the_oldest() {
  Bench bench("steal", {0, 0, 0});
  for (int i = 0; i < 4; ++i) bench.publish(0);
  THAT(bench.acquire(1) == 0 && bench.counts.stolen_tasks.value() == 1);
  THAT(bench.acquire(0) == 3 && bench.counts.acquired_local.value() == 1);
  THAT(bench.acquire(2, 0, nothing) == -1 && bench.counts.failed_steals.value() == 1);
}

void depth_takes_deeper_ones_only() {
  Bench bench("depth", {0, 0});
  bench.publish(0, 2);
  bench.publish(0, 5);
  bench.publish(0, 3);
  THAT(bench.acquire(1, 3) == 1);  // of depth 5
  THAT(bench.acquire(1, 3) == -1); // 2 and 3 are no deeper
  THAT(bench.acquire(0, 3) == -1); // nor for their owner
  THAT(bench.acquire(1, 1) == 0 && bench.acquire(0, 0) == 2);
}

void dealing_is_in_turn_and_bounded() {
  for (const char* name : {"lifo", "fifo", "nemesis", "xqueue", "xqueue-steal"}) {
    Bench bench(name, {0, 0, 0});
    for (int i = 0; i < 6; ++i) THAT(bench.deal(0) == (i + 1) % 3);
    bool newest = strcmp(name, "lifo") == 0;
    THAT(bench.acquire(1) == (newest ? 3 : 0) && bench.acquire(1) == (newest ? 0 : 3) && bench.acquire(1) == -1);
    THAT(bench.has_tasks());
    int room = 0;
    while (room < 1000 && bench.deal(0) >= 0) ++room;
    // Rings of member 0, until all are full; or queues, until it is the turn of a full one.
    THAT(room == (strncmp(name, "xqueue", 6) == 0 ? 3 * 32 - 4 : 3 * 32 - 5));
    for (int round = 0; round < 300; ++round) // one may hand some on to another
      for (int member : {0, 1, 2}) bench.acquire(member);
    THAT(!bench.has_tasks());
    THAT(bench.deal(0) >= 0); // there is room again
  }
  Bench rings("xqueue", {0, 0, 0});
  for (int i = 0; i < 96; ++i) rings.deal(0);
  for (int i = 0; i < 5; ++i) rings.acquire(2); // only its ring from 0 has room now
  for (int i = 0; i < 5; ++i) THAT(rings.deal(0) == 2);
  THAT(rings.deal(0) == -1 && rings.deal(1) >= 0); // the rings of another member are others
}

void what_may_not_be_run_is_handed_on() {
  for (const char* name : {"lifo", "fifo", "nemesis", "xqueue", "xqueue-steal"}) {
    Bench bench(name, {0, 0, 0});
    for (int i = 0; i < 6; ++i) bench.deal(0);
    THAT(bench.acquire(1, 0, nothing) == -1 && bench.last.handed_on);
    THAT(bench.acquire(1, 0, nothing) == -1 && !bench.last.handed_on);
    THAT(bench.acquire(2) == (strcmp(name, "lifo") == 0 ? 4 : 1)); // its own first
    bench.acquire(2);
    int one = bench.acquire(2), other = bench.acquire(0, 0, anything);
    THAT(one == 0 || one == 3); // then those of 1
    THAT(other == 2 || other == 5);
  }
}

void an_owner_that_never_looks_is_emptied() {
  for (const char* name : {"lifo", "fifo", "nemesis", "xqueue", "xqueue-steal"}) {
    Bench bench(name, {0, 0});
    THAT(bench.deal(0) == 1);
    auto looks = [&](int most) { // of member 0, until it has a task
      for (int left = most; left > 0; --left) {
        if (bench.acquire(0) >= 0) return true;
        usleep(1000);
      }
      return false;
    };
    THAT(!looks(1));
    THAT(looks(200)); // 10 ms
    THAT(bench.last.rescued == 1 && bench.last.handed_on && static_cast<Item*>(bench.last.task)->number == 0);
    // It is known to be absent now, whoever looks: what is dealt to it next waits no longer.
    for (int i = 0; i < 20; ++i) {
      int owner = bench.deal(0);
      THAT(looks(4) && bench.last.rescued == (owner == 1 ? 1 : 0));
    }
    bench.acquire(1); // it looks: again it is given time
    while (bench.deal(0) != 1) bench.acquire(0);
    usleep(1000);
    THAT(!looks(1));
  }
}

void requests_are_answered_once() {
  Bench bench("xqueue-steal", {0, 0});
  for (int i = 0; i < 40; ++i) bench.deal(0); // 20 each
  while (bench.acquire(1) >= 0) {             // and at the end it asks
  }
  THAT(bench.acquire(0) >= 0 && bench.last.given_to == 1); // answered by handing tasks on
  THAT(bench.counts.stolen_operations.value() == 1 && bench.counts.stolen_tasks.value() == 8);
  THAT(bench.acquire(0) >= 0 && bench.last.given_to == -1);
  int got = 0;
  while (bench.acquire(1) >= 0) ++got;
  THAT(got == 8);
  for (int looks = 0; looks < 40; ++looks) bench.acquire(1); // it waits no longer, and asks again
  for (int i = 0; i < 8; ++i) THAT(bench.deal(0) == 1);      // answered by dealing
  THAT(bench.deal(0) + bench.deal(0) == 1);                  // in turn again
  THAT(bench.counts.stolen_operations.value() == 2 && bench.counts.stolen_tasks.value() == 16);
}

} // namespace

// A member that waits in a tied task looks with the members that took from it, each from the one before, and everywhere
// only now and then.
void descendants_are_with_thieves() {
  Bench bench("hierarchical", {0, 0, 0, 0, 1, 1});
  auto thief = [&](int of, int index) { return bench.scheduler.thief(bench.state, of, index); };
  THAT(thief(0, 0) == -1);
  bench.publish(0); // 0
  THAT(bench.acquire(1) == 0 && thief(0, 0) == 1);
  bench.publish(1); // 1
  THAT(bench.acquire(4) == 1 && thief(1, 0) == 4);
  bench.publish(4); // 2
  bench.publish(2); // 3
  RefusedLists refused;
  bench.refused = &refused;
  bench.only_descendants = true;
  THAT(bench.acquire(0) == 2 && thief(4, 0) == 0);
  int looks = 1;
  while (bench.acquire(0) != 3 && looks < 100) ++looks;
  THAT(looks == static_cast<int>(policy::kFullLook));
  bench.publish(2); // 4
  bench.only_descendants = false;
  THAT(bench.acquire(0) == 4);
}

// The last four members that took from one are known, each once, the last one first.
void thieves_are_remembered() {
  Bench bench("hierarchical", {0, 0, 0, 0, 0, 0});
  int published = 0;
  auto takes = [&](int member) {
    bench.publish(0);
    THAT(bench.acquire(member) == published++);
  };
  auto thieves_are = [&](std::initializer_list<int> expected) {
    int index = 0;
    for (int each : expected) THAT(bench.scheduler.thief(bench.state, 0, index++) == each);
  };
  thieves_are({-1, -1, -1, -1});
  takes(1);
  takes(1);
  thieves_are({1, -1, -1, -1});
  takes(2);
  takes(1);
  thieves_are({1, 2, -1, -1});
  takes(3);
  takes(4);
  thieves_are({4, 3, 1, 2});
  takes(1);
  thieves_are({1, 4, 3, 2});
  takes(5);
  thieves_are({5, 1, 4, 3});
}

int main() {
  membarrier_register();
  amounts_of_a_steal();
  each_member_has_some_on_offer();
  a_crowd_shares_lists();
  a_thief_that_refuses_some_leaves_them();
  for (const char* name : {"hierarchical", "mts"}) requests_go_to_other_domains(name);
  for (const char* name : {"hierarchical", "mts"}) a_domain_goes_on_alone(name);
  a_present_member_is_handed_tasks();
  steal_takes_one_and_the_oldest();
  depth_takes_deeper_ones_only();
  dealing_is_in_turn_and_bounded();
  what_may_not_be_run_is_handed_on();
  an_owner_that_never_looks_is_emptied();
  descendants_are_with_thieves();
  thieves_are_remembered();
  requests_are_answered_once();
  return result();
}
