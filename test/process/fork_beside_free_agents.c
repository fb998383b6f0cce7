// fork() while free agents run tasks of a sequential part: the child has none of these tasks, and waits for none. It
// makes tasks of its own, which agents of its own run, as many as in the parent; they have run when it ends. So it is
// inside a task, in a group, among dependences, and in a child of the child.
// UNSUPPORTED: sanitizer-thread
// RUN: %clang-openmp %s -o %t && env OMP_NUM_THREADS=3 %chomp-run %t
// RUN: env OMP_NUM_THREADS=2 OMP_THREADS_RESERVE="free_agent(2)" OMP_THREAD_LIMIT=3 %chomp-run %t
#include <stdatomic.h>
#include <sys/mman.h>

#include "support/check.h"
#include "support/children.h"
#include "support/newer_tasks.h"

enum { kRounds = 30, kTasks = 8, kLast = 5 };

static atomic_int *running, *released, *last; // in memory that children share
static atomic_int meet;

static void hold(void* unused) {
  ++*running;
  SPIN_UNTIL(*released);
}

static void count(void* counter) { ++*(atomic_int*)counter; }

static void late(void* counter) {
  usleep(3000);
  ++*(atomic_int*)counter;
}

// Two tasks that meet: there are two agents, since the creator waits outside of OpenMP.
static void meets(void* unused) {
  meet++;
  SPIN_UNTIL(meet == 2);
}

static void use_agents(void) {
  atomic_int ran = 0;
  int chain = 0;
  meet = 0;
  for (int i = 0; i < 2; i++) newer_spawn(kTied | kPool, meets, 0);
  SPIN_UNTIL(meet == 2);
#pragma omp taskwait
  for (int i = 0; i < kTasks; i++) newer_spawn_after(i % 2 ? kTied : kTied | kPool, count, &ran, kInOut, &chain);
#pragma omp taskgroup
  for (int i = 0; i < kTasks; i++) newer_spawn(kTied | kPool, count, &ran);
#pragma omp taskwait
  CHECK_EQ(ran, 2 * kTasks);
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < kTasks; i++) newer_spawn(kTied | kPool, count, &ran);
  CHECK_EQ(ran, 3 * kTasks);
}

static void in_child(int depth, int in_task) {
  use_agents();
  if (depth > 0) {
    pid_t child = fork_checked();
    if (child == 0) in_child(depth - 1, in_task);
    expect_status(child, kLast);
  }
  for (int i = 0; i < 2; i++) newer_spawn(kTied | kPool, late, last); // the end of the process waits for them, or
  if (in_task) {                                                      // not, in a task that does not end
#pragma omp taskwait
  }
  exit(kLast);
}

static void fork_here(int in_task) {
  *last = 0;
  pid_t child = fork_checked();
  if (child == 0) in_child(1, in_task);
  expect_status(child, kLast);
  CHECK_EQ(*last, 4);
}

static void fork_inside(void* unused) { fork_here(1); }

int main(void) {
  running = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(running != MAP_FAILED);
  released = running + 1;
  last = running + 2;
  for (int round = 0; round < SCALED(kRounds); round++) {
    int x = 0;
    *released = *running = 0;
    newer_spawn_after(kTied | kPool, hold, 0, kOut, &x);
    newer_spawn(kTied | kPool, hold, 0);
    newer_spawn_after(kTied | kPool, hold, 0, kInOut, &x); // waits for the first one
    SPIN_UNTIL(*running >= 1 + (round % 2));
    if (round % 4 == 0) fork_here(0);
#pragma omp taskgroup
    if (round % 4 == 1) {
      newer_spawn(kTied | kPool, hold, 0);
      fork_here(0);
      *released = 1;
    }
#pragma omp task if (0)
    if (round % 4 == 2) fork_inside(0);
    if (round % 4 == 3) newer_spawn(kTied, fork_inside, 0);
    *released = 1;
#pragma omp taskwait
    use_agents();
  }
  return 0;
}
