// RUN: %clangxx -std=c++20 -I%root %s -o %t && %t
// Whether the creator of a task runs it itself or shares it, for every combination of what is known where it is made:
// no rule is forgotten for a kind. And the creator's state: for every state, many children or few, short or long.
#include "runtime/stealing/run_or_share.h"

#include <initializer_list>

#include "test/unit/check_that.h"

using namespace chomp;
using enum Throttled;

struct Kind {
  const char* what;
  NewTask task;
  bool runs;
};

static constexpr Kind kKinds[] = {
    {"there is room", {.has_room = true}, false},
    {"there is none", {}, true},
    {"there is none, on a low stack", {.stack_is_low = true}, false},
    {"there is none, and the user wants no bound", {.unbounded = true}, false},
    {"undeferred", {.included = true, .has_room = true}, true},
    {"undeferred, on a low stack", {.included = true, .stack_is_low = true}, true},
    {"a team of one", {.alone = true, .unbounded = true}, true},
    {"short", {.runs_short = true, .has_room = true}, true},
    {"short, and somebody asks", {.runs_short = true, .asked_for = true, .has_room = true}, false},
    {"short, but it waits for a sibling", {.may_wait = true, .runs_short = true, .has_room = true}, false},
};

static void check_kinds() {
  for (const Kind& kind : kKinds) {
    if (runs_here(kind.task) != kind.runs) fprintf(stderr, "not so: %s\n", kind.what);
    THAT(runs_here(kind.task) == kind.runs);
  }
}

// From the strongest rule to the weakest.
static void check_all_combinations() {
  for (int bits = 0; bits < 1 << 8; bits++) {
    NewTask task{.included = (bits & 1) != 0,
                 .alone = (bits & 2) != 0,
                 .may_wait = (bits & 4) != 0,
                 .runs_short = (bits & 8) != 0,
                 .asked_for = (bits & 16) != 0,
                 .has_room = (bits & 32) != 0,
                 .unbounded = (bits & 64) != 0,
                 .stack_is_low = (bits & 128) != 0};
    bool runs = runs_here(task);
    if (task.included || task.alone) {
      THAT(runs); // nobody else will
    } else if (task.has_room && (task.may_wait || task.asked_for || !task.runs_short)) {
      THAT(!runs); // others shall find it
    } else if (!task.runs_short || task.may_wait || task.asked_for) {
      THAT(runs == (!task.unbounded && !task.stack_is_low));
    } else {
      THAT(runs);
    }
  }
}

static constexpr int64_t kMany = policy::kThrottle;

struct Row {
  Throttled state;
  Throttled few_long, many_long, few_short, many_short;
};

static constexpr Row kTable[] = {
    {kNo, kNo, kNo, kNo, kRunsThem},               // few: thieves shall find them
    {kYes, kYes, kYes, kRunsThem, kRunsThem},      // there were many once
    {kRunsThem, kYes, kYes, kRunsThem, kRunsThem}, // until they are long
};

static void check_states() {
  for (const Row& row : kTable) {
    for (int64_t few : {int64_t{0}, kMany - 1}) {
      THAT(throttled_next(row.state, false, few) == row.few_long);
      THAT(throttled_next(row.state, true, few) == row.few_short);
    }
    for (int64_t many : {kMany, 2 * kMany}) {
      THAT(throttled_next(row.state, false, many) == row.many_long);
      THAT(throttled_next(row.state, true, many) == row.many_short);
    }
  }
}

int main() {
  check_kinds();
  check_all_combinations();
  check_states();
  return result();
}
