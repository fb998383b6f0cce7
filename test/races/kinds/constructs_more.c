// The second part of the table (constructs.c): tasks, devices, and what orders.
#include "kinds.h"

enum { kCount = 6 };
static int x, y, a[kCount + 1], b[kCount + 1];

__attribute__((noinline)) static void add_atomically(int* to) {
#pragma omp atomic
  *to += 1;
}

// ---- Tasks ----------------------------------------------------------------------------------------------------------

#define BY_ONE OMP(parallel num_threads(2)) OMP(single)

PROGRAM(task) {
  BY_ONE {
#pragma omp task
    x = 1;
#pragma omp task
    FAULT(x) CURE(y) = 2;
  }
  return x > 0;
}

PROGRAM(task_if_false) {
  BY_ONE {
#pragma omp task CURE(if (0))
    x = 1;
    x += 2;
  }
  return x > 0;
}

PROGRAM(task_final) { // its children are included
  BY_ONE {
#pragma omp task CURE(final(1))
    {
#pragma omp task
      x = 1;
      x += 2;
    }
  }
  return x > 0;
}

PROGRAM(task_untied) {
  BY_ONE {
    for (int i = 0; i < 2; ++i) {
#pragma omp task untied
      {
#pragma omp taskyield
        CURE(OMP(atomic))
        x++;
      }
    }
  }
  return x > 0;
}

PROGRAM(task_mergeable) {
  BY_ONE {
#pragma omp task mergeable
    x = 1;
    CURE(OMP(taskwait))
    x += 1;
  }
  return x > 0;
}

PROGRAM(task_priority) { // is no order
  BY_ONE {
#pragma omp task priority(9) CURE(depend(out : x))
    x = 1;
#pragma omp task priority(1) CURE(depend(in : x))
    y = x;
  }
  return x > 0;
}

PROGRAM(task_firstprivate) {
  BY_ONE {
    int t = 1, *address = &t;
#pragma omp task FAULT(firstprivate(address)) CURE(firstprivate(t))
    FAULT(*address) CURE(t) += 1;
    *address += 1;
#pragma omp taskwait
  }
  return x >= 0;
}

PROGRAM(task_in_reduction) {
  int t = 0;
  BY_ONE {
#pragma omp taskgroup CURE(task_reduction(+ : t))
    for (int i = 0; i < 3; ++i) {
#pragma omp task CURE(in_reduction(+ : t)) FAULT(shared(t))
      t += i;
    }
  }
  return t >= 0;
}

PROGRAM(task_reduction_of_region) {
  int t = 0;
#pragma omp parallel num_threads(2) CURE(reduction(task, + : t))
#pragma omp master
  for (int i = 0; i < 3; ++i) {
#pragma omp task CURE(in_reduction(+ : t)) FAULT(shared(t))
    t += i;
  }
  return t >= 0;
}

PROGRAM(task_detach) {
  BY_ONE {
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : y)
    {
    }
#pragma omp task firstprivate(event)
    {
      x = 1;
      omp_fulfill_event(event);
    }
#pragma omp task CURE(depend(in : y))
    a[0] = x;
  }
  return x >= 0;
}

PROGRAM(depend_out_in) {
  BY_ONE {
#pragma omp task depend(out : x)
    x = 1;
#pragma omp task depend(in : FAULT(y) CURE(x))
    y = x;
  }
  return x >= 0;
}

PROGRAM(depend_inout) {
  BY_ONE {
    for (int i = 0; i < 3; ++i) {
#pragma omp task depend(FAULT(in) CURE(inout) : x)
      x += i;
    }
  }
  return x >= 0;
}

PROGRAM(depend_mutexinoutset) {
  BY_ONE {
    for (int i = 0; i < 3; ++i) {
#pragma omp task depend(CURE(mutexinoutset) FAULT(in) : x)
      x += i;
    }
  }
  return x >= 0;
}

PROGRAM(depend_iterator) {
  BY_ONE {
    for (int i = 0; i < 3; ++i) {
#pragma omp task depend(out : a[i]) firstprivate(i)
      a[i] = i;
    }
#pragma omp task depend(iterator(int i = 0 : FAULT(2) CURE(3)), in : a[i])
    x = a[0] + a[1] + a[2];
  }
  return x >= 0;
}

PROGRAM(depobj) {
  BY_ONE {
    omp_depend_t object;
#pragma omp depobj(object) depend(inout : x)
    for (int i = 0; i < 2; ++i) {
#pragma omp task CURE(depend(depobj : object))
      x += 1;
    }
#pragma omp taskwait
#pragma omp depobj(object) destroy
  }
  return x >= 0;
}

PROGRAM(taskwait) {
  BY_ONE {
#pragma omp task
    x = 1;
    CURE(OMP(taskwait))
    y = x;
  }
  return y >= 0;
}

PROGRAM(taskwait_depend) {
  BY_ONE {
#pragma omp task depend(out : x)
    x = 1;
#pragma omp task depend(out : y)
    y = 1;
#pragma omp taskwait depend(in : FAULT(y) CURE(x))
    a[0] = x;
  }
  return a[0] >= 0;
}

PROGRAM(taskgroup) {
  BY_ONE {
    CURE(OMP(taskgroup)) {
#pragma omp task
      {
#pragma omp task
        x = 1;
      }
    }
    FAULT(OMP(taskwait))
    y = x;
  }
  return y >= 0;
}

PROGRAM(taskloop) {
  BY_ONE {
#pragma omp taskloop num_tasks(3)
    for (int i = 0; i < kCount; ++i) a[i] = a[i FAULT(+1)] + 1;
  }
  return a[1] > 0;
}

PROGRAM(taskloop_nogroup) {
  BY_ONE {
#pragma omp taskloop grainsize(2) FAULT(nogroup)
    for (int i = 0; i < kCount; ++i) a[i] = i;
    x = a[3];
  }
  return a[1] > 0;
}

PROGRAM(taskloop_reduction) {
  int t = 0;
  BY_ONE {
#pragma omp taskloop num_tasks(3) CURE(reduction(+ : t)) FAULT(shared(t))
    for (int i = 0; i < kCount; ++i) t += i;
  }
  return t >= 0;
}

PROGRAM(taskloop_lastprivate) {
  int t = 0;
  BY_ONE {
#pragma omp taskloop num_tasks(3) CURE(lastprivate(t)) FAULT(shared(t))
    for (int i = 0; i < kCount; ++i) t = i;
  }
  return t >= 0;
}

// ---- Devices, on the host -------------------------------------------------------------------------------------------

PROGRAM(target) {
#pragma omp target map(tofrom : x)
#pragma omp parallel num_threads(2)
  {
    CURE(OMP(atomic))
    x++;
  }
  return x > 0;
}

PROGRAM(target_nowait) {
  BY_ONE {
#pragma omp target map(tofrom : x) nowait
    x = 1;
    CURE(OMP(taskwait))
    y = x;
  }
  return y >= 0;
}

PROGRAM(target_depend) {
  BY_ONE {
#pragma omp target map(tofrom : x) nowait depend(out : x)
    x = 1;
#pragma omp target map(tofrom : x, y) nowait depend(in : FAULT(y) CURE(x))
    y = x;
  }
  return y >= 0;
}

PROGRAM(target_teams) {
  int t = 0;
#pragma omp target teams num_teams(2) map(tofrom : t)
  FAULT(t++) CURE(add_atomically(&t));
  return t > 0;
}

PROGRAM(target_teams_loop) {
#pragma omp target teams distribute parallel for num_teams(2) map(tofrom : a)
  for (int i = 0; i < kCount; ++i) a[i] = a[i FAULT(+1)] + 1;
  return a[1] > 0;
}

// ---- Order ----------------------------------------------------------------------------------------------------------

PROGRAM(critical) {
#pragma omp parallel num_threads(2)
  {
    CURE(OMP(critical))
    x++;
  }
  return x > 0;
}

PROGRAM(critical_of_two_names) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
#pragma omp critical(one)
      x++;
    }
#pragma omp section
    {
      FAULT(OMP(critical(two))) CURE(OMP(critical(one))) x++;
    }
  }
  return x > 0;
}

PROGRAM(barrier) {
#pragma omp parallel num_threads(2)
  {
    a[omp_get_thread_num() & 1] = 1;
    CURE(OMP(barrier))
    b[omp_get_thread_num() & 1] = a[~omp_get_thread_num() & 1];
  }
  return b[0] >= 0;
}

PROGRAM(atomic_read_write) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
#pragma omp atomic write
      x = 1;
    }
#pragma omp section
    {
      CURE(OMP(atomic read))
      y = x;
    }
  }
  return y >= 0;
}

PROGRAM(atomic_capture) {
#pragma omp parallel num_threads(2)
  {
    int t;
    CURE(OMP(atomic capture))
    t = x++;
    a[t & 1] = 1;
  }
  return x >= 0;
}

static int flag;
PROGRAM(atomic_hands_over) {
  flag = 0;
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      x = 1;
#pragma omp atomic write CURE(release)
      flag = 1;
    }
#pragma omp section
    for (int seen = 0; !seen;) {
#pragma omp atomic read CURE(acquire)
      seen = flag;
      if (seen) y = x;
    }
  }
  return y >= 0;
}

PROGRAM(flush) {
  flag = 0;
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      x = 1;
      CURE(OMP(flush))
#pragma omp atomic write
      flag = 1;
    }
#pragma omp section
    {
      for (int seen = 0; !seen;) {
#pragma omp atomic read
        seen = flag;
      }
#pragma omp flush
      y = x;
    }
  }
  return y >= 0;
}

static omp_lock_t guard, other;
PROGRAM(lock) {
  omp_init_lock(&guard);
  omp_init_lock(&other);
#pragma omp parallel num_threads(2)
  {
    omp_lock_t* used = FAULT(omp_get_thread_num() ? &other :) & guard;
    omp_set_lock(used);
    x++;
    omp_unset_lock(used);
  }
  return x;
}

PROGRAM(test_lock) {
  omp_init_lock(&guard);
#pragma omp parallel num_threads(2)
  {
    int has = omp_test_lock(&guard);
    CURE(if (has)) x++;
    if (has) omp_unset_lock(&guard);
  }
  return x > 0;
}

static omp_nest_lock_t nest;
PROGRAM(nest_lock) {
  omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(2)
  {
    omp_set_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
    CURE(x++;)
    omp_unset_nest_lock(&nest);
    FAULT(x++;)
  }
  return x > 0;
}

PROGRAM(cancel_for) {
#pragma omp parallel num_threads(2)
#pragma omp for
  for (int i = 0; i < kCount; ++i) {
#pragma omp cancellation point for
    CURE(OMP(atomic write))
    x = 1;
    if (i == 3) {
#pragma omp cancel for
    }
  }
  return x;
}

PROGRAM(cancel_taskgroup) {
  BY_ONE {
#pragma omp taskgroup
    for (int i = 0; i < 3; ++i) {
#pragma omp task
      {
        CURE(OMP(atomic write))
        x = 1;
#pragma omp cancel taskgroup
      }
    }
  }
  return x;
}
