// However many tasks a program makes, of whatever kind, its memory follows those that exist at a time. Each kind runs
// in a process of its own, so that what one leaves behind does not serve the next. CHOMP_STRESS=8 makes a million of
// each. (Sanitizers keep memory of their own.)
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clangxx-openmp %s -o %t && env OMP_CANCELLATION=true OMP_MAX_TASK_PRIORITY=9 %for-threads -t "1 2 3 4" %t
// RUN: %if gomp-cxx %{ %gxx-openmp %s -o %t.gcc && env OMP_CANCELLATION=true OMP_MAX_TASK_PRIORITY=9 %for-threads -t "1 2 3 4" %t.gcc %}
#include "support/process.h"
#include <omp.h>
#include <sys/wait.h>

static int shared_by_all, places[64];
static long sum;

struct Object { // firstprivate objects have constructors and destructors
  int value = 1;
  Object() = default;
  Object(const Object& other) : value(other.value) {}
  ~Object() { value = 0; }
};

// Each makes about `count` tasks, in one thread of a region.

static void plain(int count) {
  for (int i = 0; i < count; i++) {
#pragma omp task
    ATOMIC_ADD(shared_by_all, 1);
  }
}
static void untied(int count) {
  for (int i = 0; i < count; i++) {
#pragma omp task untied
    {
#pragma omp taskyield
      ATOMIC_ADD(shared_by_all, 1);
    }
  }
}
static void undeferred(int count) {
  for (int i = 0; i < count; i++) {
#pragma omp task if (0)
    ATOMIC_ADD(shared_by_all, 1);
  }
}
static void final_and_mergeable(int count) {
  for (int i = 0; i < count / 2; i++) {
#pragma omp task final(i % 2) mergeable
    {
#pragma omp task
      ATOMIC_ADD(shared_by_all, 1);
    }
  }
}
static void large(int count) {
  struct { // not a bare array: Clang expects one at a multiple of 16, and does not lay it out there
    char bytes[3000];
  } payload = {{1}};
  for (int i = 0; i < count / 4; i++) {
#pragma omp task firstprivate(payload)
    ATOMIC_ADD(shared_by_all, payload.bytes[0]);
  }
}
static void objects(int count) {
  Object object;
  for (int i = 0; i < count; i++) {
#pragma omp task firstprivate(object)
    ATOMIC_ADD(shared_by_all, object.value);
  }
}
static void waited_for(int count) {
  for (int i = 0; i < count / 2; i++) {
#pragma omp task
    {
#pragma omp task
      ATOMIC_ADD(shared_by_all, 1);
#pragma omp taskwait
    }
  }
}
static void left_behind(int count) { // by parents that end before them
  for (int i = 0; i < count / 3; i++) {
#pragma omp task
    {
#pragma omp task
      {
#pragma omp task
        ATOMIC_ADD(shared_by_all, 1);
      }
    }
  }
}
static void in_groups(int count) {
  for (int i = 0; i < count; i++) {
#pragma omp taskgroup
    {
#pragma omp task
      ATOMIC_ADD(shared_by_all, 1);
    }
  }
}
static void with_priority(int count) {
  for (int i = 0; i < count; i++) {
#pragma omp task priority(i % 5)
    ATOMIC_ADD(shared_by_all, 1);
  }
}
static void dependent(int count) {
  for (int i = 0; i < count; i++) {
#pragma omp task depend(inout : places[i % 64]) depend(in : places[i * 7 % 64])
    ATOMIC_ADD(shared_by_all, 1);
  }
}
static void dependent_sets(int count) {
  for (int i = 0; i < count; i++) {
#pragma omp task depend(mutexinoutset : places[i % 3])
    ATOMIC_ADD(shared_by_all, 1);
  }
}
static void dependent_undeferred(int count) {
  for (int i = 0; i < count / 2; i++) {
#pragma omp task depend(out : places[i % 3])
    ATOMIC_ADD(shared_by_all, 1);
#pragma omp task depend(in : places[i % 3]) if (0)
    ATOMIC_ADD(shared_by_all, 1);
#pragma omp taskwait depend(in : places[i % 3])
  }
}
static void detached(int count) {
  for (int i = 0; i < count; i++) {
    omp_event_handle_t event{};
#pragma omp task detach(event)
    omp_fulfill_event(event);
  }
}
static void detached_by_siblings(int count) {
  for (int i = 0; i < count / 2; i++) {
    omp_event_handle_t event{};
#pragma omp task detach(event)
    ATOMIC_ADD(shared_by_all, 1);
#pragma omp task firstprivate(event)
    omp_fulfill_event(event);
  }
}
static void reducing(int count) {
  for (int i = 0; i < count / 4; i++) {
#pragma omp taskgroup task_reduction(+ : sum)
    {
      for (int k = 0; k < 4; k++) {
#pragma omp task in_reduction(+ : sum)
        sum += 1;
      }
    }
  }
}
static void cancelled(int count) {
  for (int i = 0; i < count / 2; i++) {
#pragma omp taskgroup
    {
#pragma omp task
      {
#pragma omp cancel taskgroup
      }
#pragma omp task
      ATOMIC_ADD(shared_by_all, 1);
    }
  }
}
// Of taskloops, the constructs count as well as the tasks.
static void loops(int count) {
  for (int i = 0; i < count / 2; i++) {
#pragma omp taskloop num_tasks(2)
    for (int k = 0; k < 2; k++) ATOMIC_ADD(shared_by_all, 1);
  }
}
static void loops_of_one_task(int count) {
  for (int i = 0; i < count; i++) {
#pragma omp taskloop grainsize(8)
    for (int k = 0; k < 2; k++) ATOMIC_ADD(shared_by_all, 1);
  }
}
static void loops_without_group(int count) {
  for (int i = 0; i < count / 2; i++) {
#pragma omp taskloop num_tasks(2) nogroup untied
    for (int k = 0; k < 2; k++) ATOMIC_ADD(shared_by_all, 1);
  }
}
static void loops_undeferred(int count) {
  for (int i = 0; i < count / 2; i++) {
#pragma omp taskloop num_tasks(2) if (0)
    for (int k = 0; k < 2; k++) ATOMIC_ADD(shared_by_all, 1);
  }
}
static void loops_empty(int count) {
  volatile unsigned none = 0;
  for (int i = 0; i < count; i++) {
#pragma omp taskloop
    for (unsigned k = 0; k < none; k++) ATOMIC_ADD(shared_by_all, 1);
  }
}
static void loops_with_priority(int count) {
  for (int i = 0; i < count / 2; i++) {
#pragma omp taskloop num_tasks(2) priority(3)
    for (int k = 0; k < 2; k++) ATOMIC_ADD(shared_by_all, 1);
  }
}
static void loops_with_objects(int count) {
  Object object;
  int last = 0;
  for (int i = 0; i < count / 2; i++) {
#pragma omp taskloop num_tasks(2) firstprivate(object) lastprivate(last)
    for (int k = 0; k < 2; k++) {
      last = k;
      ATOMIC_ADD(shared_by_all, object.value);
    }
    CHECK_EQ(last, 1);
  }
}
static void loops_reducing(int count) {
  for (int i = 0; i < count / 2; i++) {
#pragma omp taskloop num_tasks(2) reduction(+ : sum)
    for (int k = 0; k < 2; k++) sum += k;
  }
}
static void loops_with_children(int count) {
  for (int i = 0; i < count / 4; i++) {
#pragma omp taskloop num_tasks(2)
    for (int k = 0; k < 2; k++) {
#pragma omp task
      ATOMIC_ADD(shared_by_all, 1);
    }
  }
}
static void loops_in_tasks(int count) { // the loop's thread changes from loop to loop
  for (int i = 0; i < count / 3; i++) {
#pragma omp task
    {
#pragma omp taskloop num_tasks(2)
      for (int k = 0; k < 2; k++) ATOMIC_ADD(shared_by_all, 1);
    }
  }
}

static const struct {
  const char* name;
  void (*make)(int count);
} kinds[] = {
#define KIND(function) {#function, function}
    KIND(plain),
    KIND(untied),
    KIND(undeferred),
    KIND(final_and_mergeable),
    KIND(large),
    KIND(objects),
    KIND(waited_for),
    KIND(left_behind),
    KIND(in_groups),
    KIND(with_priority),
    KIND(dependent),
    KIND(dependent_sets),
    KIND(dependent_undeferred),
    KIND(detached),
    KIND(detached_by_siblings),
    KIND(reducing),
    KIND(cancelled),
    KIND(loops),
    KIND(loops_of_one_task),
    KIND(loops_without_group),
    KIND(loops_undeferred),
    KIND(loops_empty),
    KIND(loops_with_priority),
    KIND(loops_with_objects),
    KIND(loops_reducing),
    KIND(loops_with_children),
    KIND(loops_in_tasks),
};

static void run(void (*make)(int), int count) {
#pragma omp parallel
#pragma omp single
  make(count);
}

int main(int argc, char** argv) {
  const int count = SCALED(1 << 17) * stress_factor();
  for (const auto& kind : kinds) {
    if (argc > 1 && strcmp(argv[1], kind.name) != 0) continue;
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      run(kind.make, SCALED(1 << 15));
#ifndef CHOMP_SANITIZED // whose own memory grows
      // A leak of one block for each task, or for four of them, is 2 MiB at least, each time. How many tasks exist at a
      // time is chance, if threads are more than CPUs: memory may grow until the most have existed, but not for ever.
      constexpr long kLeak = 3 << 9;
      long growth = kLeak;
      for (int round = 0; round < 4 && growth >= kLeak; ++round) {
        long before = process_status("VmRSS:");
        run(kind.make, count);
        growth = process_status("VmRSS:") - before;
      }
      if (growth >= kLeak) fprintf(stderr, "%s: %ld KiB more\n", kind.name, growth);
      CHECK(growth < kLeak);
#else
      run(kind.make, count);
#endif
      exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK_EQ(status, 0);
  }
  return 0;
}
