// A free agent has what the creator of its task has: rounding mode, size of the team, also where a taskloop is cut by
// it. Tasks that waited for others stay tasks for agents, whatever their priority. An agent that a thread limit keeps
// away comes when a region has given its threads back.
// RUN: %clang-openmp %s -lm -o %t && env OMP_MAX_TASK_PRIORITY=5 OMP_NUM_THREADS=4 %chomp-run %t
// RUN: env OMP_NUM_THREADS=4 %for-schedulers %t
// RUN: env OMP_NUM_THREADS=8 OMP_THREAD_LIMIT=4 OMP_MAX_ACTIVE_LEVELS=2 %chomp-run %t limit
#include <fenv.h>
#include <stdatomic.h>
#include <string.h>

#include "support/check.h"
#include "support/newer_tasks.h"

extern int __kmpc_bound_num_threads(void*);
extern int __kmpc_bound_thread_num(void*);

enum { kRounds = 20, kPriority = 3, kPerThread = 10 };

static atomic_int ran, started;
static int rounding;

// The creator waits outside of OpenMP: only an agent can run the tasks.
static void await_agent(int count) {
  SPIN_UNTIL(ran == count);
  ran = 0;
}

static void look_at_rounding(void* unused) {
  CHECK_EQ(fegetround(), rounding);
  ran++;
}

static void agents_round_as_their_creator(void) {
  const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST};
  for (int i = 0; i < kRounds; i++) {
    rounding = modes[i % 4];
    fesetround(rounding);
    newer_spawn(kTied | kPool, look_at_rounding, 0);
    await_agent(1);
  }
}

static void count(void* unused) { ran++; }

static void wait_then_count(void* unused) {
  SPIN_UNTIL(started);
  ran++;
}

static void held_tasks_stay_in_the_pool(void) {
  for (int i = 0; i < kRounds; i++) {
    char chain;
    started = 0;
    newer_spawn_after(kTied | kPool, wait_then_count, 0, kOut, &chain);
    NewerTask* held = newer_task(kTied | kPool | kPrioritised, count, 0);
    held->payload.data2.priority = kPriority;
    newer_spawn_task_after(held, kInOut, &chain);
    started = 1;
    await_agent(2);
  }
}

static void look_at_team(void* size) {
  char text[32], expected[32];
  int threads = *(int*)size;
  CHECK_EQ(omp_get_num_threads(), threads);
  CHECK_EQ(__kmpc_bound_num_threads(0), threads);
  CHECK_EQ(__kmpc_bound_thread_num(0), omp_get_thread_num());
  snprintf(expected, sizeof expected, "%d %d", omp_get_thread_num(), threads);
  omp_capture_affinity(text, sizeof text, "%n %N");
  CHECK_EQ(strcmp(text, expected), 0);
  atomic_int pieces = 0;
  NewerTask* loop = newer_task(kTied, count, 0);
  loop->lower = 0, loop->upper = 999, loop->stride = 1;
  loop->argument = &pieces;
  ran = 0;
  __kmpc_taskloop(0, __kmpc_global_thread_num(0), loop, 1, &loop->lower, &loop->upper, 1, 0, 0, 0, 0);
  CHECK(ran == kPerThread * threads || (threads == 1 && ran == 1)); // 1: the creator has it, and is alone
  started = 1;
}

static void agents_know_the_size_of_the_team(void) {
  for (int i = 0; i < kRounds; i++) {
    int size = 1;
    started = 0;
    newer_spawn(kTied | kPool, look_at_team, &size);
    usleep(1000); // an agent has it; what that makes is for the team
#pragma omp taskwait
    CHECK_EQ(started, 1);
#pragma omp parallel num_threads(2)
#pragma omp single
    {
      size = omp_get_num_threads();
      newer_spawn(kTied | kPool, look_at_team, &size);
#pragma omp taskwait
    }
    ran = 0;
  }
}

// The inner region has all threads that the limit allows. The other member offers a task in a region of its own.
static void agents_come_when_a_region_ends(void) {
  for (int i = 0; i < kRounds; i++) {
    atomic_int inside = 0, offered = 0;
    ran = 0;
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) {
#pragma omp parallel num_threads(3)
      {
        inside++;
        SPIN_UNTIL(offered);
        usleep(1000); // a thread of the pool looks, and sleeps
      }
      SPIN_UNTIL(ran);
    } else {
#pragma omp parallel num_threads(1)
      {
        SPIN_UNTIL(inside >= 1);
        newer_spawn(kTied | kPool, count, 0);
        offered = 1;
        SPIN_UNTIL(ran);
      }
    }
  }
}

int main(int argc, char** argv) {
  if (argc > 1) {
    agents_come_when_a_region_ends();
    return 0;
  }
  agents_round_as_their_creator();
  held_tasks_stay_in_the_pool();
  agents_know_the_size_of_the_team();
  return 0;
}
