// chomp --measure, which `chomp report` runs: what a task costs on this machine, and how long tasks have to be for it
// to be efficient. Prints "<ns per empty task> <ns of a task with 95 % efficiency>". With the variable CHOMP_RECORD
// set, what it measures is recorded, so that the caller learns what recording costs.
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "command.h"

// Short rounds, and many: on a machine with much to do one of them is undisturbed.
enum { kRounds = 200, kTasks = 250, kTurns = 500 };
static const double kEfficient = 0.95;

typedef int (*TaskEntry)(int32_t, void*);
static void* (*task_alloc)(void*, int32_t, int32_t, size_t, size_t, TaskEntry);
static int32_t (*task_spawn)(void*, int32_t, void*);
static int32_t (*taskwait)(void*, int32_t);
static void (*fork_call)(void*, int32_t, void (*)(int32_t*, int32_t*), ...);
static int (*team_size)(void);

// What each thread of the team does.
static int tasks;             // so many
static unsigned turns;        // of a task's loop
static int as_tasks;          // or by itself
static atomic_llong least_ns; // that this took a thread, of all rounds
static atomic_int arrivals;   // at meet(), of one round

// The bound is in a register: a loop that loads it each time takes a sixth longer in a task.
static void compute(void) {
  for (unsigned i = 0, end = turns; i < end; ++i) __asm__ volatile("");
}

static int task_body(int32_t thread, void* task) {
  (void)thread, (void)task;
  compute();
  return 0;
}

static long long now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

// Waits for the whole team, outside the library: a thread that waits inside takes the tasks of others.
static void meet(int size) {
  int until = (atomic_fetch_add(&arrivals, 1) / size + 1) * size;
  while (atomic_load(&arrivals) < until) sched_yield();
}

// Each thread times its own part: on a machine with much to do one of them is soon undisturbed, all together never.
static void member(int32_t* thread, int32_t* number) {
  (void)number;
  enum { kTied = 1, kTaskBytes = 40 };
  int size = team_size();
  meet(size);
  long long began_ns = now_ns();
  for (int i = 0; i < tasks; ++i) {
    if (as_tasks)
      task_spawn(NULL, *thread, task_alloc(NULL, *thread, kTied, kTaskBytes, 0, task_body));
    else
      compute();
  }
  if (as_tasks) taskwait(NULL, *thread);
  long long took_ns = now_ns() - began_ns, least = atomic_load(&least_ns);
  while (took_ns < least && !atomic_compare_exchange_weak(&least_ns, &least, took_ns));
  meet(size);
}

// The shortest of many rounds, in nanoseconds for each of a thread's tasks.
static double time_of(int count, unsigned turns_each, int with_tasks) {
  atomic_store(&least_ns, INT64_MAX);
  tasks = count;
  turns = turns_each;
  as_tasks = with_tasks;
  for (int round = 0; round < kRounds; ++round) {
    atomic_store(&arrivals, 0);
    fork_call(NULL, 0, member);
  }
  return (double)atomic_load(&least_ns) / count;
}

void measure(void) {
  open_library();
  *(void**)&task_alloc = must_find("__kmpc_omp_task_alloc");
  *(void**)&task_spawn = must_find("__kmpc_omp_task");
  *(void**)&taskwait = must_find("__kmpc_omp_taskwait");
  *(void**)&fork_call = must_find("__kmpc_fork_call");
  *(void**)&team_size = must_find("omp_get_num_threads");
  double empty = time_of(kTasks, 0, 1);
  double overhead = time_of(kTasks, kTurns, 1) - time_of(kTasks, kTurns, 0);
  if (overhead < empty) overhead = empty;
  printf("%.1f %.0f\n", empty, overhead * kEfficient / (1 - kEfficient));
}
