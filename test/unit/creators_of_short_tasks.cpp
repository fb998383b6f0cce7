// RUN: %clangxx -std=c++20 -I%root %s -o %t && %t
// Whether the creator of short tasks runs them itself, for every state, many children or few, short or long.
#include "runtime/core/task.h"

#include <initializer_list>

#include "test/unit/check_that.h"

using namespace chomp;
using enum Throttled;

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

int main() {
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
  return result();
}
