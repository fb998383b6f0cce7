// What a free agent makes is run by somebody. It waits at the end of a group for a plain task, which only the team may
// run, and whose parent has ended; the team's only thread waits in a tied task. It makes a child with a priority, for
// which that thread yields. It makes very many children, which do not all wait at once. It runs nothing on top of a
// task that is suspended, not even the first for whose handle the program asks.
// RUN: %clang-openmp -I%root -w %s -o %t
// RUN: env OMP_MAX_TASK_PRIORITY=5 OMP_THREADS_RESERVE="free_agent(2)" %chomp-run %t
// RUN: env OMP_THREADS_RESERVE="free_agent(2)" %chomp-run %t suspends
#define CHOMP_WEAK
#include "abi/chomp.h"
#include "support/check.h"
#include "support/newer_tasks.h"
#include "support/process.h"

static int by_agent, ran;

static void count(void* unused) { ATOMIC_ADD(ran, 1); }
static void nothing(void* unused) {}
static void make_plain(void* unused) { newer_spawn(kTied, count, 0); }

static void group(void* unused) {
  ATOMIC_STORE(by_agent, 1);
  usleep(2000); // the team's thread goes to sleep
#pragma omp taskgroup
  newer_spawn(kTied | kPool, make_plain, 0);
}

static void tied_wait(void* unused) {
  by_agent = 0;
  newer_spawn(kTied | kPool, group, 0);
  SPIN_UNTIL(ATOMIC_LOAD(by_agent));
#pragma omp taskwait
}

static void make_urgent(void* unused) {
  NewerTask* task = newer_task(kTied | kPrioritised, count, 0);
  task->payload.data2.priority = 5;
  __kmpc_omp_task(0, __kmpc_global_thread_num(0), task);
  ATOMIC_STORE(by_agent, 1);
}

static void make_many(void* number) {
  ATOMIC_STORE(by_agent, 1);
  for (int i = 0; i < *(int*)number; i++) newer_spawn(kTied, nothing, 0);
  ATOMIC_STORE(by_agent, 2);
}

static void go_down(int generations) {
  if (generations == 0) {
    newer_spawn(kTied, count, 0);
#pragma omp taskwait
    return;
  }
#pragma omp task if (0)
  go_down(generations - 1);
}

static void be_deep(void* unused) {
  ATOMIC_STORE(by_agent, 1);
  go_down(3000);
}

static void wait_for_deep(void* unused) {
  by_agent = 0;
  newer_spawn(kTied | kPool, be_deep, 0);
  SPIN_UNTIL(ATOMIC_LOAD(by_agent));
#pragma omp taskwait
}

static int first_began, untied_made, untied_began;

static void wait_for_plain(void* unused) {
  newer_spawn(kTied, count, 0);
#pragma omp taskwait
}

static void untied_waits(void* unused) {
  ATOMIC_STORE(untied_began, 1);
  newer_spawn(kTied, nothing, 0);
#pragma omp taskwait
}

static void make_unrelated(void* unused) {
  ATOMIC_STORE(first_began, 1);
  SPIN_UNTIL(ATOMIC_LOAD(untied_made));
  newer_spawn(kTied | kPool, wait_for_plain, 0);
}

static void wait_for_untied(void* unused) {
  newer_spawn(kPool, untied_waits, 0);
  ATOMIC_STORE(untied_made, 1);
  SPIN_UNTIL(ATOMIC_LOAD(untied_began));
#pragma omp taskwait
}

static chomp_task_t* suspended;
static int unrelated_began;

static void wait_for_plain_late(void* unused) {
  ATOMIC_STORE(unrelated_began, 1);
  wait_for_plain(NULL);
}

static void resume_the_other(void* unused) {
  ATOMIC_STORE(first_began, 1);
  SPIN_UNTIL(ATOMIC_LOAD(suspended) != NULL);
  usleep(2000); // the other agent looks for tasks
  newer_spawn(kTied | kPool, wait_for_plain_late, 0);
  for (int i = 0; i < 50 && !ATOMIC_LOAD(unrelated_began); i++) usleep(1000); // nobody need begin it
  CHECK_EQ(chomp_task_resume(suspended), 0);
}

static void suspend_itself(void* unused) {
  chomp_task_t* self = chomp_task_self();
  ATOMIC_STORE(suspended, self);
  CHECK_EQ(chomp_task_suspend(self), 0);
}

static void wait_for_suspended(void* unused) {
  newer_spawn(kTied | kPool, suspend_itself, 0);
  SPIN_UNTIL(ATOMIC_LOAD(suspended) != NULL);
#pragma omp taskwait
}

static void suspend_on_an_agent(void) {
#pragma omp taskgroup
  {
    newer_spawn(kTied | kPool, resume_the_other, 0);
    SPIN_UNTIL(ATOMIC_LOAD(first_began));
    newer_spawn(kTied, wait_for_suspended, 0);
  }
  CHECK_EQ(ATOMIC_LOAD(ran), 1);
}

int main(int argc, char** argv) {
  if (argc > 1) return suspend_on_an_agent(), 0;
  for (int i = 0; i < 5; i++) {
    newer_spawn(kTied, tied_wait, 0);
#pragma omp taskwait
    CHECK_EQ(ATOMIC_LOAD(ran), i + 1);
  }
  for (int i = 0; i < 20; i++) {
    ran = by_agent = 0;
    newer_spawn(kTied | kPool, make_urgent, 0);
    SPIN_UNTIL(ATOMIC_LOAD(by_agent));
    while (!ATOMIC_LOAD(ran)) {
#pragma omp taskyield
    }
#pragma omp taskwait
  }
  ran = 0;
  newer_spawn(kTied, wait_for_deep, 0);
#pragma omp taskwait
  CHECK_EQ(ATOMIC_LOAD(ran), 1);
  for (int i = 0; i < 5; i++) {
    first_began = untied_made = untied_began = ran = 0;
#pragma omp taskgroup
    {
      newer_spawn(kTied | kPool, make_unrelated, 0);
      SPIN_UNTIL(ATOMIC_LOAD(first_began));
      newer_spawn(kTied, wait_for_untied, 0);
    }
    CHECK_EQ(ATOMIC_LOAD(ran), 1);
  }
  int many = SCALED(300000);
  by_agent = 0;
  long before = peak_memory();
  newer_spawn(kTied | kPool, make_many, &many);
  SPIN_UNTIL(ATOMIC_LOAD(by_agent) == 2);
#pragma omp taskwait
  CHECK(peak_memory() - before < 16 * 1024);
  return 0;
}
