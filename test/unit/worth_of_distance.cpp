// When chips steal from one another: while what a thief brings is worth it, then in probes of members that request. And
// within a chip: a prober's cost replaces that of thieves in each other's way.
// RUN: %clangxx -std=c++20 -I%root %s %root/runtime/core/granularity.cpp %root/runtime/base/os_linux.cpp %root/runtime/base/log.cpp -pthread -o %t && %t
#include <unistd.h>

#include "runtime/core/granularity.h"
#include "test/unit/check_that.h"

using namespace chomp;

static constexpr uint64_t kCost = 100'000, kShort = kCost, kLong = 8 * kCost; // cycles

static bool probe_comes(FarWorth& far) {
  for (int tries = 2000; tries > 0 && !far.may_look(true); --tries) usleep(1000);
  return far.may_look(true);
}

int main() {
  FarWorth far;
  THAT(far.may_look(false) && far.wants_answer());
  far.measured(kShort, kCost, 8); // one steal of eight tasks
  THAT(far.may_look(false));
  far.measured(kShort, kCost, 1);
  for (int i = 0; i < 64; ++i) far.measured(kShort, kCost, 1);
  THAT(!far.may_look(false) && !far.may_look(true) && !far.wants_answer());

  THAT(probe_comes(far));
  THAT(!far.may_look(false) && far.wants_answer()); // creators answer what the probe asks
  usleep(20'000);                                   // and nothing comes
  THAT(!far.wants_answer() && !far.may_look(true));

  THAT(probe_comes(far));
  far.measured(kShort, kCost, 1); // what comes is short
  THAT(!far.may_look(true) && !far.wants_answer());

  THAT(probe_comes(far));
  for (int steals = 0; steals < 4 && !far.may_look(false); ++steals) {
    THAT(far.may_look(true)); // what comes is long: the next one may come at once
    far.measured(kLong, kCost, 1);
  }
  THAT(far.may_look(false) && far.wants_answer());

  Granularity near;
  while (near.pays()) near.measured(kShort, kCost, 1);
  THAT(near.cost() > kCost / 2);
  for (int probes = 0; probes < 8 && !near.pays(); ++probes) near.measured(kShort / 2, kCost / 16, 1, true);
  THAT(near.pays() && near.cost() < kCost / 8);
  return result();
}
