// mutexinoutset tasks never overlap on a shared resource, run between the writers around them, and all run; also with
// two resources named in different orders. It goes on until tasks that nothing excludes have overlapped.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>

enum { kTasks = 200, kRounds = 5, kMostRounds = 300, kEnough = 1000 };
static int inside_a, inside_b, inside, overlapped;

static void enter(int* inside) { CHECK_EQ(__atomic_fetch_add(inside, 1, __ATOMIC_ACQ_REL), 0); }
static void leave(int* inside) { CHECK_EQ(__atomic_fetch_sub(inside, 1, __ATOMIC_ACQ_REL), 1); }

/// The body of a task that may run beside others.
static void stay_inside(void) {
  if (__atomic_fetch_add(&inside, 1, __ATOMIC_RELAXED) > 0) ATOMIC_ADD(overlapped, 1);
  burn(2000);
  __atomic_fetch_sub(&inside, 1, __ATOMIC_RELAXED);
}

static int goes_on(int round) {
  return round < kRounds ||
         (round < SCALED(kMostRounds) && omp_get_num_threads() > 1 && ATOMIC_LOAD(overlapped) < kEnough);
}

int main(void) {
  long a = 0, b = 0, a_at_end = -1, b_at_end = -1;
#pragma omp parallel
#pragma omp single
  for (int round = 0; goes_on(round); round++) {
#pragma omp task depend(out : a, b)
    a = b = 0;
    for (int i = 0; i < kTasks; i++) {
#pragma omp task depend(mutexinoutset : a)
      {
        enter(&inside_a);
        burn(2000);
        a++; // plain: exclusion and order are what make it right
        leave(&inside_a);
      }
#pragma omp task depend(mutexinoutset : b)
      {
        enter(&inside_b);
        b++;
        leave(&inside_b);
      }
#pragma omp task
      stay_inside();
      if (i % 2) {
#pragma omp task depend(mutexinoutset : a, b)
        {
          enter(&inside_a);
          enter(&inside_b);
          a++, b++;
          leave(&inside_a);
          leave(&inside_b);
        }
      } else {
#pragma omp task depend(mutexinoutset : b, a)
        {
          enter(&inside_a);
          enter(&inside_b);
          a++, b++;
          leave(&inside_a);
          leave(&inside_b);
        }
      }
    }
#pragma omp task depend(in : a, b)
    a_at_end = a, b_at_end = b;
#pragma omp taskwait
    CHECK_EQ(a_at_end, 2 * kTasks);
    CHECK_EQ(b_at_end, 2 * kTasks);
  }
  return 0;
}
