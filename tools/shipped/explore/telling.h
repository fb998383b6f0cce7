// What the user reads while runs go on and when they are over, on standard error.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tools/shipped/explore/one_run.h"

namespace explore {

/// How many different orders of events there were: a set of their numbers.
struct Orders {
  static constexpr size_t kPlaces = size_t{1} << 20;
  uint64_t* numbers;
  uint64_t count, last_new;
  void add(uint64_t number, uint64_t run);
};

/// How far the runs have got, for a terminal.
struct Progress {
  const char* what; // of which the first number counts
  uint64_t runs, orders;
  int64_t begun_ms;
};
extern Progress progress;

/// At most ten times a second, on a terminal: one line, which the next thing to be said replaces.
void show_progress();
void hide_progress();

/// What the run that goes on has found up to now is told when it is a moment old. nothing_told(): a run begins.
void tell_found_so_far();
void nothing_told();

/// Tells what a run has found and how to repeat it, and keeps it for the files, unless all of it is known.
void say(const Run& run, uint64_t seed);
/// The order of a run, as `--replay` reads it.
void name_order(uint64_t seed, char* text, size_t room);
/// JUnit's and SARIF's files, where they are asked for.
void write_results();
/// Whether the last run has seen what alone is to be explored; else words for it.
const char* unseen_region();

} // namespace explore
