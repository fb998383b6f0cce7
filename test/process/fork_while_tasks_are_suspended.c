// A fork() while tasks are suspended: those of the thread that calls it are in both processes, and go on in each where
// they are resumed there, outside of regions and in a region of one thread. In the child of a region of several threads
// their handles may be resumed too, which does nothing: the child has forgotten them, also those that were resumed
// before. It goes on with tasks of its own, and ends by leaving the process. The event of the task that forks is still
// that task's.
// UNSUPPORTED: sanitizer-thread
// RUN: %clang-openmp -I%root %s -o %t && %for-threads -t "1 3 8" %t
#include <omp.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

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
    CHECK_EQ(chomp_task_resume(handles[0]), 0);
    pid_t child = fork();
    for (int i = 1; i < kTasks; ++i) CHECK_EQ(chomp_task_resume(handles[i]), 0);
    if (child == 0) {
      int before = __atomic_load_n(&ended, __ATOMIC_ACQUIRE), own = 0;
      for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(own)
        own++; // the child has one thread
      }
#pragma omp taskwait
      CHECK_EQ(own, kTasks);
      if (omp_get_num_threads() > 1) CHECK_EQ(ended, before);
      _exit(0);
    }
    await_child(child);
  }
  CHECK_EQ(ended, kTasks);
}

// In the child only the thread of the caller exists, and only the creator of the task leaves the process later.
static pid_t fork_in_task(int creator) {
  pid_t child = fork();
  if (child == 0 && omp_get_thread_num() != creator) _exit(0);
  return child;
}

static void with_an_event(void) {
#pragma omp parallel
#pragma omp single
  {
    pid_t child = -1;
    int creator = omp_get_thread_num();
    chomp_task_t* implicit = chomp_task_self();
    omp_event_handle_t event;
#pragma omp task shared(child) detach(event)
    {
      child = fork_in_task(creator);
      omp_fulfill_event(event);
    }
#pragma omp taskwait
    CHECK_EQ(chomp_task_resume(implicit), 0);
    CHECK_EQ(chomp_task_suspend(implicit), 0);
    if (child == 0) _exit(0);
    await_child(child);
  }
}

// What it releases is the parent's, and it excludes none.
static void with_successors(void) {
#pragma omp parallel
#pragma omp single
  {
    pid_t child = -1;
    int creator = omp_get_thread_num(), order = 0, later = 0;
    omp_event_handle_t event;
#pragma omp task shared(child) detach(event) depend(out : order) depend(mutexinoutset : later)
    {
      usleep(200); // others are made meanwhile
      child = fork_in_task(creator);
      omp_fulfill_event(event);
    }
    for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(later) depend(in : order) depend(mutexinoutset : later)
      later++;
    }
    while (child == -1) {
#pragma omp taskyield
    }
    int own = 0;
#pragma omp task shared(own) depend(out : own)
    own = 1;
#pragma omp taskwait
    CHECK_EQ(own, 1);
    if (child == 0) _exit(0);
    CHECK_EQ(later, kTasks);
    await_child(child);
  }
}

int main(void) {
  with_successors();
  with_an_event();
  in_one_thread();
#pragma omp parallel num_threads(1)
  in_one_thread();
  in_a_region();
  return 0;
}
