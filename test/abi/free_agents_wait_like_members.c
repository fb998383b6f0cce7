// What a free agent makes is run by somebody. It waits at the end of a group for a plain task, which only the team may
// run, and whose parent has ended; the team's only thread waits in a tied task. It makes a child with a priority, for
// which that thread yields. It makes very many children, which do not all wait at once.
// RUN: %clang-openmp -w %s -o %t && env OMP_MAX_TASK_PRIORITY=5 OMP_THREADS_RESERVE="free_agent(2)" %chomp-run %t
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

int main(void) {
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
