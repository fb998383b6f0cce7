// A task of no region (alpi_task_spawn) runs whatever the program's threads do: outside of regions, beside members that
// sleep or are in long tasks, from threads that OpenMP does not know. Its callback comes after all its descendants and
// their events. Several take turns where they wait or block. Spawned tasks may spawn others, and begin regions. A task
// whose body is suspended (alpi_task_suspend) is run again, as the mode says, and ends when it has not suspended.
// RUN: %clang-openmp -I%root %s -o %t && %for-threads %t
// RUN: env OMP_PROC_BIND=true %for-threads -t "1 3 8" %t
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>

#define CHOMP_WEAK
#include "abi/alpi.h"
#include "support/check.h"

enum { kTasks = 16 };
static _Atomic int begun, callbacks, polls;

static void spawn(void (*body)(void*), void* argument, void (*ended)(void*), void* ended_argument) {
  CHECK_EQ(alpi_task_spawn(body, argument, ended, ended_argument, "a task", NULL), ALPI_SUCCESS);
}
static void count(void* counter) { atomic_fetch_add((_Atomic int*)counter, 1); }
static void wait_for(_Atomic int* counter, int value) { SPIN_UNTIL(atomic_load(counter) == value); }
static void pause_task(uint64_t ns) { CHECK_EQ(alpi_task_waitfor_ns(ns, NULL), ALPI_SUCCESS); }

static struct alpi_task* self_of_caller(void) {
  struct alpi_task* self = NULL;
  CHECK_EQ(alpi_task_self(&self), ALPI_SUCCESS);
  CHECK(self != NULL);
  return self;
}

// ---- Where nobody waits ---------------------------------------------------------------------------------------------

static void many(void) {
  atomic_store(&begun, 0);
  atomic_store(&callbacks, 0);
  for (int i = 0; i < kTasks; ++i) spawn(count, (void*)&begun, count, (void*)&callbacks);
  wait_for(&callbacks, kTasks);
  CHECK_EQ(atomic_load(&begun), kTasks);
}

static void* spawn_in_thread(void* unused) {
  for (int i = 0; i < kTasks; ++i) spawn(count, (void*)&begun, count, (void*)&callbacks);
  return unused;
}

static void from_threads(void) {
  pthread_t threads[3];
  atomic_store(&begun, 0);
  atomic_store(&callbacks, 0);
  for (int i = 0; i < 3; ++i) CHECK_EQ(pthread_create(&threads[i], NULL, spawn_in_thread, NULL), 0);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  wait_for(&callbacks, 3 * kTasks);
  CHECK_EQ(atomic_load(&begun), 3 * kTasks);
}

// All are in the middle at once: each waits for the others.
static void meet(void* unused) {
  (void)unused;
  CHECK_EQ(omp_in_parallel(), 0);
  atomic_fetch_add(&begun, 1);
  do pause_task(1000);
  while (atomic_load(&begun) < kTasks);
}

static void they_take_turns(void) {
  atomic_store(&begun, 0);
  atomic_store(&callbacks, 0);
  for (int i = 0; i < kTasks; ++i) spawn(meet, NULL, count, (void*)&callbacks);
  wait_for(&callbacks, kTasks);
}

// ---- The callback comes last ----------------------------------------------------------------------------------------

static _Atomic(struct alpi_task*) with_event;
static _Atomic int children, last;

static void end_late(void* unused) {
  (void)unused;
  struct alpi_task* self = self_of_caller();
  CHECK_EQ(alpi_task_events_increase(self, 2), ALPI_SUCCESS);
  for (int i = 0; i < 4; ++i) {
#pragma omp task
    {
      pause_task(10000);
      atomic_fetch_add(&children, 1);
    }
  }
  CHECK_EQ(alpi_task_events_decrease(self, 1), ALPI_SUCCESS);
  atomic_store(&with_event, self);
}
static void called_last(void* event) {
  CHECK_EQ(atomic_load((_Atomic int*)event), 1);
  CHECK_EQ(atomic_load(&children), 4);
  atomic_store(&last, 1);
}

static void callback_waits_for_events(void) {
  _Atomic int event = 0;
  atomic_store(&with_event, NULL);
  atomic_store(&children, 0);
  atomic_store(&last, 0);
  spawn(end_late, NULL, called_last, (void*)&event);
  SPIN_UNTIL(atomic_load(&with_event) != NULL);
  wait_for(&children, 4);
  atomic_store(&event, 1);
  CHECK_EQ(alpi_task_events_decrease(atomic_load(&with_event), 1), ALPI_SUCCESS);
  wait_for(&last, 1);
}

static void end_early(void* unused) {
  (void)unused;
#pragma omp task
  {
#pragma omp task
    {
      pause_task(10000);
      atomic_fetch_add(&children, 1);
    }
    pause_task(1000);
    atomic_fetch_add(&children, 1);
  }
}
static void called_after_two(void* unused) {
  (void)unused;
  CHECK_EQ(atomic_load(&children), 2);
  atomic_store(&last, 1);
}

static void callback_waits_for_descendants(void) {
  atomic_store(&children, 0);
  atomic_store(&last, 0);
  spawn(end_early, NULL, called_after_two, NULL);
  wait_for(&last, 1);
}

// ---- Polling --------------------------------------------------------------------------------------------------------

typedef struct {
  _Atomic(struct alpi_task*) task;
} Waiter;
static Waiter waiters[kTasks];
static _Atomic int stop;

static int look(void) {
  atomic_fetch_add(&polls, 1);
  for (int i = 0; i < kTasks; ++i) {
    struct alpi_task* task = atomic_exchange(&waiters[i].task, NULL);
    if (task != NULL) CHECK_EQ(alpi_task_unblock(task), ALPI_SUCCESS);
  }
  return atomic_load(&stop);
}
static void poll_by_waiting(void* unused) {
  (void)unused;
  while (!look()) pause_task(20000);
}
static void poll_by_suspending(void* unused) {
  (void)unused;
  struct alpi_task* self = self_of_caller();
  if (look()) return;
  CHECK_EQ(alpi_task_suspend_mode_set(self, ALPI_SUSPEND_TIMEOUT_SUBMIT, 20000), ALPI_SUCCESS);
  CHECK_EQ(alpi_task_suspend(self), ALPI_SUCCESS);
}

static void block_in_turn(int i) {
  struct alpi_task* self = self_of_caller();
  atomic_store(&waiters[i].task, self);
  CHECK_EQ(alpi_task_block(self), ALPI_SUCCESS);
}

static void tasks_that_block_are_polled_for(void (*poll)(void*)) {
  int ended = 0;
  atomic_store(&stop, 0);
  atomic_store(&callbacks, 0);
  spawn(poll, NULL, count, (void*)&callbacks);
#pragma omp parallel
  {
#pragma omp single
    for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(ended)
      {
        block_in_turn(i);
        block_in_turn(i);
#pragma omp atomic
        ++ended;
      }
    }
#pragma omp barrier
    int before = atomic_load(&polls); // and while all members are busy
    SPIN_UNTIL(atomic_load(&polls) > before + 1);
  }
  CHECK_EQ(ended, kTasks);
  atomic_store(&stop, 1);
  wait_for(&callbacks, 1);
}

// ---- Others, regions ------------------------------------------------------------------------------------------------

static void spawn_others(void* depth) {
  if (depth != NULL) spawn(spawn_others, (char*)depth - 1, count, (void*)&callbacks);
  int sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(3)
  for (int i = 0; i < 100; ++i) sum += i;
  CHECK_EQ(sum, 4950);
}

static void they_spawn_and_fork(void) {
  atomic_store(&callbacks, 0);
  spawn(spawn_others, (char*)NULL + 5, count, (void*)&callbacks);
  wait_for(&callbacks, 6);
}

// ---- Bodies that are run again --------------------------------------------------------------------------------------

enum { kRuns = 5, kModes = 4 };

// Returns the task where the body has suspended.
static struct alpi_task* one_run(int mode, int* runs) {
  struct alpi_task* self = self_of_caller();
  uint64_t has = 1, args = mode == ALPI_SUSPEND_SUBMIT ? (uint64_t)*runs % 2 : 1000;
  CHECK_EQ(alpi_task_events_test(self, &has), ALPI_SUCCESS);
  CHECK_EQ(has, 0);
  CHECK_EQ(alpi_task_suspend_mode_set(self, (alpi_suspend_mode_t)mode, args), ALPI_SUCCESS);
  if (++*runs == kRuns) return NULL;
  if (mode == ALPI_SUSPEND_EVENT_SUBMIT) CHECK_EQ(alpi_task_events_increase(self, 1), ALPI_SUCCESS);
  CHECK_EQ(alpi_task_suspend(self), ALPI_SUCCESS);
  return self;
}
static void end_wait(int mode, struct alpi_task* task) {
  if (task != NULL && mode == ALPI_SUSPEND_NONE) CHECK_EQ(alpi_task_unblock(task), ALPI_SUCCESS);
  if (task != NULL && mode == ALPI_SUSPEND_EVENT_SUBMIT) CHECK_EQ(alpi_task_events_decrease(task, 1), ALPI_SUCCESS);
}

static void bodies_are_run_again(void) {
  int tied[kModes] = {0}, untied[kModes] = {0}, order = 0;
  for (int mode = 0; mode < kModes; ++mode) {
#pragma omp task shared(tied, order) firstprivate(mode) depend(inout : order)
    {
      struct alpi_task* self = one_run(mode, &tied[mode]);
#pragma omp task firstprivate(self, mode)
      end_wait(mode, self);
    }
#pragma omp task shared(untied) firstprivate(mode) untied
    {
      struct alpi_task* self = one_run(mode, &untied[mode]);
#pragma omp task firstprivate(self, mode)
      end_wait(mode, self);
#pragma omp taskyield
    }
#pragma omp task shared(tied, order) firstprivate(mode) depend(inout : order)
    CHECK_EQ(tied[mode], kRuns);
  }
#pragma omp taskwait
  for (int mode = 0; mode < kModes; ++mode) CHECK_EQ(tied[mode] + untied[mode], 2 * kRuns);
}

int main(void) {
  many();
  for (int round = 0; round < SCALED(16); ++round) {
    many();
    from_threads();
    they_take_turns();
    callback_waits_for_events();
    callback_waits_for_descendants();
    tasks_that_block_are_polled_for(poll_by_waiting);
    tasks_that_block_are_polled_for(poll_by_suspending);
    they_spawn_and_fork();
#pragma omp parallel
#pragma omp single
    {
      many();
      bodies_are_run_again();
    }
  }
  return 0;
}
