// A recording holds exactly the tasks that the program made, whatever their kind, with any number of threads.
// REQUIRES: analyse
// RUN: %clang-openmp -I%root %s -o %t
// RUN: %library-path %S/count_tasks %build %t fib 1972
// RUN: %library-path %S/count_tasks %build %t depend 20
// RUN: %library-path %S/count_tasks %build %t taskloop 40
// RUN: %library-path %S/count_tasks %build %t taskloop_grain 10
// RUN: %library-path %S/count_tasks %build %t detach 3
// RUN: %library-path %S/count_tasks %build %t untied 30
// RUN: %library-path %S/count_tasks %build %t undeferred 15
// RUN: %library-path %S/count_tasks %build %t group 60
// RUN: %library-path OMP_CANCELLATION=true %S/count_tasks %build %t cancel 50
// RUN: %library-path OMP_MAX_TASK_PRIORITY=9 %S/count_tasks %build %t priority 12
// RUN: %library-path %S/count_tasks %build %t regions 30
// RUN: %library-path %S/count_tasks %build %t waits_for_some 3
// RUN: %library-path %S/count_tasks %build %t stop 12
// RUN: %library-path %S/count_tasks %build %t yield 8
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHOMP_WEAK
#include "abi/chomp.h"
#include "support/check.h"
#include "support/fib.h"

/// Each of the first half waits, in a taskwait or suspended, for one of the second.
static void stop(void) {
  enum { kHalf = 4 };
  static _Atomic(chomp_task_t*) suspended[kHalf];
  for (int i = 0; i < kHalf; ++i)
#pragma omp task
  {
#pragma omp task
    {
      chomp_task_t* self = chomp_task_self();
      suspended[i] = self;
      CHECK_EQ(chomp_task_suspend(self), 0);
    }
#pragma omp taskwait
  }
  for (int i = 0; i < kHalf; ++i)
#pragma omp task
  {
    while (suspended[i] == NULL) {
#pragma omp taskyield
    }
    CHECK_EQ(chomp_task_resume(suspended[i]), 0);
  }
}

static void yield(void) {
  static _Atomic int turn = 7;
  for (int i = 0; i < 8; ++i)
#pragma omp task untied
  {
    while (turn != i) {
#pragma omp taskyield
    }
    --turn;
  }
}

static void in_single(const char* mode) {
  static int value; // the tasks run when this function has returned
  static char order[2];
  if (strcmp(mode, "fib") == 0) CHECK(fib_tied(15) == 610);
  if (strcmp(mode, "depend") == 0)
    for (int i = 0; i < 20; ++i)
#pragma omp task depend(inout : order[0]) shared(value)
      ++value;
  if (strcmp(mode, "taskloop") == 0)
#pragma omp taskloop num_tasks(40)
    for (int i = 0; i < 1000; ++i)
#pragma omp atomic
      ++value;
  if (strcmp(mode, "taskloop_grain") == 0)
#pragma omp taskloop grainsize(100)
    for (int i = 0; i < 1000; ++i)
#pragma omp atomic
      ++value;
  if (strcmp(mode, "detach") == 0) {
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : order[0])
    {
    }
#pragma omp task firstprivate(event)
    omp_fulfill_event(event);
#pragma omp task depend(in : order[0]) shared(value)
    value = 1;
  }
  if (strcmp(mode, "untied") == 0)
    for (int i = 0; i < 10; ++i)
#pragma omp task untied
    {
#pragma omp task untied
      {
      }
#pragma omp task untied
      {
      }
#pragma omp taskwait
    }
  if (strcmp(mode, "undeferred") == 0)
#pragma omp task if (0)
    for (int i = 0; i < 14; ++i)
#pragma omp task
    {
    }
  if (strcmp(mode, "group") == 0)
#pragma omp taskgroup
    for (int i = 0; i < 20; ++i)
#pragma omp task
    {
#pragma omp task
      {
      }
#pragma omp task
      {
      }
    }
  if (strcmp(mode, "cancel") == 0)
#pragma omp taskgroup
    for (int i = 0; i < 50; ++i)
#pragma omp task
    {
      if (i == 3) {
#pragma omp cancel taskgroup
      }
    }
  if (strcmp(mode, "priority") == 0)
    for (int i = 0; i < 12; ++i)
#pragma omp task priority(i % 2 == 0 ? 9 : 0)
    {
    }
  if (strcmp(mode, "stop") == 0) stop();
  if (strcmp(mode, "yield") == 0) yield();
  if (strcmp(mode, "waits_for_some") == 0) {
#pragma omp task depend(out : order[0]) shared(value)
    value = 1;
#pragma omp task depend(out : order[1])
    {
    }
#pragma omp taskwait depend(in : order[0])
    CHECK(value == 1);
#pragma omp task
    {
    }
  }
}

int main(int count, char** words) {
  const char* mode = count > 1 ? words[1] : "";
  if (strcmp(mode, "stop") == 0) chomp_task_self(); // tasks may stop from here on
  int times = strcmp(mode, "regions") == 0 ? 10 : 1;
  for (int i = 0; i < times; ++i)
#pragma omp parallel
  {
#pragma omp single
    {
      in_single(mode);
      for (int k = 0; times > 1 && k < 3; ++k)
#pragma omp task
      {
      }
    }
#pragma omp barrier
  }
  return 0;
}
