// Tasks: what waits for whom, and whose data they use.
#include "kinds.h"

static int u[16];

// SAYS: data race: `u\[2\]`
PROGRAM(depend_wrong_element) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 1; i < 4; ++i) {
#pragma omp task depend(out : u[i])
      u[i] = i;
    }
#pragma omp task depend(in : u[1], u[3] CURE(, u[2]))
    u[0] = u[1] + u[2] + u[3];
  }
  return u[0] >= 0;
}

// SAYS: data race: `u\[
PROGRAM(depend_chain) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 15; ++i) {
#pragma omp task CURE(depend(in : u[i])) depend(out : u[i + 1])
    u[i + 1] = u[i] + 1;
  }
  return u[15] > 0;
}

// SAYS: data race: `u\[1\]`
PROGRAM(depend_of_another_parent) { // dependences order siblings only
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    {
#pragma omp task depend(out : u[1])
      u[1] = 1;
#pragma omp taskwait
    }
    CURE(OMP(taskwait))
#pragma omp task
    {
#pragma omp task depend(in : u[1])
      u[2] = u[1];
#pragma omp taskwait
    }
  }
  return u[2] >= 0;
}

#ifdef __clang__ // GCC has no such set before 13
PROGRAM(set_of_writers) {
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 3; ++i) {
#pragma omp task depend(inoutset : u)
      u[i] += i;
    }
    for (int i = 0; i < 3; ++i) {
#pragma omp task depend(FAULT(inoutset) CURE(in) : u)
      u[8 + i] += u[0] + u[1] + u[2];
    }
#pragma omp task depend(inout : u)
    u[0] = u[8];
  }
  return u[0] >= 0;
}
#endif

// SAYS: data race: `u\[1\]`
PROGRAM(taskwait_for_another) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : u[0])
    u[0] = 1;
#pragma omp task depend(out : u[1])
    u[1] = 1;
#pragma omp taskwait depend(in : u[FAULT(0) CURE(1)])
    u[2] = u[1];
  }
  return u[2] >= 0;
}

// SAYS: data race: `u\[1\]`(.|\n)*tasks.c:\d+ writes it, in the task
PROGRAM(taskgroup_too_small) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    {
#pragma omp task
      u[0] = 1;
      FAULT(
    })
#pragma omp task
    u[1] = 2;
    CURE(
  })
    u[2] = u[0] + u[1];
}
return u[2] > 0;
}

// SAYS: data race: a local variable
PROGRAM(in_reduction_missing) {
  int sum = 0;
  long list[5] = {0};
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum) task_reduction(+ : list[0 : 5])
  for (int i = 0; i < 8; ++i) {
#pragma omp task in_reduction(+ : list[0 : 5]) FAULT(shared(sum)) CURE(in_reduction(+ : sum))
    {
      sum += i;
      list[i % 5] += i;
#pragma omp task in_reduction(+ : sum)
      sum += 1;
    }
  }
  return sum > 0 && list[0] >= 0;
}

PROGRAM(taskloop_sum) {
  int last = 0, total = 0, base = 3;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop num_tasks(4) firstprivate(base) lastprivate(last)
    for (int i = 0; i < 8; ++i) {
      u[i] = base + i;
      last = i;
    }
#pragma omp taskloop num_tasks(4) CURE(reduction(+ : total))
    for (int i = 0; i < 8; ++i) total += u[i];
  }
  return last + (total >= 0);
}

// SAYS: deadlock(.|\n)*has run, but nobody fulfils its event
PROGRAM(event_never_fulfilled) {
#pragma omp parallel
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp task detach(event)
    u[0] = 1;
    FAULT((void)event;)
    CURE(omp_fulfill_event(event);)
#pragma omp taskwait
  }
  return u[0];
}

// SAYS: data race: `u\[1\]`
PROGRAM(detached_task_orders_too_little) {
#pragma omp parallel
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : u[0])
    u[0] = 1;
#pragma omp task firstprivate(event)
    {
      FAULT(omp_fulfill_event(event);)
      u[1] = 2;
      CURE(omp_fulfill_event(event);)
    }
#pragma omp task depend(in : u[0])
    u[2] = u[0] + u[1];
  }
  return u[2] > 0;
}

static int made[16][16];

// SAYS: data race: `made\[(.|\n)*it, in the task made at(.|\n)*An untied task may go on on another thread
PROGRAM(untied_yields) {
#pragma omp parallel num_threads(2)
#pragma omp task untied
  {
    int* own = made[omp_get_thread_num()];
    ++*own;
#pragma omp taskyield
    CURE(own = made[omp_get_thread_num()];)
    ++*own;
  }
  return 1;
}

// SAYS: data race: `made\[(.|\n)*it, in the task made at(.|\n)*An untied task may go on on another thread
PROGRAM(untied_makes_a_task) {
#pragma omp parallel num_threads(2)
#pragma omp task untied
  {
    int* own = made[omp_get_thread_num()];
    ++*own;
#pragma omp task
    printf("one\n");
    CURE(own = made[omp_get_thread_num()];)
    ++*own;
  }
  return 1;
}

static int counted;
#pragma omp threadprivate(counted)

// SAYS: data race:
PROGRAM(threadprivate_of_the_creator) {
  int all = 0;
#pragma omp parallel num_threads(3)
  {
#pragma omp single
    {
      int* of_creator = &counted;
      for (int i = 0; i < 4; ++i) {
#pragma omp task firstprivate(of_creator)
        *FAULT(of_creator) CURE((of_creator != NULL ? &counted : NULL)) += 1;
      }
    }
#pragma omp critical
    all += counted;
  }
  return all > 0;
}

PROGRAM(cancelled_search) {
  int found = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  for (int i = 0; i < 8; ++i) {
#pragma omp task firstprivate(i) shared(found)
    {
      if (i >= 5) {
        CURE(OMP(atomic write))
        found = 1;
#pragma omp cancel taskgroup
      }
#pragma omp cancellation point taskgroup
    }
  }
  return found >= 0;
}

PROGRAM(tasks_that_their_creator_runs) {
#pragma omp parallel
#pragma omp single
  {
    u[0] = 1;
#pragma omp task CURE(if (0))
    u[1] = u[0] + 1;
    u[2] = u[1] + 1;
#pragma omp task final(1)
    {
      u[3] = 1;
#pragma omp task
      u[3] += 1;
      u[3] += 1;
    }
  }
  return u[3];
}

static long reduced_by_untied_tasks(void) {
  long x = 0;
#pragma omp taskgroup task_reduction(+ : x)
  for (int i = 0; i < 2; ++i) {
#pragma omp task in_reduction(+ : x) untied
    {
      x += 1;
#pragma omp taskyield
    }
  }
  return x;
}

// A team of one has no copies to reduce into.
PROGRAM(untied_reduction_in_a_team_of_one) {
  static long total;
  FAULT(OMP(parallel num_threads(2)))
  total = reduced_by_untied_tasks();
  return total;
}

// The function names the variable itself; its tasks have the copies of the region's threads.
static unsigned char reduced_elsewhere;
static void adds_bits(int k) {
#pragma omp task CURE(in_reduction(^ : reduced_elsewhere)) if (k % 2)
  reduced_elsewhere ^= (unsigned char)k;
}
PROGRAM(reduction_named_in_a_function) {
  reduced_elsewhere = 9;
#pragma omp parallel num_threads(2) reduction(task, ^ : reduced_elsewhere)
#pragma omp for
  for (int k = 0; k < 6; ++k) {
    adds_bits(k);
    adds_bits(k + 1);
  }
  return reduced_elsewhere + 1;
}

#ifdef __clang__ // the compiler's calls; newer ones have the clause
#include "../../support/newer_tasks.h"
static int inside_value, outside_value;
static void writes(void* value) { *(int*)value = 1; }
static void reads(void* value) { outside_value = *(int*)value; }
static void has_a_child(void* value) { newer_spawn_task_after(newer_task(kTied, writes, value), kOut, value); }
PROGRAM(child_of_a_transparent_task) {
#pragma omp parallel
#pragma omp single
  {
    enum { kFlags = kTied CURE(| kTransparent) };
    newer_spawn_task_after(newer_task(kFlags, has_a_child, &inside_value), kOut, &outside_value);
    newer_spawn_task_after(newer_task(kTied, reads, &inside_value), kInOut, &outside_value);
  }
  return inside_value + outside_value;
}
#endif
