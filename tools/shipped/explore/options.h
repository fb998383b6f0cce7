// What the user asks for, as `chomp explore` hands it over in the environment. Read once, by the process that starts
// the runs.
// - CHOMP_EXPLORE: "runs=N seed=N seconds=N steps=N threads=2,3 replay=N reduce=N until=N exhaustive=1 determinacy=1
//   any_output=1 strict_output=1 all=1", of these those that are given
// - CHOMP_EXPLORE_REGION: FILE:LINE of the parallel region that alone is explored
// - CHOMP_EXPLORE_ORDER: the switches to repeat, of the seed that is to be repeated (reduce.h)
// - CHOMP_EXPLORE_EXPECT: the output that is right
// - CHOMP_EXPLORE_CHECK: a command that reads the output and judges it
// - CHOMP_EXPLORE_JUNIT, CHOMP_EXPLORE_SARIF: files to write
// - CHOMP_EXPLORE_AGAIN: how the user calls it, for the line that says how to repeat a run
#pragma once

#include <stdint.h>

namespace explore {

struct Options {
  uint64_t runs = 1000;
  uint64_t seed = 1;
  int seconds = 10;           // for all runs; 0: any time
  bool given_seconds = false; // for the first run, too
  bool replay = false;
  bool exhaustive = false;
  bool naive = false;      // without reduction
  bool bounded = false;    // --runs was given
  bool given_seed = false; // --seed was given: the random orders from there on, and no others
  bool reduce = false;     // `reduced`, whose output is compared with that of `seed`
  uint64_t reduced = 0;
  bool any_output = false;    // it may depend on the order
  bool strict_output = false; // also what looks like times and the like
  bool all = false;           // goes on after a failure
  static constexpr int kMostCounts = 16;
  int threads[kMostCounts] = {2, 3, 4};
  int thread_counts = 3;
  bool given_threads = false;
  const char *expected = nullptr, *check = nullptr, *only_region = nullptr;
};
extern Options options;

void read_options(const char* text);
/// So that what a run starts is not explored in its turn; and chomp warns of variables that it does not know.
void forget_options();
/// The words with which the user calls it: what decides the meaning of a seed, the program and its arguments.
const char* command();

} // namespace explore
