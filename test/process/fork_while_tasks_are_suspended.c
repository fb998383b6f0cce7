// A fork() while tasks are suspended: those of the thread that calls it are in both processes, and go on in each where
// they are resumed there, outside of regions and in a region of one thread. In the child of a region of several threads
// their handles may be resumed too, and the child ends by leaving the process.
// UNSUPPORTED: sanitizer-thread
// RUN: %clang-openmp -I%root %s -o %t && %for-threads -t "1 3 8" %t
#include <omp.h>
#include <stdatomic.h>
#include <sys/wait.h>

#define CHOMP_WEAK
#include "abi/chomp.h"
#include "support/check.h"

enum { kTasks = 8 };
static chomp_task_t* handles[kTasks];

static void make_tasks_that_suspend(int* ended) {
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task
    {
      chomp_task_t* self = chomp_task_self();
      __atomic_store_n(&handles[i], self, __ATOMIC_RELEASE);
      CHECK_EQ(chomp_task_suspend(self), 0);
      __atomic_fetch_add(ended, 1, __ATOMIC_ACQ_REL);
    }
  }
}

static void resume_all(void) {
  for (int i = 0; i < kTasks; ++i) CHECK_EQ(chomp_task_resume(handles[i]), 0);
}

static void await_child(pid_t child) {
  int status = -1;
  CHECK(child > 0);
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK_EQ(status, 0);
}

// Returns in both processes.
static pid_t fork_with_tasks(void) {
  int ended = 0;
  make_tasks_that_suspend(&ended);
  pid_t child = fork();
  resume_all();
#pragma omp taskwait
  CHECK_EQ(ended, kTasks);
  return child;
}

static void in_one_thread(void) {
  pid_t child = fork_with_tasks();
  if (child != 0) return await_child(child);
#pragma omp parallel
#pragma omp single
#pragma omp task
  CHECK_EQ(getppid() > 0, 1);
  _exit(0);
}

static void in_a_region(void) {
  int ended = 0;
  for (int i = 0; i < kTasks; ++i) handles[i] = NULL;
#pragma omp parallel
#pragma omp single
  {
    make_tasks_that_suspend(&ended);
    for (int i = 0; i < kTasks; ++i)
      while (__atomic_load_n(&handles[i], __ATOMIC_ACQUIRE) == NULL) {
#pragma omp taskyield
      }
    pid_t child = fork();
    resume_all();
    if (child == 0) _exit(0);
    await_child(child);
  }
  CHECK_EQ(ended, kTasks);
}

int main(void) {
  chomp_task_self();
  in_one_thread();
#pragma omp parallel num_threads(1)
  in_one_thread();
  in_a_region();
  return 0;
}
