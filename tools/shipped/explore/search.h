// The search for all orders (`--exhaustive`): what a run tells about its decisions (orders.cpp, in the run), and which
// order comes next (search.cpp, in the process that starts the runs). README.md says why none is missed.
#pragma once

#include <stdint.h>

#include "tools/laboratory/virtual/machine.h"

namespace explore {

using virtual_machine::Touch;

/// A strand that is held in front of an operation, from when it got there.
struct Arrival {
  uint64_t strand; // its name
  uint64_t object;
  uint32_t bytes;
  Touch touch;
  uint32_t past;  // which earlier steps it knows of, by the order of OpenMP: bits from here on
  uint32_t steps; // so many bits
  bool in_vain;   // a claim when nothing was left: it never becomes a step
};
/// One of those that are held when a decision is made.
struct Held {
  uint32_t arrival;
  bool enabled;
};
/// A decision, and so a step: `chosen` of the strands held goes on.
struct Step {
  uint32_t first_held, held;
  uint32_t chosen; // index of its arrival
};

struct Trace {
  static constexpr uint32_t kSteps = 4096, kArrivals = 3 * kSteps, kHeld = 64 * kSteps, kPast = 1 << 20;
  uint32_t steps, arrivals, held, past_words;
  bool redundant; // all that could go on would have repeated an order
  bool ends_held; // step[steps] tells who was held when it ended
  bool scarce;    // a task had to wait for a thread
  bool tests;     // it tests locks or semaphores
  bool releases_are_steps;
  char not_all[160]; // why this does not count as a search of all orders; empty: it does
  Step step[kSteps];
  Arrival arrival[kArrivals];
  Held held_list[kHeld];
  uint64_t past[kPast];
};
extern Trace* trace; // in memory that both share; null: there is no search

/// What the next run is to do: the strands that go on at its first decisions, and those that need not go on at the last
/// of these, since the orders that begin so are known.
struct Plan {
  const uint64_t* chosen;
  uint32_t steps;
  const uint64_t* asleep;
  uint32_t asleep_count;
  bool written; // to be repeated: `list` has the decisions that are not the usual ones, `count` of them
  uint32_t count;
  struct Unusual {
    uint32_t step, which; // of those that can go on there
  } list[Trace::kSteps];
};
extern Plan plan;

/// Two operations of which it does not matter which comes first.
bool commute(const Arrival& a, const Arrival& b);

/// After a run. False: all orders have been tried.
bool plan_next();
void begin_search(bool naive);

/// The order of the last run as text, "3=1,7=0", and back.
void write_choices(char* text, size_t room);
bool read_choices(const char* text);

} // namespace explore
