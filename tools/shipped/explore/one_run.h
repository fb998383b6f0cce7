// One run of the program: the process that starts the runs forks, and the child goes on as the program.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace explore {

/// How a run ended: by itself; cut, since time was up or enough was found; after more CPU time than a run may take; or
/// it did nothing for long, since it waits for something outside.
enum class End : uint8_t { kItself, kCut, kTooLong, kWaitsOutside };

struct Run {
  int out, errors; // what it prints
  int status;
  End end;
  int threads, teams;
};

/// Prepares what all runs share. Ends the process if there is no memory.
void prepare_runs();
/// Returns in the child too, which goes on as the program: false.
bool run(uint64_t seed, Run* result);
/// Both seeds stand for the same number of threads and of teams.
bool same_shape(uint64_t a, uint64_t b);
/// Milliseconds, of a clock that goes on.
int64_t now_ms();
/// Runs are cut then; 0: never.
extern int64_t cut_at_ms;
/// The number of threads with which all orders are tried.
extern int search_threads;
void* share(size_t bytes);
/// The program cannot go on without what a run needs.
[[noreturn]] void cannot_run();

} // namespace explore
