// What a run tells the process that has started it, in memory that both share.
#pragma once

#include <stdint.h>

#include "tools/shipped/explore/chance.h"

namespace explore {

struct Finding {
  char kind[32];
  char text[1500];
  char file[2][128]; // of the two places, without folders; empty: unknown
  int line[2];
  uint64_t step; // at which it was found
};

struct Findings {
  uint64_t order;  // a number for the order of events that the run took
  uint64_t pieces; // a number for what it printed, call by call, in any order
  char chance[48]; // what it asks for that may be another thing each time; empty: nothing
  Asked asked;
  bool odd_output; // some of it is not in `pieces`
  bool has_league;
  bool drawn_shares;   // iterations were shared out as seldom: who asks for his part prints another one
  bool region_seen;    // that one which alone is explored
  bool instrumented;   // some code of the program was compiled for this
  const char* unusual; // what first happened that seldom does; null: nothing
  const void* unusual_at;
  uint32_t count;
  static constexpr uint32_t kMost = 8;
  Finding list[kMost];
  uint32_t switch_count; // of a written order: those that were followed, in words
  static constexpr uint32_t kMostSwitches = 12;
  char switches[kMostSwitches][400];
};
extern Findings* findings;

/// A new finding, to be filled in and then told; null: there are enough.
Finding* new_finding(const char* kind);
void tell_finding();

} // namespace explore
