// A transparent task in a task graph's region exports its children's dependences there too (OpenMP 6.0, 14.3, 17.9.6),
// when the graph is recorded and each time that it is encountered again; and so does one that a transparent task makes.
// RUN: %clang-openmp %s -o %t -L%lib && %for-threads %t
#include <sched.h>

#include "support/check.h"
#include "support/newer_tasks.h"

extern int __kmpc_start_record_task(void*, int, int, int);
extern void __kmpc_end_record_task(void*, int, int, int);

enum { kGraphs = 2 };
static int x, written, late[kGraphs];

static void write_last(void* unused) {
  for (int i = 0; i < 50; i++) sched_yield();
  __atomic_store_n(&written, 1, __ATOMIC_RELEASE);
}
static void make_writer(void* unused) { newer_spawn_after(kTied, write_last, 0, kInOut, &x); }
static void make_maker(void* unused) { newer_spawn_after(kTied | kTransparent, make_writer, 0, kInOut, &x); }
static void read_after(void* graph) {
  if (__atomic_load_n(&written, __ATOMIC_ACQUIRE)) return;
  __atomic_fetch_add(&late[(intptr_t)graph], 1, __ATOMIC_RELAXED);
}

static void region(intptr_t graph) {
  newer_spawn_after(kTied | kTransparent, graph == 0 ? make_writer : make_maker, 0, kInOut, &x);
  newer_spawn_after(kTied, read_after, (void*)graph, kIn, &x);
}

int main(void) {
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < SCALED(60); round++)
    for (intptr_t graph = 0; graph < kGraphs; graph++) {
      int thread = __kmpc_global_thread_num(0);
      written = 0;
      if (__kmpc_start_record_task(0, thread, 0, (int)graph)) region(graph);
      __kmpc_end_record_task(0, thread, 0, (int)graph);
      CHECK_EQ(written, 1);
    }
  for (int graph = 0; graph < kGraphs; graph++) CHECK_EQ(late[graph], 0);
  return 0;
}
