// Whether a run went well: what it found itself, how it ended, what it printed. What is nobody's fault, such as an
// output that names the number of threads, is told once and decides nothing.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tools/shipped/explore/one_run.h"

namespace explore {

struct Output {
  char* text;
  size_t bytes;
};
/// Of a file in memory; the caller frees the text.
Output contents(int file);

/// Adds what is wrong with the run to its findings.
void judge(const Run& run, uint64_t seed);
/// The next run is the first again: others are compared with that.
void forget_first_outputs();
/// The time was up before the first run had ended.
void tell_unfinished_run();
/// Tells what was not decided, each kind once.
void tell_doubts();
/// How many runs were not decided.
extern uint64_t undecided_runs;

} // namespace explore
