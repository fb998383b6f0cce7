// mutexinoutset tasks never overlap on a shared resource, run between the writers around them, and all run; also with
// two resources named in different orders. RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"

enum { kTasks = 200 };
static int inside_a, inside_b;

static void enter(int* inside) { CHECK_EQ(__atomic_fetch_add(inside, 1, __ATOMIC_ACQ_REL), 0); }
static void leave(int* inside) { CHECK_EQ(__atomic_fetch_sub(inside, 1, __ATOMIC_ACQ_REL), 1); }

int main(void) {
  long a = 0, b = 0, a_at_end = -1, b_at_end = -1;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 5; round++) {
#pragma omp task depend(out : a, b)
    a = b = 0;
    for (int i = 0; i < kTasks; i++) {
#pragma omp task depend(mutexinoutset : a)
      {
        enter(&inside_a);
        burn(50);
        a++; // plain: exclusion and order are what make it right
        leave(&inside_a);
      }
#pragma omp task depend(mutexinoutset : b)
      {
        enter(&inside_b);
        b++;
        leave(&inside_b);
      }
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
