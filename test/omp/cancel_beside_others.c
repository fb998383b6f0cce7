// Cancellation beside loops that run ahead, ordered loops, reductions and copyprivate.
// RUN: %clang-openmp %s -o %t && env OMP_CANCELLATION=true %for-threads %t
// RUN: %if gomp %{ %gcc-openmp %s -o %t.gcc && env OMP_CANCELLATION=true %for-threads %t.gcc %}
#include "support/check.h"
#include <omp.h>

// Threads that have not met a cancellation point of a cancelled region run ahead through loops whose shared state
// the others will not use or give back: doacross loops without a barrier, more than there can be in flight at once.
// They wait neither for room nor for iterations that will never be executed.
static int next_row[40];

static void cancel_ahead(int who) {
  int entered = 0, left = 0;
#pragma omp parallel shared(entered, left)
  {
    int me = omp_get_thread_num();
    ATOMIC_ADD(entered, 1);
#pragma omp cancel parallel if (me == who)
    for (int round = 0; round < 12; round++) {
#pragma omp for ordered(1) schedule(static, 1) nowait
      for (int i = 1; i < 40; i++) {
#pragma omp ordered depend(sink : i - 1)
        ATOMIC_ADD(next_row[i], 1);
#pragma omp ordered depend(source)
      }
    }
#pragma omp cancellation point parallel
    ATOMIC_ADD(left, 1);
  }
  CHECK_EQ(entered, omp_get_max_threads());
  CHECK(left < entered);
}

/// The next region is whole again: each iteration waits for the one before it.
static void whole_region(void) {
  int row[40] = {0};
#pragma omp parallel
  {
    for (int round = 0; round < 12; round++) {
#pragma omp for ordered(1) schedule(static, 1) nowait
      for (int i = 1; i < 40; i++) {
#pragma omp ordered depend(sink : i - 1)
        row[i] = row[i - 1] + 1;
#pragma omp ordered depend(source)
      }
#pragma omp barrier
    }
  }
  for (int i = 0; i < 40; i++) CHECK_EQ(row[i], i);
}

static void loops_that_run_ahead(void) {
  CHECK(omp_get_cancellation());
  for (int round = 0; round < 40; round++) {
    cancel_ahead(round % omp_get_max_threads());
    if (round % 4 == 0) whole_region();
  }
}

// Members that wait for their turn in an ordered loop go on when their parallel region is cancelled: the turns of
// those that have left it never come. Their ordered regions are executed one at a time all the same.
enum { kIterations = 64 };

static int inside, passed; // plain: one thread at a time writes them

static void in_turn(int i, int every_turn) {
  CHECK_EQ(inside, 0);
  inside = 1;
  burn(200);
  if (every_turn) CHECK_EQ(passed, i);
  passed++;
  inside = 0;
}

#define ORDERED_LOOP(directive)                                                                                        \
  _Pragma(directive) for (int i = 0; i < kIterations; i++) { _Pragma("omp ordered") in_turn(i, who < 0); }

/// The member `who` leaves before the loop, of which it would have had a part; -1: nobody does.
static void cancel_ordered(int who, int kind) {
  inside = passed = 0;
#pragma omp parallel
  {
    int me = omp_get_thread_num();
#pragma omp cancel parallel if (me == who)
    if (kind == 0) ORDERED_LOOP("omp for ordered schedule(static, 1)")
    if (kind == 1) ORDERED_LOOP("omp for ordered schedule(static)")
    if (kind == 2) ORDERED_LOOP("omp for ordered schedule(dynamic)")
  }
  CHECK_EQ(inside, 0);
  if (who < 0) CHECK_EQ(passed, kIterations);
  if (who >= 0 && kind < 2) CHECK(passed < kIterations);
}

static void ordered_loops(void) {
  CHECK(omp_get_cancellation());
  for (int round = 0; round < 12; round++)
    for (int kind = 0; kind < 3; kind++) {
      cancel_ordered(round % omp_get_max_threads(), kind);
      cancel_ordered(-1, kind);
    }
}

// A region that is cancelled beside a loop with reduction(task, …) leaves nothing of it to the next region: neither
// sums nor copies of another size, and no memory. A task of such a loop that cancels its taskgroup cancels the
// program's, not one that the loop has made.
static long sum;
static int wide[40];

/// The last member leaves before the loop, the others may be anywhere in it.
static void cancelled(void) {
  sum = 0;
#pragma omp parallel
  {
#pragma omp cancel parallel if (omp_get_thread_num() == omp_get_num_threads() - 1)
#pragma omp for reduction(task, + : sum) schedule(dynamic)
    for (int i = 0; i < 40; i++) {
#pragma omp task in_reduction(+ : sum)
      sum += 1000000;
    }
  }
}

__attribute__((unused)) static void cancelled_inside(void) {
  sum = 0;
#pragma omp parallel
  {
#pragma omp for reduction(task, + : sum) schedule(dynamic)
    for (int i = 0; i < 40; i++) {
#pragma omp task in_reduction(+ : sum)
      sum += 1000000;
#pragma omp cancel for if (i == 7)
    }
  }
}

static void no_reduction_is_left_whole(void) {
  sum = 0;
  for (int i = 0; i < 40; i++) wide[i] = 0;
#pragma omp parallel
  {
#pragma omp for reduction(task, + : wide) reduction(task, + : sum) schedule(dynamic)
    for (int i = 0; i < 40; i++) {
#pragma omp task in_reduction(+ : wide) in_reduction(+ : sum)
      {
        sum += 1;
        for (int k = 0; k < 40; k++) wide[k] += 1;
      }
    }
  }
  CHECK_EQ(sum, 40);
  for (int i = 0; i < 40; i++) CHECK_EQ(wide[i], 40);
}

/// The group around the loop is the one that is cancelled: its other tasks do not begin.
static void taskgroup_around(void) {
  int after = 0;
#pragma omp parallel num_threads(1)
  {
#pragma omp taskgroup
    {
#pragma omp for reduction(task, + : sum)
      for (int i = 0; i < 1; i++) {
#pragma omp task if (0)
        {
#pragma omp cancel taskgroup
        }
      }
#pragma omp task shared(after)
      after++;
    }
  }
  CHECK_EQ(after, 0);
}

static void no_reduction_is_left(void) {
  CHECK(omp_get_cancellation());
  for (int round = 0; round < SCALED(480); round++) {
    cancelled();
    if (round % 16 == 0) no_reduction_is_left_whole();
#ifndef __clang__ // whose code leaves such a loop without the barrier that its reduction has, and hangs anywhere
    cancelled_inside();
#endif
    if (round % 16 == 1) no_reduction_is_left_whole();
    taskgroup_around();
  }
}

// Threads that have not met a cancellation point of a cancelled region get what the thread sets that executes a single
// region with copyprivate: neither what was there before, nor what that thread writes to its variable afterwards.
enum { kCopied = 3000 };

__attribute__((noinline)) static void broadcast(int number) {
  int copied[kCopied];
#pragma omp single copyprivate(copied)
  {
    burn(number % 3 * 1000);
    for (int i = 0; i < kCopied; i++) copied[i] = number;
  }
  for (int i = 0; i < kCopied; i++) CHECK_EQ(copied[i], number);
  for (int i = 0; i < kCopied; i++) ((volatile int*)copied)[i] = -1;
}

/// The member `who` leaves after so many of these regions.
static void copy_beside(int who, int regions_before) {
  static int number;
  int first = number, ended = 0;
#pragma omp parallel shared(ended)
  {
    int me = omp_get_thread_num(), last = regions_before + (me == who ? 0 : 4);
    for (int i = 0; i < regions_before; i++) broadcast(first + i);
    if (me == who) {
#pragma omp cancel parallel
    }
    for (int i = regions_before; i < last; i++) {
      broadcast(first + i);
      if (i % 2 == 0) burn(me * 300);
    }
    ATOMIC_ADD(ended, 1);
  }
  CHECK_EQ(ended, omp_get_max_threads() - 1);
  number += 10;
}

static void copies_are_whole(void) {
  CHECK(omp_get_cancellation());
  for (int round = 0; round < SCALED(160); round++) copy_beside(round % omp_get_max_threads(), round % 3);
}

int main(void) {
  loops_that_run_ahead();
  ordered_loops();
  no_reduction_is_left();
  copies_are_whole();
  return 0;
}
