// For tools/explore: transparent tasks, whose children meet the dependences of their parents' siblings through gates.
// What the dependences hand over is plain.
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
  int* data; // two: what is written, and what stands for the parent
} Task;

typedef struct {
  void* address;
  size_t bytes;
  uint8_t kind;
} Dependence;

void* __kmpc_omp_task_alloc(void*, int, int flags, size_t, size_t, int (*)(int, void*));
int __kmpc_omp_task_with_deps(void*, int, void*, int, Dependence*, int, Dependence*);
int __kmpc_global_thread_num(void*);

enum { kTied = 1, kPool = 0x80, kTransparent = 0x100, kInOut = 3 };

static void spawn(int flags, int (*routine)(int, void*), int* data, int* on) {
  int thread = __kmpc_global_thread_num(NULL);
  Task* task = __kmpc_omp_task_alloc(NULL, thread, flags, sizeof(Task), 0, routine);
  task->data = data;
  Dependence dependence = {on, sizeof *on, kInOut};
  __kmpc_omp_task_with_deps(NULL, thread, task, 1, &dependence, 0, NULL);
}

static int add_one(int thread, void* task) {
  ++*((Task*)task)->data;
  return 0;
}

static int parent(int thread, void* task) {
  int* data = ((Task*)task)->data;
  spawn(kTied, add_one, data, data);
  spawn(kTied, add_one, data, data);
  return 0;
}

// Its only child is transparent, too: a chain of gates.
static int grandparent(int thread, void* task) {
  int* data = ((Task*)task)->data;
  spawn(kTied | kTransparent, parent, data, data + 1);
  return 0;
}

// A free agent has it, or a member.
static int waiter(int thread, void* task) {
  int* data = ((Task*)task)->data;
#pragma omp taskwait depend(inout : data[0])
  ++*data;
  return 0;
}

int main(void) {
  setenv("OMP_THREADS_RESERVE", "free_agent(1)", 1);
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 2; round++) {
    int data[2] = {0, 0};
    spawn(kTied, add_one, data, data);                   // its children wait for this
    spawn(kTied | kTransparent, parent, data, data + 1); // and this for them
    spawn(kTied | kTransparent, parent, data, data + 1);
#pragma omp taskwait depend(inout : data[0], data[1])
    CHECK_EQ(data[0], 5);
    spawn(kTied | kTransparent, grandparent, data, data + 1);
    spawn(kTied | kTransparent | kPool, waiter, data, data + 1);
#pragma omp taskwait depend(inout : data[1])
    CHECK_EQ(data[0], 8);
  }
  return 0;
}
