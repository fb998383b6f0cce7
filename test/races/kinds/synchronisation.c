// Waits, locks and orders that are missing.
#include "kinds.h"

enum { kCount = 12 };
static int a[kCount];

PROGRAM(nowait_before_the_use) {
  static int b[kCount];
#pragma omp parallel
  {
#pragma omp for schedule(dynamic) FAULT(nowait)
    for (int i = 0; i < kCount; ++i) a[i] = i;
#pragma omp for schedule(dynamic)
    for (int i = 0; i < kCount; ++i) b[i] = a[kCount - 1 - i];
  }
  return sum_of(b, kCount);
}

PROGRAM(sections_one_after_the_other) {
  int made = 0, used = 0;
#pragma omp parallel
  {
#pragma omp sections
    {
#pragma omp section
      made = 1;
#pragma omp section
      FAULT(used = made);
    }
#pragma omp single
    CURE(used = made);
  }
  return used >= 0;
}

// SAYS: data race: (.|\n)*thread \d of the parallel region at synchronisation.c(.|\n)*No barrier stands between
PROGRAM(no_critical) {
  int largest = 0;
#pragma omp parallel for
  for (int i = 0; i < kCount; ++i) {
    CURE(OMP(critical))
    if (i > largest) largest = i;
  }
  return largest;
}

PROGRAM(two_names_of_critical) {
  int sum = 0;
#pragma omp parallel sections
  {
#pragma omp section
    {
#pragma omp critical(left)
      sum += 1;
    }
#pragma omp section
    {
#pragma omp critical(FAULT(right) CURE(left))
      sum += 2;
    }
  }
  return sum > 0;
}

PROGRAM(master_without_barrier) {
  int value = 0, sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
#pragma omp master
    value = 1;
    CURE(OMP(barrier))
    sum += value;
  }
  return sum > 0;
}

PROGRAM(single_nowait) {
  int value = 0, sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
#pragma omp single FAULT(nowait)
    value = 1;
    sum += value;
  }
  return sum > 0;
}

PROGRAM(barrier_between_steps) {
  static int old[8], new[8];
#pragma omp parallel num_threads(4)
  for (int step = 0; step < 2; ++step) {
    int me = omp_get_thread_num();
    new[me] = old[(me + 1) % 4] + 1;
    CURE(OMP(barrier))
    old[me] = new[me];
    CURE(OMP(barrier))
  }
  return old[0] > 0;
}

PROGRAM(no_taskwait) {
  int left = 0, right = 0, both = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task shared(left)
    left = 1;
#pragma omp task shared(right)
    right = 2;
    CURE(OMP(taskwait))
    both = left + right;
  }
  return both >= 0;
}

PROGRAM(taskwait_for_grandchildren) {
  int value = 0, seen = 0;
#pragma omp parallel
#pragma omp single
  {
    CURE(OMP(taskgroup)){
#pragma omp task shared(value)
        {
#pragma omp task shared(value)
            value = 1;
  }
  OMP(taskwait)
}
seen = value;
}
return seen >= 0;
}

// SAYS: synchronisation.c:\d+ (reads|writes) it, in the task made at(.|\n)*no `depend` clauses
PROGRAM(no_depend) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task shared(value) depend(out : value)
    value = 1;
#pragma omp task shared(value) CURE(depend(inout : value))
    value += 2;
  }
  return value > 0;
}

PROGRAM(readers_that_write) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 3; ++i) {
#pragma omp task shared(value) depend(FAULT(in) CURE(mutexinoutset) : value)
    value += i;
  }
  return value >= 0;
}

PROGRAM(taskloop_without_group) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop num_tasks(4) FAULT(nogroup)
    for (int i = 0; i < kCount; ++i) a[i] = i;
    for (int i = 0; i < kCount; ++i) sum += a[i];
  }
  return sum >= 0;
}

PROGRAM(one_side_takes_the_lock) {
  omp_lock_t lock;
  int value = 0;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0 CURE(|| 1)) omp_set_lock(&lock);
    value++;
    if (omp_get_thread_num() == 0 CURE(|| 1)) omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
  return value > 0;
}

// SAYS: data race: a local variable(.|\n)*atomically
PROGRAM(one_side_is_atomic) {
  int count = 0, seen = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp atomic
    count++;
    if (omp_get_thread_num() == 0) {
      CURE(OMP(atomic read))
      seen = count;
    }
  }
  return seen > 0;
}

PROGRAM(flag_without_order) {
  int data = 0, flag = 0, got = 0;
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    data = 42;
#pragma omp atomic write FAULT(relaxed) CURE(release)
    flag = 1;
  } else {
    int up = 0;
#pragma omp atomic read FAULT(relaxed) CURE(acquire)
    up = flag;
    if (up) got = data;
  }
  return got >= 0;
}

PROGRAM(loop_without_ordered) {
  int last = -1, wrong = 0;
#pragma omp parallel for ordered schedule(dynamic)
  for (int i = 0; i < kCount; ++i) {
    CURE(OMP(ordered)) {
      wrong += i < last;
      last = i;
    }
  }
  return wrong >= 0;
}

PROGRAM(detached_task) {
  int value = 0, seen = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp task detach(event) shared(value)
    {
#pragma omp task firstprivate(event) shared(value)
      {
        FAULT(omp_fulfill_event(event);)
        value = 1;
        CURE(omp_fulfill_event(event);)
      }
    }
#pragma omp taskwait
    seen = value;
  }
  return seen >= 0;
}
