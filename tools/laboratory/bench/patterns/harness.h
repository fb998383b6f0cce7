// What every pattern program shares: arguments, timing, verification, the figure of record, the one line it prints.
// Plain C11 and <omp.h> only, so that Clang and GCC compile the same source; the oneTBB twins (C++) use it as well.
//
// A program holds a table of patterns and runs the one named:
//
//   fib tied [--size N] [--reps N] [--budget-ms N] [--warm-ms N] [--record] [--arg N]
//
// and prints one line of key=value pairs:
//
//   pattern=tied size=27 units=832038 ns_per_unit=13.1 median_ns=13.4 first_ns=15.0 reps=5 threads=2 record=0 check=ok
//   loaded=...
//
// `ns_per_unit` is the wall time of the best repetition divided by the units (tasks, regions, iterations), whatever the
// number of threads. `loaded` names the OpenMP and oneTBB libraries found in the process.
//
// Several patterns, `loops axpy.static,axpy.auto`, take turns: a repetition of each, then of each again, beginning with
// another one every time. So what the machine does meanwhile meets them all alike. Each has its line.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
#define _Thread_local thread_local
extern "C" {
#endif

// Which threads call a pattern's run().
typedef enum {
  kGenerator, // one thread of a parallel region; the others are in its barrier, running tasks
  kTeam,      // every thread of a parallel region
  kOutside,   // the initial thread, outside any region
} bench_place;

typedef struct {
  const char* name;
  bench_place place;
  uint64_t size;                    // default of --size
  uint64_t (*units)(uint64_t size); // by how many to divide
  bool (*run)(uint64_t size);       // the timed work; false: a wrong result (kTeam: thread 0's answer counts)
  uint64_t arg;                     // default of --arg, e.g. a cut-off; run() reads bench_arg()
} bench_pattern;

// How a program starts the measured work; the OpenMP one is in harness_omp.c, oneTBB's in harness_tbb.cpp.
// Both call bench_measure() at the place the pattern asks for; several patterns have the place of the first.
void bench_launch(const bench_pattern* pattern);

int bench_main(int argc, char** argv, const bench_pattern* patterns, int count);
#define BENCH_MAIN(patterns)                                                                                           \
  int main(int argc, char** argv) {                                                                                    \
    return bench_main(argc, argv, patterns, (int)(sizeof(patterns) / sizeof((patterns)[0])));                          \
  }

// For the launchers.
bool bench_more(int done); // one more repetition: fewer than --reps are done, and their time is within --budget-ms
bool bench_record(void);   // --record was given
uint64_t bench_size(void);
bool bench_once(const bench_pattern* pattern); // run(), by the thread that is measured; callgrind counts in here only
void bench_note_time(int repetition, double ns, bool ok);
void bench_measure(void);            // all repetitions of all that were named, by one thread
void bench_set_threads(int threads); // what the line reports, and bench_threads() says
double bench_now_ns(void);

// For the patterns.
uint64_t bench_arg(void);
int bench_threads(void); // of the team or arena the pattern runs in
bool bench_alone(void);  // the figure of record is being taken: only one thread runs the pattern
void bench_extra(const char* key, double value); // one more key=value of the line; the last call of a key counts
void bench_begin(void);                          // run() times itself: what is between the two counts, and nothing else
void bench_end(void);
void bench_took_ns(double ns);       // or took the time in another way
void bench_replace_ns(double value); // the pattern's figure is not wall time over units but this
void bench_subtract_ns(double ns); // of the work in what was timed; the figure is the best time less the least of these
uint64_t bench_resident_kb(void);  // resident memory of the process now
uint64_t bench_peak_kb(void);      // and at most so far

// Proof that null tasks ran, almost free: each thread counts in its own line. bench_counted() adds the lines up and
// clears them; every counted task must have been waited for.
extern _Thread_local uint64_t* bench_my_count;
uint64_t* bench_claim_count(void);
uint64_t bench_counted(void);
static inline uint64_t bench_counted_here(void) { return bench_my_count != 0 ? *bench_my_count : 0; } // not cleared
static inline void bench_count(void) {
  uint64_t* mine = bench_my_count;
  if (__builtin_expect(mine == 0, 0)) mine = bench_claim_count();
  ++*mine;
}

// A fixed amount of arithmetic that no compiler removes: a chain of multiplications, `steps` long.
uint64_t bench_spin(uint64_t steps);
uint64_t bench_steps_for_ns(double ns); // calibrated on the calling thread, once

static inline void bench_pause(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

#ifdef __cplusplus
}
#endif
