// The calls that Clang will make for OpenMP 6.0's taskgraph: the region is recorded once for each graph_id, its tasks
// are told where the variables of the present encounter are, graph_reset records anew, and what other calls make in the
// region, replayable(false), runs when it is recorded and never again.
// RUN: %clang-openmp %s -o %t -L%lib && %for-threads %t
#include <omp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "support/check.h"

typedef struct Payload {
  void* shareds;
  int32_t (*routine)(int32_t, struct Payload*);
  int32_t part;
  void *data1, *data2;
  int32_t amount; // firstprivate
} Payload;
typedef struct {
  uintptr_t address;
  size_t length;
  uint8_t flags;
} Depend;

Payload* __kmpc_omp_task_alloc(void*, int32_t, int32_t, size_t, size_t, int32_t (*)(int32_t, Payload*));
void __kmpc_taskgraph(void*, int32_t, void**, uint64_t, int32_t, int32_t, void (*)(void*), void*);
int32_t __kmpc_taskgraph_task(void*, int32_t, Payload*, int32_t, size_t, size_t, int32_t, Depend*,
                              void (*)(Payload*, void*), void (*)(Payload*, Payload*, int32_t));
int32_t __kmpc_global_thread_num(void*);

typedef struct {
  int* sum;
} Captures;

static int regions, once;

static int32_t add(int32_t thread, Payload* task) {
  (void)thread;
  int** shareds = task->shareds;
  **shareds += task->amount;
  task->amount = -1000; // the next replay finds what was recorded
  return 0;
}

static void relocate(Payload* task, void* captures) { *(int**)task->shareds = ((Captures*)captures)->sum; }

static void region(void* captures) {
  int32_t thread = __kmpc_global_thread_num(NULL);
  __atomic_add_fetch(&regions, 1, __ATOMIC_RELAXED);
  for (int i = 1; i <= 10; ++i) {
    Payload* task = __kmpc_omp_task_alloc(NULL, thread, 1, sizeof(Payload), sizeof(int*), add);
    *(int**)task->shareds = ((Captures*)captures)->sum;
    task->amount = i;
    Depend inout = {(uintptr_t)&regions, 4, 3};
    __kmpc_taskgraph_task(NULL, thread, task, 1, sizeof(Payload), sizeof(int*), 1, &inout, relocate, NULL);
  }
#pragma omp task depend(inout : once)
  once++;
#pragma omp taskwait depend(in : once)
#pragma omp taskloop
  for (int i = 0; i < 4; ++i) __atomic_add_fetch(&once, 1, __ATOMIC_RELAXED);
}

static void* handle;

static void encounter(uint64_t id, int32_t reset) {
  int sum = 0;
  Captures captures = {&sum};
  __kmpc_taskgraph(NULL, __kmpc_global_thread_num(NULL), &handle, id, reset, 0, region, &captures);
  CHECK_EQ(sum, 55);
}

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 20; ++i) encounter(1, 0);
    CHECK_EQ(regions, 1);
    CHECK_EQ(once, 5);
    encounter(2, 0);
    CHECK_EQ(regions, 2);
    encounter(1, 1);
    CHECK_EQ(regions, 3);
    encounter(1, 0);
    CHECK_EQ(regions, 3);
  }
#pragma omp parallel
  for (int i = 0; i < 20; ++i) encounter(1, 0); // several replays at once, each with variables of its own
  CHECK_EQ(regions, 3);
  return 0;
}
