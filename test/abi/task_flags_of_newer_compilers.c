// Flags of tasks that newer compilers pass (OpenMP 6.0: threadset(omp_pool) is 0x80, and bits above it) are tolerated:
// the tasks run, once each, with what else their flags say, and touch no bit that the library keeps for itself. All
// threads are of the team, none is a free agent.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <dlfcn.h>
#include <omp.h>
#include <stdint.h>

typedef struct {
  void* shareds;
  int (*routine)(int, void*);
  int part;
  void *data1, *data2;
} Payload;

extern void* __kmpc_omp_task_alloc(void*, int, int flags, size_t, size_t, int (*)(int, void*));
extern int __kmpc_omp_task(void*, int, void*);
extern int __kmpc_global_thread_num(void*);

static int ran, in_final, free_agents;
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

int main(void) {
  enum { kTied = 1, kFinal = 2, kTasks = 200 };
  *(void**)&is_free_agent = dlsym(RTLD_DEFAULT, "omp_is_free_agent");
  CHECK(is_free_agent);
  int finals = 0, tasks = 0;
#pragma omp parallel
#pragma omp single
  for (int bits = 0x80; bits <= 0x3f80; bits = bits * 2 | 0x80) {
    for (int i = 0; i < kTasks; i++) {
      int flags = bits | (i % 2 ? kTied : 0) | (i % 5 == 0 ? kFinal : 0);
      int gtid = __kmpc_global_thread_num(0);
      __kmpc_omp_task(0, gtid, __kmpc_omp_task_alloc(0, gtid, flags, sizeof(Payload), 0, body));
      finals += i % 5 == 0;
      tasks++;
    }
#pragma omp taskwait
    CHECK_EQ(ATOMIC_LOAD(ran), 2 * tasks);
  }
  CHECK_EQ(in_final, finals);
  CHECK_EQ(free_agents, 0);
  return 0;
}
