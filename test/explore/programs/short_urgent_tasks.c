// For tools/explore: one thread makes many short tasks with priorities, which are soon not worth handing over, then one
// for which it waits without a scheduling point. So another member has to get that one from the list of priorities,
// which idle members leave alone after the short ones, and though it may be asleep. Then more of them than may be
// unfinished at once: the creator runs the last ones when it makes them, the more urgent ones first.
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum { kThrottle = 256, kMany = kThrottle + 8 };

static void make_short_tasks(int count, int* sum) {
  for (int i = 0; i < count; i++) {
#pragma omp task priority(i % 4) shared(sum)
    __atomic_fetch_add(sum, 1, __ATOMIC_RELAXED);
  }
#pragma omp taskwait
}

int main(void) {
  setenv("OMP_MAX_TASK_PRIORITY", "3", 1); // the runtime reads it at the first construct
  for (int round = 0; round < 3; round++) {
    int sum = 0, ran = 0, threads = 0, many = round == 2 ? kMany : 6;
#pragma omp parallel shared(sum, ran, threads)
#pragma omp single
    {
      threads = omp_get_num_threads();
      make_short_tasks(many, &sum);
      if (threads > 1) {
        for (int i = 0; i < 20 * round; i++) sched_yield(); // the others may fall asleep
#pragma omp task priority(1) shared(ran)
        __atomic_store_n(&ran, 1, __ATOMIC_RELEASE);
        while (!__atomic_load_n(&ran, __ATOMIC_ACQUIRE)) sched_yield();
      }
      make_short_tasks(3, &sum);
    }
    if (sum != many + 3 || (threads > 1 && ran != 1)) {
      fprintf(stderr, "round %d: sum %d, ran %d\n", round, sum, ran);
      exit(1);
    }
  }
  return 0;
}
