// For tools/explore: free agents run tasks of a sequential part and of regions: tasks that wait, with dependences, in
// groups, and with children of both kinds. Regions take threads from the pool meanwhile. Each result is plain.
#include <omp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "support/check.h"

typedef struct {
  void* shareds;
  int (*routine)(int, void*);
  int part;
  void *data1, *data2;
  int* result;
} Task;

typedef struct {
  void* address;
  size_t bytes;
  uint8_t kind;
} Dependence;

void* __kmpc_omp_task_alloc(void*, int, int flags, size_t, size_t, int (*)(int, void*));
int __kmpc_omp_task(void*, int, void*);
int __kmpc_omp_task_with_deps(void*, int, void*, int, Dependence*, int, Dependence*);
int __kmpc_global_thread_num(void*);

enum { kTied = 1, kPool = 0x80, kInOut = 3 };

static Task* make(int flags, int (*routine)(int, void*), int* result) {
  Task* task = __kmpc_omp_task_alloc(NULL, __kmpc_global_thread_num(NULL), flags, sizeof(Task), 0, routine);
  task->result = result;
  return task;
}
static void spawn(int flags, int (*routine)(int, void*), int* result) {
  __kmpc_omp_task(NULL, __kmpc_global_thread_num(NULL), make(flags, routine, result));
}

static int add_one(int gtid, void* task) {
  ++*((Task*)task)->result;
  return 0;
}

static int parent(int gtid, void* task) {
  int sums[3] = {0, 0, 0};
  spawn(kTied | kPool, add_one, &sums[0]);
  spawn(kTied, add_one, &sums[1]); // not by an agent
  spawn(kTied | kPool, add_one, &sums[2]);
#pragma omp taskwait
  *((Task*)task)->result += sums[0] + sums[1] + sums[2];
  return 0;
}

static void tasks(void) {
  int chain = 0, sums[3] = {0, 0, 0};
  for (int i = 0; i < 3; i++) {
    Dependence on = {&chain, sizeof chain, kInOut};
    Task* link = make(i == 1 ? kTied : kTied | kPool, add_one, &chain);
    __kmpc_omp_task_with_deps(NULL, __kmpc_global_thread_num(NULL), link, 1, &on, 0, NULL);
  }
  for (int i = 0; i < 2; i++) spawn(kTied | kPool, parent, &sums[i]);
#pragma omp taskgroup
  spawn(kPool, parent, &sums[2]);
  CHECK_EQ(sums[2], 3);
#pragma omp taskwait
  CHECK_EQ(chain, 3);
  CHECK_EQ(sums[0] + sums[1], 6);
}

int main(void) {
  setenv("OMP_THREADS_RESERVE", "free_agent(2)", 1);
  tasks();
  int sum = 0;
  spawn(kTied | kPool, parent, &sum);
#pragma omp parallel num_threads(2)
#pragma omp single
  tasks();
#pragma omp taskwait
  CHECK_EQ(sum, 3);
  return 0;
}
