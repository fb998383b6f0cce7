// Locks of every kind guard plain counters.
#include "support/check.h"
#include <omp.h>

static omp_lock_t lock;
static omp_nest_lock_t nest;

static void deeper(int* counter, int depth) {
  omp_set_nest_lock(&nest);
  ++*counter;
  if (depth > 1) deeper(counter, depth - 1);
  omp_unset_nest_lock(&nest);
}

int main(void) {
  int simple = 0, tried = 0, nested = 0, named = 0, other = 0, in_tasks = 0, threads = 0;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
#pragma omp parallel
  {
#pragma omp single nowait
    threads = omp_get_num_threads();
    for (int i = 0; i < 2; i++) {
      omp_set_lock(&lock);
      simple++;
      omp_unset_lock(&lock);
    }
    while (!omp_test_lock(&lock)) sched_yield();
    tried++;
    omp_unset_lock(&lock);
    deeper(&nested, 2);
    if (omp_test_nest_lock(&nest)) omp_unset_nest_lock(&nest);
#pragma omp critical(one)
    named++;
#pragma omp critical
    other++;
#pragma omp task shared(in_tasks)
#pragma omp critical(tasks)
    in_tasks++;
  }
  CHECK_EQ(simple, 2 * threads);
  CHECK_EQ(tried, threads);
  CHECK_EQ(nested, 2 * threads);
  CHECK_EQ(named, threads);
  CHECK_EQ(other, threads);
  CHECK_EQ(in_tasks, threads);
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest);
  return 0;
}
