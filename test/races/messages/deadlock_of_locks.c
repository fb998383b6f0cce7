// RUN: %each-message %t %s
// clang-format off
// SAYS: chomp explore: deadlock: every thread waits
// SAYS:     thread 0 of the parallel region at deadlock_of_locks.c:17 waits for a lock at deadlock_of_locks.c:10, which thread 1 of the parallel region at deadlock_of_locks.c:17 holds since deadlock_of_locks.c:9
// SAYS:     thread 1 of the parallel region at deadlock_of_locks.c:17 waits for a lock at deadlock_of_locks.c:10, which thread 0 of the parallel region at deadlock_of_locks.c:17 holds since deadlock_of_locks.c:9
// clang-format on
#include <omp.h>
static __attribute__((noinline)) void both(omp_lock_t* first, omp_lock_t* second) {
  omp_set_lock(first);
  omp_set_lock(second);
  omp_unset_lock(second);
  omp_unset_lock(first);
}

static omp_lock_t a, b;
int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp single
    omp_init_lock(&a), omp_init_lock(&b);
    omp_get_thread_num() == 0 ? both(&a, &b) : both(&b, &a);
  }
}
