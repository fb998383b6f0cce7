// A task that blocks (alpi_task_block) goes on when it is unblocked, also if that came first; one that waits for a time
// (alpi_task_waitfor_ns) goes on afterwards, and not before. Their thread runs others meanwhile. Tied, untied,
// undeferred and implicit tasks; beside them taskwaits and groups. Outside of regions the initial task does the same,
// and has events, for which nothing waits; so does each thread of the program, and the one member of a small region.
// RUN: %clang-openmp -I%root %s -o %t && %for-threads %t
// RUN: env CHOMP_SCHEDULER=xqueue %for-threads -t "1 3 8" %t
// RUN: env OMP_WAIT_POLICY=passive %for-threads -t "2 33" %t
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#define CHOMP_WEAK
#include "abi/alpi.h"
#include "support/check.h"

enum { kTasks = 64 };
typedef _Atomic(struct alpi_task*) Handle;
static Handle handles[kTasks];

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static struct alpi_task* self_of_caller(void) {
  struct alpi_task* self = NULL;
  CHECK_EQ(alpi_task_self(&self), ALPI_SUCCESS);
  CHECK(self != NULL);
  return self;
}

static void block_as(int i) {
  struct alpi_task* self = self_of_caller();
  atomic_store(&handles[i], self);
  CHECK_EQ(alpi_task_block(self), ALPI_SUCCESS);
}

static void unblock(int i) {
  struct alpi_task* task;
  while ((task = atomic_exchange(&handles[i], NULL)) == NULL) {
#pragma omp taskyield
  }
  CHECK_EQ(alpi_task_unblock(task), ALPI_SUCCESS);
}

static void wait_for(uint64_t ns) {
  uint64_t began = now_ns(), actual = 0;
  CHECK_EQ(alpi_task_waitfor_ns(ns, &actual), ALPI_SUCCESS);
  uint64_t took = now_ns() - began;
  CHECK(took >= ns && actual >= ns && actual <= took);
}

static void tied_and_untied(void) {
  int ended = 0;
  for (int i = 0; i < kTasks; ++i) {
    if (i % 2 == 0) {
#pragma omp task shared(ended)
      {
        int thread = omp_get_thread_num();
        block_as(i);
        CHECK_EQ(omp_get_thread_num(), thread);
#pragma omp atomic
        ++ended;
      }
    } else {
#pragma omp task shared(ended) untied
      {
        block_as(i);
#pragma omp atomic
        ++ended;
      }
    }
  }
  for (int i = 0; i < kTasks; ++i) unblock(i);
#pragma omp taskwait
  CHECK_EQ(ended, kTasks);
}

static void unblocked_first(void) {
#pragma omp task
  {
    struct alpi_task* self = self_of_caller();
    for (int i = 0; i < 3; ++i) {
      CHECK_EQ(alpi_task_unblock(self), ALPI_SUCCESS);
      CHECK_EQ(alpi_task_unblock(self), ALPI_ERR_PARAMETER);
      CHECK_EQ(alpi_task_block(self), ALPI_SUCCESS);
    }
  }
#pragma omp taskwait
}

static void undeferred_in_a_group(void) {
  int ended = 0;
#pragma omp taskgroup
  for (int i = 0; i < 8; ++i) {
#pragma omp task shared(ended)
    {
#pragma omp task if (0) shared(ended)
      {
        wait_for(10000);
        block_as(i);
#pragma omp task shared(ended)
#pragma omp atomic
        ++ended;
#pragma omp taskwait
      }
    }
#pragma omp task
    unblock(i);
  }
  CHECK_EQ(ended, 8);
}

// Whoever waits for a time does not keep the others: together they take less than one after the other. That is asserted
// of what they see of each other, not of a clock: all have begun before the first has ended.
static void many_wait_at_once(void) {
  _Atomic int begun = 0;
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(begun)
    {
      atomic_fetch_add(&begun, 1);
      do wait_for(20000);
      while (atomic_load(&begun) < kTasks);
    }
  }
#pragma omp taskwait
  CHECK_EQ(atomic_load(&begun), kTasks);
}

static void* unblock_all(void* unused) {
  for (int i = 0; i < kTasks; ++i) {
    struct alpi_task* task;
    while ((task = atomic_exchange(&handles[i], NULL)) == NULL) sched_yield();
    CHECK_EQ(alpi_task_unblock(task), ALPI_SUCCESS);
  }
  return unused;
}

static void unblocked_by_a_thread(void) {
  pthread_t thread;
  int ended = 0;
  CHECK_EQ(pthread_create(&thread, NULL, unblock_all, NULL), 0);
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(ended)
    {
      block_as(i);
#pragma omp atomic
      ++ended;
    }
  }
#pragma omp taskwait
  CHECK_EQ(ended, kTasks);
  pthread_join(thread, NULL);
}

// Each unblocks the next one; the first is unblocked by a task of the last.
static void implicit_tasks(void) {
#pragma omp parallel
  {
    int self = omp_get_thread_num(), last = omp_get_num_threads() - 1;
#pragma omp task
    if (self == last) unblock(0);
    wait_for(1000);
    block_as(self);
    if (self < last) unblock(self + 1);
  }
}

static void* decrease_later(void* task) {
  wait_for(100000);
  CHECK_EQ(alpi_task_events_decrease(task, 2), ALPI_SUCCESS);
  return NULL;
}

// Its thread has nobody beside it in a region.
static void alone(void) {
  struct alpi_task* self = self_of_caller();
  uint64_t has = 1;
  pthread_t thread;
  wait_for(20000);
  CHECK_EQ(alpi_task_unblock(self), ALPI_SUCCESS);
  CHECK_EQ(alpi_task_block(self), ALPI_SUCCESS);
  unblocked_by_a_thread();
  CHECK_EQ(alpi_task_events_increase(self, 2), ALPI_SUCCESS);
  CHECK_EQ(pthread_create(&thread, NULL, decrease_later, self), 0);
  while (has) CHECK_EQ(alpi_task_events_test(self, &has), ALPI_SUCCESS);
  CHECK_EQ(pthread_join(thread, NULL), 0);
}

static void* in_a_thread(void* unused) {
  alone();
  return unused;
}

static void outside_of_regions(void) {
  pthread_t thread;
  alone();
#pragma omp parallel num_threads(1)
  alone();
#pragma omp task
  alone();
#pragma omp taskwait
  CHECK_EQ(pthread_create(&thread, NULL, in_a_thread, NULL), 0);
  CHECK_EQ(pthread_join(thread, NULL), 0);
}

int main(void) {
  outside_of_regions();
  for (int round = 0; round < SCALED(16); ++round) {
#pragma omp parallel
#pragma omp single
    {
      tied_and_untied();
      unblocked_first();
      undeferred_in_a_group();
      many_wait_at_once();
      unblocked_by_a_thread();
    }
    implicit_tasks();
  }
  outside_of_regions();
  CHECK_EQ(alpi_task_events_increase(self_of_caller(), 1), ALPI_SUCCESS); // the process ends all the same
  return 0;
}
