// Transparent tasks (OpenMP 6.0, 17.9.6), called as newer compilers call them (flag 0x100, with whatever impex-type):
// children of such a task wait for siblings of their parent that came before it; what depends on the task waits for its
// children too, and siblings that come after an undeferred one wait for its children. Taskloops, detached, nested and
// untied tasks do that as well, and a taskwait with dependences. A thread with a small stack opens a long chain of
// gates.
// RUN: %clang-openmp %s -o %t && %for-threads %t
// RUN: env OMP_MAX_TASK_PRIORITY=3 OMP_CANCELLATION=true %for-threads %t
// RUN: env OMP_NUM_THREADS=3 %for-schedulers %t
// RUN: env OMP_THREADS_RESERVE="free_agent(2)" %for-threads %t
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

#include "support/check.h"
#include "support/newer_tasks.h"

typedef struct {
  NewerPayload task;
  void (*body)(intptr_t);
  intptr_t argument;
  uint64_t lower, upper; // of taskloops
  int64_t stride;
  int last;
} Task;

extern void __kmpc_omp_task_begin_if0(void*, int, void*);
extern void __kmpc_omp_task_complete_if0(void*, int, void*);

enum { kRounds = 20, kCells = 4, kOuter = 30, kInner = 3 };

static int gtid(void) { return __kmpc_global_thread_num(0); }

static int call_body(int thread, void* payload) {
  ((Task*)payload)->body(((Task*)payload)->argument);
  return 0;
}

static Task* make(int flags, void (*body)(intptr_t), void* argument) {
  Task* task = __kmpc_omp_task_alloc(0, gtid(), flags, sizeof(Task), 0, call_body);
  task->body = body;
  task->argument = (intptr_t)argument;
  return task;
}

static void spawn(int flags, void (*body)(intptr_t), void* argument) {
  __kmpc_omp_task(0, gtid(), make(flags, body, argument));
}

static void spawn_with(int flags, void (*body)(intptr_t), void* argument, int kind, void* address) {
  NewerDependence on = {address, 1, (uint8_t)kind};
  __kmpc_omp_task_with_deps(0, gtid(), make(flags, body, argument), 1, &on, 0, 0);
}

static void work(void) { // long enough that others could overtake
  usleep(20);
}

typedef struct {
  int x, y, seen; // plain
  char parent;
  omp_event_handle_t event;
} Data;

static void write_x(intptr_t data) {
  work();
  ((Data*)data)->x = 1;
}
static void read_x(intptr_t data) { ((Data*)data)->seen += ((Data*)data)->x; }

static void reader_inside(intptr_t data) { spawn_with(kTied, read_x, (void*)data, kIn, &((Data*)data)->x); }
static void writer_inside(intptr_t data) { spawn_with(kTied, write_x, (void*)data, kOut, &((Data*)data)->x); }
static void writer_further_inside(intptr_t data) {
  spawn_with(kTied | kTransparent, writer_inside, (void*)data, kOut, &((Data*)data)->y);
}
static void writer_in_pool_inside(intptr_t data) {
  spawn_with(kTied | kPool, write_x, (void*)data, kOut, &((Data*)data)->x);
}
static void reader_further_inside(intptr_t data) { spawn(kTransparent, reader_inside, (void*)data); }
static void waiter_inside(intptr_t argument) {
  Data* data = (Data*)argument;
#pragma omp taskwait depend(in : data->x)
  data->seen += data->x;
}

static void children_wait_for_siblings_of_their_parent(void) {
  void (*const bodies[])(intptr_t) = {reader_inside, reader_further_inside, waiter_inside};
  for (int i = 0; i < 3 * kRounds; i++) {
    Data data = {0};
#pragma omp taskgroup
    {
      spawn_with(kTied, write_x, &data, kOut, &data.x);
      spawn(i % 2 ? kTransparent : kTransparent | kTied, bodies[i % 3], &data);
    }
    CHECK_EQ(data.seen, 1);
  }
}

static void successors_wait_for_children(void) {
  void (*const bodies[])(intptr_t) = {writer_inside, writer_further_inside, writer_in_pool_inside};
  for (int i = 0; i < kRounds; i++) {
    Data data = {0};
    spawn_with(kTied | kTransparent, bodies[i % 3], &data, kOut, &data.parent);
    spawn_with(kTied, read_x, &data, kIn, &data.parent);
#pragma omp taskwait
    CHECK_EQ(data.seen, 1);
  }
}

static void siblings_wait_for_children_of_an_undeferred_task(void) {
  for (int i = 0; i < kRounds; i++) {
    Data data = {0};
#pragma omp taskgroup
    {
      Task* task = make(kTied | kTransparent, writer_inside, &data);
      __kmpc_omp_task_begin_if0(0, gtid(), task);
      call_body(gtid(), task);
      __kmpc_omp_task_complete_if0(0, gtid(), task);
      spawn_with(kTied, read_x, &data, kIn, &data.x);
    }
    CHECK_EQ(data.seen, 1);
  }
}

static void detached_parents(void) {
  for (int i = 0; i < kRounds; i++) {
    Data data = {0};
    Task* task = make(kTied | kTransparent | kDetachable, writer_inside, &data);
    data.event = __kmpc_task_allow_completion_event(0, gtid(), task);
    NewerDependence on = {&data.parent, 1, kOut};
    __kmpc_omp_task_with_deps(0, gtid(), task, 1, &on, 0, 0);
    spawn_with(kTied, read_x, &data, kIn, &data.parent);
    omp_fulfill_event(data.event);
#pragma omp taskwait
    CHECK_EQ(data.seen, 1);
  }
}

static int loop_body(int thread, void* payload) {
  reader_inside(((Task*)payload)->argument);
  return 0;
}

static void nothing(intptr_t data) { (void)data; }
static void fulfil(intptr_t data) { omp_fulfill_event(((Data*)data)->event); }

// What depends on a transparent task without children does not wait for what the task would have imported.
static void childless_tasks_export_nothing(void) {
  for (int i = 0; i < kRounds; i++) {
    Data data = {0};
    Task* task = make(kTied | kDetachable, nothing, &data);
    data.event = __kmpc_task_allow_completion_event(0, gtid(), task);
    NewerDependence on = {&data.x, 1, kOut};
    __kmpc_omp_task_with_deps(0, gtid(), task, 1, &on, 0, 0);
    spawn_with(kTied | kTransparent, nothing, &data, kOut, &data.y);
    spawn_with(kTied, fulfil, &data, kIn, &data.y);
#pragma omp taskwait
  }
}

static void taskloop(Data* data, int deferred) {
  Task* loop = __kmpc_omp_task_alloc(0, gtid(), kTied | kTransparent, sizeof(Task), 0, loop_body);
  loop->argument = (intptr_t)data;
  loop->lower = 0, loop->upper = 0, loop->stride = 1;
  __kmpc_taskloop(0, gtid(), loop, deferred, &loop->lower, &loop->upper, 1, 1, 0, 0, 0);
}
static void taskloop_inside(intptr_t data) { taskloop((Data*)data, 0); }

static void taskloops(int deferred) {
  for (int i = 0; i < kRounds; i++) {
    Data data = {0};
#pragma omp taskgroup
    {
      spawn_with(kTied, write_x, &data, kOut, &data.x);
      taskloop(&data, deferred);
    }
    CHECK_EQ(data.seen, 1);
  }
}

// The task that has the loop has no child of its own, but waits itself for what comes before it.
static void taskloops_in_transparent_tasks(void) {
  for (int i = 0; i < kRounds; i++) {
    Data data = {0};
#pragma omp taskgroup
    {
      spawn_with(kTied, write_x, &data, kOut, &data.x);
      spawn(kTied | kTransparent, taskloop_inside, &data);
    }
    CHECK_EQ(data.seen, 1);
  }
}

typedef struct {
  Data data;
  int left; // plain: one body begins when another one has made it
  atomic_int ended;
} Nest;

static void nest(intptr_t argument) {
  Nest* at = (Nest*)argument;
  if (--at->left == 0) {
    Task* task = make(kTied | kDetachable, write_x, &at->data);
    at->data.event = __kmpc_task_allow_completion_event(0, gtid(), task);
    NewerDependence on = {&at->data.x, 1, kOut};
    __kmpc_omp_task_with_deps(0, gtid(), task, 1, &on, 0, 0);
  } else {
    spawn_with(kTied | kTransparent, nest, at, kOut, &at->data.y);
  }
  at->ended++;
}

static void* fulfil_here(void* data) {
  omp_fulfill_event(((Data*)data)->event);
  return 0;
}

static void long_chain_of_gates(void) {
  enum { kSmallStack = 256 * 1024 };
  int depth = omp_get_num_threads() > 1 ? SCALED(20000) : 20;
  Nest all = {{0}, depth, 0};
  spawn_with(kTied | kTransparent, nest, &all, kOut, &all.data.parent);
  spawn_with(kTied, read_x, &all.data, kIn, &all.data.parent);
  while (all.ended < depth) {
#pragma omp taskyield
  }
  usleep(1000); // the last of them ends
  CHECK_EQ(all.data.seen, 0);
  pthread_t thread;
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, kSmallStack);
  CHECK_EQ(pthread_create(&thread, &small, fulfil_here, &all.data), 0);
  pthread_join(thread, 0);
#pragma omp taskwait
  CHECK_EQ(all.data.seen, 1);
}

// Tasks that stand for what their children do: as if all children depended on each other.
typedef struct {
  int value; // plain
} Cell;
typedef struct {
  Cell* cell;
  int first;
} Step;

static void step(intptr_t argument) {
  Step* at = (Step*)argument;
  if (at->first % 7 == 0) work();
  CHECK_EQ(at->cell->value, at->first);
  at->cell->value++;
}

static void steps(intptr_t argument) {
  Step* first = (Step*)argument;
  for (int i = 0; i < kInner; i++) spawn_with(kTied, step, &first[i], i % 2 ? kInOut : kMutex, &first->cell->value);
}

static void chains(void) {
  static Step of[kCells][kOuter][kInner];
  Cell cells[kCells] = {{0}};
  for (int i = 0; i < kOuter; i++)
    for (int c = 0; c < kCells; c++) {
      for (int k = 0; k < kInner; k++) of[c][i][k] = (Step){&cells[c], i * kInner + k};
      spawn_with(i % 3 ? kTransparent : kTransparent | kTied, steps, of[c][i], kInOut, &cells[c]);
    }
  // The last children are no children of ours, but what depends on their parents waits for them.
  for (int c = 0; c < kCells; c++) {
#pragma omp task depend(in : cells[c])
    {
    }
  }
#pragma omp taskwait
  for (int c = 0; c < kCells; c++) CHECK_EQ(cells[c].value, kOuter * kInner);
}

int main(void) {
  for (int round = 0; round < 3; round++) {
#pragma omp parallel
#pragma omp single
    {
      children_wait_for_siblings_of_their_parent();
      successors_wait_for_children();
      siblings_wait_for_children_of_an_undeferred_task();
      detached_parents();
      childless_tasks_export_nothing();
      taskloops(1), taskloops(0);
      taskloops_in_transparent_tasks();
      long_chain_of_gates();
      chains();
    }
  }
  successors_wait_for_children(); // in the sequential part
  chains();
  return 0;
}
