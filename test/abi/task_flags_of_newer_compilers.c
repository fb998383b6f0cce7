// Flags of tasks that newer compilers pass (OpenMP 6.0: threadset(omp_pool) is 0x80, transparent 0x100, and bits above
// them) are tolerated: tasks and taskloops run, once each, with what else their flags say, dependences order the tasks
// and those that they make, and no bit is touched that the library keeps for itself. The team is as wide as
// it may be, so no thread is a free agent. A task whose event is asked for is detachable, also without the flag, 0x40.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include "support/newer_tasks.h"
#include <dlfcn.h>
#include <omp.h>
#include <stdint.h>

typedef struct {
  NewerPayload task;
  int number; // in a chain
} Link;

typedef struct {
  NewerPayload task;
  uint64_t lower, upper;
  int64_t stride;
  int last;
} Loop;

enum { kFinal = 2, kTasks = 200, kIterations = 1000 };

static int ran, in_final, free_agents, iterations, chain, chain_below;
static int (*is_free_agent)(void);

static int body(int gtid, void* payload) {
  ATOMIC_ADD(ran, 1);
  ATOMIC_ADD(in_final, omp_in_final());
  ATOMIC_ADD(free_agents, is_free_agent());
#pragma omp task
  ATOMIC_ADD(ran, 1);
#pragma omp taskwait
  return 0;
}

static int loop_body(int gtid, void* payload) {
  Loop* loop = payload;
  ATOMIC_ADD(iterations, (int)(loop->upper - loop->lower + 1));
  ATOMIC_ADD(free_agents, is_free_agent());
  return 0;
}

static int link_body(int gtid, void* payload) {
  CHECK_EQ(chain, ((Link*)payload)->number); // plain: what orders them is the dependence
  chain_below = 0;
  for (int i = 0; i < 3; i++)
#pragma omp task depend(inout : chain_below)
    CHECK_EQ(chain_below++, i);
#pragma omp taskwait
  CHECK_EQ(chain_below, 3);
  chain++;
  return 0;
}

static void tasks(int bits) {
  int finals = 0;
  ATOMIC_STORE(ran, 0), ATOMIC_STORE(in_final, 0);
  for (int i = 0; i < kTasks; i++) {
    int flags = bits | (i % 2 ? kTied : 0) | (i % 5 == 0 ? kFinal : 0);
    int gtid = __kmpc_global_thread_num(0);
    __kmpc_omp_task(0, gtid, __kmpc_omp_task_alloc(0, gtid, flags, sizeof(NewerPayload), 0, body));
    finals += i % 5 == 0;
  }
#pragma omp taskwait
  CHECK_EQ(ATOMIC_LOAD(ran), 2 * kTasks);
  CHECK_EQ(ATOMIC_LOAD(in_final), finals);
}

static void dependences(int bits) {
  chain = 0;
  for (int i = 0; i < kTasks; i++) {
    int gtid = __kmpc_global_thread_num(0);
    Link* task = __kmpc_omp_task_alloc(0, gtid, bits | kTied, sizeof(Link), 0, link_body);
    task->number = i;
    NewerDependence on = {&chain, sizeof chain, kInOut};
    __kmpc_omp_task_with_deps(0, gtid, task, 1, &on, 0, 0);
  }
#pragma omp taskwait
  CHECK_EQ(chain, kTasks);
}

static void taskloop(int bits) {
  ATOMIC_STORE(iterations, 0);
  int gtid = __kmpc_global_thread_num(0);
  Loop* loop = __kmpc_omp_task_alloc(0, gtid, bits | kTied, sizeof(Loop), 0, loop_body);
  loop->lower = 0, loop->upper = kIterations - 1, loop->stride = 1;
  __kmpc_taskloop(0, gtid, loop, 1, &loop->lower, &loop->upper, 1, 0, 0, 0, 0); // it ends with a taskgroup
  CHECK_EQ(ATOMIC_LOAD(iterations), kIterations);
}

static void set(void* value) { *(int*)value = 1; }

static void event(void) {
  int fulfilled = 0, x = 0, seen = 0;
  NewerTask* task = newer_task(kTied, set, &x);
  omp_event_handle_t handle = newer_event(task);
  newer_spawn_task_after(task, kOut, &x);
#pragma omp task shared(fulfilled)
  {
    burn(50);
    ATOMIC_STORE(fulfilled, 1);
    omp_fulfill_event(handle);
  }
#pragma omp task shared(x, seen, fulfilled) depend(in : x)
  seen = x + ATOMIC_LOAD(fulfilled);
#pragma omp taskwait
  CHECK_EQ(seen, 2);
}

int main(void) {
  *(void**)&is_free_agent = dlsym(RTLD_DEFAULT, "omp_is_free_agent");
  CHECK(is_free_agent);
#pragma omp parallel
#pragma omp single
  {
    for (int bits = 0x80; bits <= 0x3f80; bits = bits * 2 | 0x80) {
      tasks(bits);
      dependences(bits);
      taskloop(bits);
    }
    for (int i = 0; i < 100; i++) event();
    tasks(0x100), dependences(0x100), taskloop(0x100);
  }
  CHECK_EQ(free_agents, 0);
  return 0;
}
