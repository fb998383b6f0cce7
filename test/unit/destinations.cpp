// RUN: %clangxx -std=c++20 -I%root %s -o %t && %t
// Where a task goes that may run now, for every combination of what it is and why it may run: no clause is forgotten
// for a cause, nothing goes where its team does not look, and each kind goes where the table says. And what becomes of
// what a task leaves in the deque.
#include "runtime/tasks/destination.h"

#include <initializer_list>

#include "test/unit/check_that.h"

using namespace chomp;
using enum Destination;

constexpr Cause kCauses[] = {Cause::kMade,     Cause::kReleased, Cause::kEvent, Cause::kGivenBack,
                             Cause::kTooEarly, Cause::kNextPart, Cause::kLeft};

static void check_that(bool holds, const char* what) {
  if (!holds) fprintf(stderr, "not so: %s\n", what);
  THAT(holds);
}

struct Row {
  const char* kind;
  ReadyTask task;
  Destination by_cause[7]; // made, released, event, given back, too early, next part, left
};

static Member* const other_domain = reinterpret_cast<Member*>(64); // never followed

static const Row table[] = {
    {"plain", {}, {kOwnDeque, kOwnDeque, kPublic, kOwnDeque, kPublic, kPublic, kPublic}},
    {"child of the fulfilling task",
     {.child_of_current = true},
     {kOwnDeque, kOwnDeque, kOwnDeque, kOwnDeque, kPublic, kPublic, kPublic}},
    {"for the task below",
     {.fits_below = true},
     {kOwnDeque, kOwnDeque, kBelowCurrent, kOwnDeque, kPublic, kPublic, kPublic}},
    {"for free agents", {.for_agents = true}, {kAgents, kAgents, kAgents, kAgents, kAgents, kAgents, kAgents}},
    {"with a priority",
     {.urgent = true},
     {kByPriority, kByPriority, kByPriority, kByPriority, kByPriority, kByPriority, kByPriority}},
    {"of another team", {.foreign = true}, {kInbox, kInbox, kInbox, kInbox, kInbox, kInbox, kInbox}},
    {"dealt", {.deals = true}, {kDealt, kDealt, kDealt, kDealt, kPublic, kPublic, kPublic}},
    {"transparent", {.may_wait_below = true}, {kOwnDeque, kPublic, kPublic, kOwnDeque, kPublic, kPublic, kPublic}},
    {"affine",
     {.near_data = other_domain},
     {kNearItsData, kNearItsData, kNearItsData, kOwnDeque, kPublic, kPublic, kPublic}},
};

// From the strongest to the weakest: of two that a task has, the first decides.
static void stronger_ones_decide() {
  for (int bits = 0; bits < 1 << 8; bits++) {
    ReadyTask task{.for_agents = (bits & 1) != 0,
                   .urgent = (bits & 2) != 0,
                   .foreign = (bits & 4) != 0,
                   .deals = (bits & 8) != 0,
                   .may_wait_below = (bits & 16) != 0,
                   .near_data = (bits & 32) != 0 ? other_domain : nullptr,
                   .child_of_current = (bits & 64) != 0,
                   .fits_below = (bits & 128) != 0};
    for (Cause cause : kCauses) {
      Destination to = destination_of(task, cause);
      check_that((to == kAgents) == task.for_agents, "agents look into one place");
      if (task.for_agents) continue;
      check_that((to == kByPriority) == task.urgent, "no priority is forgotten");
      if (task.urgent) continue;
      check_that((to == kInbox) == task.foreign, "a thread outside the team has no queue there");
      bool own = to == kOwnDeque || to == kBelowCurrent;
      if (task.deals) check_that(!own, "where the scheduler deals, nothing waits in a private deque");
      if (cause == Cause::kEvent && !task.child_of_current)
        check_that(to != kOwnDeque, "the current task runs nothing on top of itself that is not its own");
      if (cause == Cause::kNextPart || cause == Cause::kLeft)
        check_that(to == (task.foreign ? kInbox : kPublic), "others may go on with it");
      if (cause == Cause::kTooEarly) check_that(!own && to != kDealt, "it goes where members of the region look");
    }
  }
}

// Whoever waits for a task waits for what it leaves in a deque: for every task and every way to leave.
static void something_stands_for_what_is_left() {
  for (int bits = 0; bits < 1 << 4; bits++) {
    LeavingTask task{.exported = (bits & 1) != 0,
                     .hangs_below = (bits & 2) != 0,
                     .grouped = (bits & 4) != 0,
                     .replayed = (bits & 8) != 0};
    for (Leaving why : {Leaving::kEnds, Leaving::kEndsElsewhere, Leaving::kYields, Leaving::kStops}) {
      Leftovers fate = leftovers_of(task, why);
      bool each_counts = fate == Leftovers::kRun || fate == Leftovers::kPublished;
      bool below_stands = !task.exported || task.hangs_below;
      if (!below_stands && task.grouped) check_that(each_counts, "a group waits for each");
      bool stands = why == Leaving::kEnds && !task.replayed; // until the deque is empty
      if (!below_stands && !stands) check_that(fate != Leftovers::kStay, "a barrier waits for all");
      bool goes_on = why == Leaving::kYields || why == Leaving::kStops;
      if (goes_on) check_that(fate != Leftovers::kRun, "nothing that may wait for the task runs before it goes on");
      if (why == Leaving::kStops) check_that(fate == Leftovers::kPublished, "the next task below may be any other");
      if (below_stands && why != Leaving::kStops)
        check_that(fate == Leftovers::kStay, "who shares nothing pays nothing");
    }
  }
}

// A task leaves its worker only if that keeps nothing of it.
static void nothing_is_left_on_a_worker() {
  check_that(may_move({}), "a task that a worker keeps nothing of goes");
  const KeptByWorker each[] = {
      {.awaited = true}, {.children = true}, {.group = true}, {.settings = true}, {.region = true}};
  static_assert(sizeof(KeptByWorker) == sizeof each / sizeof each[0], "a row for each");
  for (const KeptByWorker& kept : each) check_that(!may_move(kept), "a task that a worker keeps something of stays");
}

int main() {
  for (const Row& row : table)
    for (int i = 0; i < 7; i++) check_that(destination_of(row.task, kCauses[i]) == row.by_cause[i], row.kind);
  stronger_ones_decide();
  something_stands_for_what_is_left();
  nothing_is_left_on_a_worker();
  return result();
}
