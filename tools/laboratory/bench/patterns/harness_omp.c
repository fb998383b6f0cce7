// Starts a pattern under OpenMP: in a region, in every thread of one, or outside; and the figure of record.
//
// Figure of record for one thread: a team of two whose other member sits in one long task until the measurement is
// over. The runtime cannot take the short cuts of a serialised team, and no other thread helps. For a kGenerator
// pattern the long task is an explicit one that the other member took from the region's barrier; for a kTeam pattern it
// is the other member's implicit task. A runtime whose teams have one thread is measured as it is.
#include "harness.h"

#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_int other_member_sits; // set once the long task runs on another member
static atomic_int measured;          // set when it may end

bool bench_alone(void) { return bench_record(); }

// A member that is still on its way out of a barrier may run tasks there.
static void await_other_member(void) {
  while (!atomic_load(&other_member_sits)) bench_pause();
}

static void sit_until_measured(void) {
  atomic_store(&other_member_sits, 1);
  while (!atomic_load_explicit(&measured, memory_order_relaxed)) bench_pause();
}

// Gives the other member its long task and waits until it runs there, without a scheduling point of our own.
static void occupy_other_member(void) {
  const double deadline = bench_now_ns() + 10e9;
  while (!atomic_load(&other_member_sits)) {
#pragma omp task
    if (omp_get_thread_num() != 0) sit_until_measured();

    const double attempt_end = bench_now_ns() + 1e9; // a task run by its creator does nothing: try another
    while (!atomic_load(&other_member_sits) && bench_now_ns() < attempt_end) bench_pause();
    if (bench_now_ns() > deadline) {
      fprintf(stderr, "harness: no other member took the long task within 10 s\n");
      exit(4);
    }
  }
}

static void launch_generator(void) {
#pragma omp parallel num_threads(bench_record() ? 2 : omp_get_max_threads())
#pragma omp master
  {
    const int threads = omp_get_num_threads();
    bench_set_threads(threads);
    if (bench_record() && threads > 1) {
      // The long task is a grandchild: the pattern's own taskwait must not wait for it.
#pragma omp task if (0)
      occupy_other_member();
    }
    bench_measure();
    atomic_store(&measured, 1);
  }
}

typedef struct {
  _Alignas(64) double ns;
} member_start;

static double first_start(const member_start* starts) {
  double first = starts[0].ns;
  for (int i = 1; i < omp_get_num_threads(); i++) first = starts[i].ns < first ? starts[i].ns : first;
  return first;
}

// From the first member's start to the last one's end: a member that loses its CPU before it starts finds the work
// done.
static void launch_team(const bench_pattern* pattern) {
  bool more = true;
  member_start* starts = aligned_alloc(64, sizeof(member_start) * (size_t)(bench_record() ? 2 : omp_get_max_threads()));
#pragma omp parallel num_threads(bench_record() ? 2 : omp_get_max_threads()) shared(more)
  for (int i = 0; more; i++) {
    const int me = omp_get_thread_num();
    if (me == 0) {
      bench_set_threads(omp_get_num_threads());
      atomic_store(&other_member_sits, 0);
      atomic_store(&measured, 0);
    }
#pragma omp barrier
    const bool waits = bench_record() && me != 0;
    if (waits) sit_until_measured();
    if (bench_record() && !waits && omp_get_num_threads() > 1) await_other_member();
    starts[me].ns = bench_now_ns();
    const bool ok = waits ? pattern->run(bench_size()) : bench_once(pattern);
    double end = bench_now_ns();
    if (me == 0) atomic_store(&measured, 1);
#pragma omp barrier
    if (me == 0) {
      if (!bench_record()) end = bench_now_ns();
      bench_note_time(i, end - (bench_record() ? starts[0].ns : first_start(starts)), ok);
      more = bench_more(i + 1);
    }
#pragma omp barrier
  }
  free(starts);
}

void bench_launch(const bench_pattern* pattern) {
  switch (pattern->place) {
  case kGenerator: launch_generator(); break;
  case kTeam: launch_team(pattern); break;
  case kOutside:
    bench_set_threads(omp_get_max_threads());
    bench_measure();
    break;
  }
}
