// Locks in two orders, constructs that not all threads meet, results that the order decides.
#include "kinds.h"
#include <pthread.h>
#include <stdatomic.h>
#include <threads.h>

// SAYS: deadlock: every thread waits(.|\n)*waits for a lock at locks.c(.|\n)*holds since locks.c
PROGRAM(lock_order) {
  omp_lock_t locks[2];
  int n = 0;
  for (int i = 0; i < 2; ++i) omp_init_lock(&locks[i]);
#pragma omp parallel num_threads(2)
  {
    int first = FAULT(omp_get_thread_num()) CURE(0);
    omp_set_lock(&locks[first]);
    omp_set_lock(&locks[1 - first]);
    n++;
    omp_unset_lock(&locks[1 - first]);
    omp_unset_lock(&locks[first]);
  }
  for (int i = 0; i < 2; ++i) omp_destroy_lock(&locks[i]);
  return n > 0;
}

static mtx_t mutexes[2];

__attribute__((noinline)) static void take_both(int first) {
  mtx_lock(&mutexes[first]);
  mtx_lock(&mutexes[1 - first]);
  mtx_unlock(&mutexes[1 - first]);
  mtx_unlock(&mutexes[first]);
}

// SAYS: deadlock: every thread waits(.|\n)*waits in mtx_lock at locks.c:\d+
PROGRAM(lock_order_of_c11) {
  for (int i = 0; i < 2; ++i) mtx_init(&mutexes[i], mtx_plain);
#pragma omp parallel for schedule(static) num_threads(2)
  for (int i = 0; i < 2; ++i) take_both(FAULT(i) CURE(0));
  return 1;
}

PROGRAM(nestable_lock) {
  omp_nest_lock_t lock;
  int n = 0;
  omp_init_nest_lock(&lock);
#pragma omp parallel num_threads(3)
  {
    omp_set_nest_lock(&lock);
    omp_set_nest_lock(&lock);
    CURE(n++;)
    omp_unset_nest_lock(&lock);
    omp_unset_nest_lock(&lock);
    FAULT(n++;)
  }
  omp_destroy_nest_lock(&lock);
  return n > 0;
}

static pthread_rwlock_t readers = PTHREAD_RWLOCK_INITIALIZER;
static int count;

// SAYS: data race: `count`(.|\n)*locks.c:\d+
PROGRAM(written_under_read_lock) {
#pragma omp parallel for
  for (int i = 0; i < 4; ++i) {
#pragma omp task
    {
      FAULT(pthread_rwlock_rdlock(&readers);)
      CURE(pthread_rwlock_wrlock(&readers);)
      ++count;
      pthread_rwlock_unlock(&readers);
    }
  }
  return 1;
}

static int data;
static atomic_int flag;

// SAYS: data race: `data`
PROGRAM(flag_of_c11) {
  int seen = 0;
#pragma omp parallel sections num_threads(2) reduction(+ : seen)
  {
#pragma omp section
    {
      data = 1;
      atomic_store_explicit(&flag, 1, FAULT(memory_order_relaxed) CURE(memory_order_release));
    }
#pragma omp section
    {
      while (!atomic_load_explicit(&flag, FAULT(memory_order_relaxed) CURE(memory_order_acquire))) {
      }
      seen += data;
    }
  }
  return seen;
}

PROGRAM(flag_with_flushes) {
  int value = 0, raised = 0, seen = 0;
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      value = 2;
      CURE(OMP(flush))
#pragma omp atomic write
      raised = 1;
    }
#pragma omp section
    {
      int up = 0;
      while (!up) {
#pragma omp atomic read
        up = raised;
      }
      CURE(OMP(flush))
      seen = value;
    }
  }
  return seen;
}

// SAYS: worksharing not met by all
PROGRAM(single_of_some) {
  int n = 0;
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 1 CURE(|| 1)) {
#pragma omp single nowait
    n = 1;
  }
  return n >= 0;
}

// SAYS: wrong output: line 1.*\n.*in the order .*: \d
PROGRAM(result_by_order) {
  int last = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 6; ++i) {
#pragma omp task firstprivate(i) shared(last)
    {
#pragma omp critical
      if (FAULT(i >= 0) CURE(i > last)) last = i;
    }
  }
  return last;
}

static int u[16], v[16];

// SAYS: data race: `u\[
PROGRAM(nested_regions) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
    int first = FAULT(0 *) 4 * omp_get_thread_num();
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 4; ++i) u[first + i] += i;
  }
  return u[3] > 0;
}

// SAYS: data race: `u\[
PROGRAM(nowait_with_the_same_schedule) {
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < 16; ++i) u[i] = i;
#pragma omp for schedule(static) nowait
    for (int i = 0; i < 16; ++i) v[i] = u[FAULT(15 -) i];
  }
  return sum_of(v, 16) >= 0;
}

// SAYS: data race: a local variable
PROGRAM(ordered_too_small) {
  int last = 0, sum = 0;
#pragma omp parallel for ordered schedule(static, 1) num_threads(3) reduction(+ : sum)
  for (int i = 1; i < 9; ++i) {
    FAULT(sum += last;)
#pragma omp ordered
    {
      CURE(sum += last;)
      last = i;
    }
  }
  return sum >= 0;
}

PROGRAM(reductions_of_all_kinds) {
  int sum = 0, product = 1, most = 0, list[4] = {0}, seen = 0;
  double real = 0;
#pragma omp parallel
  {
#pragma omp for nowait reduction(+ : sum, real) reduction(* : product) reduction(+ : list[ : 4]) reduction(max : most)
    for (int i = 1; i < 9; ++i) {
      sum += i;
      product *= 2;
      real += i;
      list[i % 4] += i;
      most = i;
    }
    CURE(OMP(barrier))
#pragma omp single
    seen = sum;
  }
  return seen + product + most + (long)real + list[3] > 0;
}

PROGRAM(copies_of_single) {
  int ready = 0, sum = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
  {
    int own = 0;
#pragma omp master
    ready = 1;
    FAULT(sum += ready;)
    CURE(OMP(barrier))
#pragma omp single copyprivate(own)
    own = 5;
    sum += ready + own;
  }
  return sum > 0;
}
