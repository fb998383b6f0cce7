// What transparent tasks import and export is a matter of addresses (OpenMP 6.0, 17.9.5): a child waits only for those
// of the earlier tasks that have a dependence on the same address. So it may fulfil the event of another one, and
// children of independent tasks need not wait for each other. A transparent task that waits inside for what it imports
// runs that itself if no other thread does. Grandchildren of an undeferred task are ordered through its children.
// RUN: %clang-openmp %s -o %t && %for-threads %t
// RUN: env OMP_NUM_THREADS=3 %for-schedulers %t
// RUN: env KMP_BLOCKTIME=0 %for-threads %t
// RUN: env OMP_MAX_TASK_PRIORITY=1 %for-threads %t
#include <omp.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#include "support/check.h"
#include "support/newer_tasks.h"

extern void __kmpc_omp_task_begin_if0(void*, int, void*);
extern void __kmpc_omp_task_complete_if0(void*, int, void*);

enum { kRounds = 20 };

typedef struct {
  int x, y, seen; // plain
  char parent;
  omp_event_handle_t event;
} Data;

static void nothing(void* data) { (void)data; }
static void fulfil(void* data) { omp_fulfill_event(((Data*)data)->event); }

static void write_x(void* data) {
  usleep(20);
  ((Data*)data)->x = 1;
}
static void read_x(void* data) { ((Data*)data)->seen += ((Data*)data)->x; }

static void run_undeferred(int flags, void (*body)(void*), Data* data) {
  NewerTask* task = newer_task(flags, body, data);
  __kmpc_omp_task_begin_if0(0, __kmpc_global_thread_num(0), task);
  newer_body(__kmpc_global_thread_num(0), task);
  __kmpc_omp_task_complete_if0(0, __kmpc_global_thread_num(0), task);
}

// Its end waits for fulfil().
static void spawn_detached(void (*body)(void*), Data* data, int kind, void* on) {
  NewerTask* task = newer_task(kTied | kDetachable, body, data);
  data->event = newer_event(task);
  newer_spawn_task_after(task, kind, on);
}

// ---- Imports --------------------------------------------------------------------------------------------------------

static void fulfil_after_y(void* data) { newer_spawn_after(kTied, fulfil, data, kOut, &((Data*)data)->y); }
static void fulfil_beside_reader(void* data) { newer_spawn_after(kTied, fulfil, data, kIn, &((Data*)data)->x); }

static void children_wait_for_their_addresses(void) {
  for (int i = 0; i < kRounds; i++) {
    Data data = {0};
#pragma omp taskgroup
    {
      spawn_detached(nothing, &data, i % 2 ? kOut : kIn, &data.x);
      newer_spawn(kTied | kTransparent, i % 2 ? fulfil_after_y : fulfil_beside_reader, &data);
    }
  }
}

static void reader_inside(void* data) { newer_spawn_after(kTied, read_x, data, kIn, &((Data*)data)->x); }
static void reader_further_inside(void* data) { newer_spawn(kTied | kTransparent, reader_inside, data); }

// A writer between two generations of readers, and one that all memory stands for.
static void children_wait_for_both_generations(void) {
  for (int i = 0; i < kRounds; i++) {
    Data data = {0};
#pragma omp taskgroup
    {
      if (i % 2) {
        newer_spawn_after(kTied, write_x, &data, kOut, &data.x);
      } else {
        NewerDependence all = {NULL, 0, 0x80};
        __kmpc_omp_task_with_deps(0, __kmpc_global_thread_num(0), newer_task(kTied, write_x, &data), 1, &all, 0, 0);
      }
      newer_spawn_after(kTied, nothing, &data, kIn, &data.x);
      newer_spawn(kTied | kTransparent, i % 4 < 2 ? reader_inside : reader_further_inside, &data);
    }
    CHECK_EQ(data.seen, 1);
  }
}

// ---- Undeferred tasks -----------------------------------------------------------------------------------------------

static void detached_inside(void* data) {
  spawn_detached(nothing, data, kOut, &((Data*)data)->x);
  newer_spawn_after(kTied, nothing, data, kOut, &((Data*)data)->y);
}

static void siblings_wait_for_their_addresses(void) {
  for (int i = 0; i < kRounds; i++) {
    Data data = {0};
#pragma omp taskgroup
    {
      run_undeferred(kTied | kTransparent, detached_inside, &data);
      newer_spawn_after(kTied, fulfil, &data, kIn, &data.y);
    }
  }
}

static void writer_inside(void* data) { newer_spawn_after(kTied, write_x, data, kOut, &((Data*)data)->x); }
static void writer_further_inside(void* data) {
  newer_spawn_after(kTied | kTransparent, writer_inside, data, kOut, &((Data*)data)->parent);
}
static void both_inside(void* data) {
  writer_further_inside(data);
  newer_spawn_after(kTied, read_x, data, kIn, &((Data*)data)->parent);
}

// The writer is a grandchild; its parent has an address that the reader names.
static void grandchildren_of_an_undeferred_task(void) {
  for (int i = 0; i < kRounds; i++) {
    Data data = {0};
#pragma omp taskgroup
    {
      run_undeferred(kTied | kTransparent, i % 2 ? writer_further_inside : both_inside, &data);
      if (i % 2) newer_spawn_after(kTied, read_x, &data, kIn, &data.parent);
    }
    CHECK_EQ(data.seen, 1);
  }
}

// The reader is a grandchild, and the writer comes before its grandparent.
static void grandchildren_import(void) {
  for (int i = 0; i < kRounds; i++) {
    Data data = {0};
#pragma omp taskgroup
    {
      newer_spawn_after(kTied, write_x, &data, kOut, &data.x);
      run_undeferred(kTied | kTransparent, reader_further_inside, &data);
    }
    CHECK_EQ(data.seen, 1);
  }
}

// An undeferred task may have an event, too: those that come after its body wait for its children.
static void undeferred_with_event(void) {
  for (int i = 0; i < kRounds; i++) {
    Data data = {0};
#pragma omp taskgroup
    {
      NewerTask* task = newer_task(kTied | kTransparent | kDetachable, writer_inside, &data);
      omp_event_handle_t event = newer_event(task);
      __kmpc_omp_task_begin_if0(0, __kmpc_global_thread_num(0), task);
      newer_body(__kmpc_global_thread_num(0), task);
      __kmpc_omp_task_complete_if0(0, __kmpc_global_thread_num(0), task);
      newer_spawn_after(kTied, read_x, &data, kIn, &data.x);
      omp_fulfill_event(event);
    }
    CHECK_EQ(data.seen, 1);
  }
}

// ---- Events and children of one task --------------------------------------------------------------------------------

static void fulfil_inside(void* data) { newer_spawn_after(kTied, fulfil, data, kOut, &((Data*)data)->x); }

// The child of a detached task fulfils its event, and what depends on the task comes after the child.
static void child_fulfils_event_of_parent(void) {
  for (int i = 0; i < kRounds; i++) {
    Data data = {0};
    NewerTask* task = newer_task(kTied | kTransparent | kDetachable, fulfil_inside, &data);
    data.event = newer_event(task);
    newer_spawn_task_after(task, kOut, &data.parent);
    newer_spawn_after(kTied, read_x, &data, kIn, &data.parent);
#pragma omp taskwait
  }
}

// ---- Waits inside ---------------------------------------------------------------------------------------------------

static void wait_inside(void* argument) {
  Data* data = argument;
#pragma omp taskwait depend(in : data->x)
  data->seen += data->x;
}
static void wait_for_child_inside(void* data) {
  reader_inside(data);
#pragma omp taskwait
}
static void group_inside(void* data) {
#pragma omp taskgroup
  reader_inside(data);
}

// The child of a child that has ended becomes ready while its grandparent waits for it.
static void wait_for_grandchild_inside(void* argument) {
  Data* data = argument;
  spawn_detached(nothing, data, kOut, &data->x);
  newer_spawn_after(kTied | kTransparent, writer_inside, data, kOut, &data->parent);
  omp_fulfill_event(data->event);
#pragma omp taskwait depend(in : data->parent)
  data->seen += data->x;
}

static void waits_for_grandchildren(void) {
  for (int i = 0; i < kRounds; i++) {
    Data data = {0};
    newer_spawn(i % 2 ? kTied : kTied | kTransparent, wait_for_grandchild_inside, &data);
#pragma omp taskwait
    CHECK_EQ(data.seen, 1);
  }
}

// A thread that is about to begin the writer does not begin the urgent task, which waits for the writer, before it.
static void urgent_one_waits(void) {
  for (int i = 0; i < kRounds; i++) {
    Data data = {0};
#pragma omp taskgroup
    {
      newer_spawn_after(kTied, write_x, &data, kOut, &data.x);
      NewerTask* urgent = newer_task(kTied | kTransparent | kPrioritised, wait_for_child_inside, &data);
      urgent->payload.data2.priority = 1;
      __kmpc_omp_task(0, __kmpc_global_thread_num(0), urgent);
    }
    CHECK_EQ(data.seen, 1);
  }
}

static atomic_int left;

// All threads but one are busy.
static void alone(void) {
  void (*const bodies[])(void*) = {wait_inside, wait_for_child_inside, group_inside};
  for (int i = 0; i < 6; i++) {
    Data data = {0};
    newer_spawn_after(kTied, nothing, &data, kOut, &data.parent);
    newer_spawn_after(kTied, nothing, &data, kInOut, &data.parent);
    newer_spawn_after(kTied | kTransparent, i < 3 ? nothing : writer_inside, &data, kInOut, &data.x);
    newer_spawn_after(kTied, write_x, &data, kInOut, &data.x);
    newer_spawn_after(kTied | kTransparent, bodies[i % 3], &data, kIn, &data.y);
#pragma omp taskwait
    CHECK_EQ(data.seen, 1);
  }
}

int main(void) {
  for (int round = 0; round < 3; round++) {
#pragma omp parallel
#pragma omp single
    {
      children_wait_for_their_addresses();
      children_wait_for_both_generations();
      siblings_wait_for_their_addresses();
      grandchildren_of_an_undeferred_task();
      grandchildren_import();
      undeferred_with_event();
      child_fulfils_event_of_parent();
      waits_for_grandchildren();
      urgent_one_waits();
      alone();
    }
    atomic_store(&left, 1);
#pragma omp parallel
    if (omp_get_thread_num() == 0) {
      alone();
      atomic_store(&left, 0);
    } else {
      while (atomic_load(&left)) usleep(100);
    }
  }
  waits_for_grandchildren(); // in the sequential part
  return 0;
}
