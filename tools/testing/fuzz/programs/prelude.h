// What every random program of tools/fuzz begins with.
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef __clang__ // GCC 12's library does not have these
#define omp_init_lock_with_hint(lock, hint) omp_init_lock(lock)
#define omp_init_nest_lock_with_hint(lock, hint) omp_init_nest_lock(lock)
#endif

static int fuzz_errors;

static void fuzz_wrong(int line, const char* what, long double got, long double expected) {
  if (__atomic_add_fetch(&fuzz_errors, 1, __ATOMIC_RELAXED) <= 5)
    fprintf(stderr, "wrong: line %d: %s: got %.0Lf, expected %.0Lf\n", line, what, got, expected);
}

#define CHECK(good) ((good) ? (void)0 : fuzz_wrong(__LINE__, #good, 0, 1))
#define CHECK_EQ(got, expected)                                                                                        \
  ((got) == (expected) ? (void)0 : fuzz_wrong(__LINE__, #got, (long double)(got), (long double)(expected)))

// A plain pthread that fulfils an event.
static inline void* fuzz_event(omp_event_handle_t event) { return (void*)(uintptr_t)event; }
static inline void* fuzz_fulfill(void* event) {
  sched_yield();
  omp_fulfill_event((omp_event_handle_t)(uintptr_t)event);
  return 0;
}

// Tasks that stop, by calls that only chomp has. Elsewhere, and unless FUZZ_STOPS is set, they go on at once.
#ifdef __cplusplus
extern "C" {
#endif
__attribute__((weak)) void* chomp_task_self(void);
__attribute__((weak)) int chomp_task_suspend(void*);
__attribute__((weak)) int chomp_task_resume(void*);
__attribute__((weak)) int alpi_task_self(void**);
__attribute__((weak)) int alpi_task_events_increase(void*, uint64_t);
__attribute__((weak)) int alpi_task_events_decrease(void*, uint64_t);
__attribute__((weak)) int alpi_task_waitfor_ns(uint64_t, uint64_t*);
__attribute__((weak)) int alpi_cpu_logical_id(uint64_t*);
#ifdef __cplusplus
}
#endif
static int fuzz_stops;

static inline void fuzz_may_stop(void) {
  fuzz_stops = getenv("FUZZ_STOPS") && chomp_task_self && alpi_task_self && chomp_task_self();
}
// No other task has the number before this one stops.
static inline void fuzz_use_number(void) {
  static int users[1024];
  uint64_t number = 0;
  CHECK_EQ(alpi_cpu_logical_id(&number), 0);
  CHECK_EQ(__atomic_fetch_add(&users[number], 1, __ATOMIC_RELAXED), 0);
  sched_yield();
  CHECK_EQ(__atomic_fetch_sub(&users[number], 1, __ATOMIC_RELAXED), 1);
}
static inline void* fuzz_self(int event) {
  void* self = 0;
  fuzz_use_number();
  if (!event) return chomp_task_self();
  CHECK_EQ(alpi_task_self(&self), 0);
  CHECK_EQ(alpi_task_events_increase(self, 1), 0);
  return self;
}
static inline void fuzz_let(void* task, int event) {
  CHECK_EQ(event ? alpi_task_events_decrease(task, 1) : chomp_task_resume(task), 0);
}
// The current task stops, until fuzz_go_on() for the same handle; or will not end before that.
static inline void fuzz_stop(void** handle, int event) {
  if (!fuzz_stops) return;
  int thread = omp_get_thread_num();
  void* self = fuzz_self(event);
  __atomic_store_n(handle, self, __ATOMIC_RELEASE);
  if (event) return;
  CHECK_EQ(chomp_task_suspend(self), 0);
  CHECK_EQ(omp_get_thread_num(), thread);
}
static inline void fuzz_stop_resumed(void** handle, int event) {
  if (!fuzz_stops) return;
  *handle = fuzz_self(event);
  fuzz_let(*handle, event);
  if (!event) CHECK_EQ(chomp_task_suspend(*handle), 0);
}
static inline void fuzz_go_on(void** handle, int event) {
  void* task;
  if (!fuzz_stops) return;
  while (!(task = __atomic_exchange_n(handle, (void*)0, __ATOMIC_ACQ_REL))) {
#pragma omp taskyield
  }
  fuzz_let(task, event);
}
// The same on a plain pthread.
struct fuzz_stopped {
  void** handle;
  int times, event;
};
static inline struct fuzz_stopped* fuzz_stopped(void** handle, int times, int event) {
  struct fuzz_stopped* stopped = (struct fuzz_stopped*)malloc(sizeof *stopped);
  stopped->handle = handle, stopped->times = times, stopped->event = event;
  return stopped;
}
static inline void* fuzz_let_go_on(void* stopped) {
  struct fuzz_stopped all = *(struct fuzz_stopped*)stopped;
  free(stopped);
  for (void* task; fuzz_stops && all.times > 0; --all.times) {
    while (!(task = __atomic_exchange_n(all.handle, (void*)0, __ATOMIC_ACQ_REL))) sched_yield();
    fuzz_let(task, all.event);
  }
  return 0;
}
// The implicit or initial task stops so often, for a moment and until a plain pthread says so.
static inline void fuzz_stop_here(int times, int wait_ns) {
  void* handle = 0;
  pthread_t thread;
  if (!fuzz_stops) return;
  CHECK_EQ(alpi_task_waitfor_ns(wait_ns, 0), 0);
  if (pthread_create(&thread, 0, fuzz_let_go_on, fuzz_stopped(&handle, times, 0))) abort();
  for (; times > 0; --times) fuzz_stop(&handle, 0);
  pthread_join(thread, 0);
  fuzz_use_number();
}
// What a task writes late: perhaps when its body has returned, but before its events are over.
struct fuzz_owed {
  void* task; // which owes it; null: it has no events
  int count, detached;
  omp_event_handle_t event;
  struct {
    unsigned long *to, value;
    int adds;
  } write[3];
};
static inline struct fuzz_owed* fuzz_owe(int event) {
  struct fuzz_owed* owed = (struct fuzz_owed*)calloc(1, sizeof *owed);
  if (event && fuzz_stops) owed->task = fuzz_self(1);
  return owed;
}
static inline void fuzz_owe_write(struct fuzz_owed* owed, unsigned long* to, unsigned long value, int adds) {
  owed->write[owed->count].to = to, owed->write[owed->count].value = value, owed->write[owed->count++].adds = adds;
}
static inline void* fuzz_pay(void* all) {
  struct fuzz_owed owed = *(struct fuzz_owed*)all;
  free(all);
  for (int i = 0; i < owed.count; i++) {
    unsigned long* to = owed.write[i].to;
    *to = owed.write[i].adds ? *to + owed.write[i].value : owed.write[i].value;
  }
  if (owed.task) fuzz_let(owed.task, 1);
  if (owed.detached) omp_fulfill_event(owed.event);
  return 0;
}
static inline void* fuzz_pay_late(void* owed) {
  for (int i = 0; i < 5; i++) sched_yield();
  return fuzz_pay(owed);
}
static inline void fuzz_pay_by_thread(struct fuzz_owed* owed) {
  pthread_t thread;
  if (!owed->task && !owed->detached) {
    fuzz_pay(owed);
  } else {
    CHECK_EQ(pthread_create(&thread, 0, fuzz_pay_late, owed), 0);
    pthread_detach(thread);
  }
}
// From the last task of some to the first.
static inline void fuzz_take_turn(int* turn, int mine) {
  while (fuzz_stops && __atomic_load_n(turn, __ATOMIC_ACQUIRE) != mine) {
#pragma omp taskyield
  }
  if (fuzz_stops) __atomic_store_n(turn, mine - 1, __ATOMIC_RELEASE);
}

// Calls of record and replay, which not every library has.
#ifdef __cplusplus
extern "C" {
#endif
__attribute__((weak)) int __kmpc_start_record_task(void*, int, int, int);
__attribute__((weak)) void __kmpc_end_record_task(void*, int, int, int);
#ifdef __cplusplus
}
#endif

static inline int fuzz_graph_id(void) {
  static int ids;
  return __atomic_add_fetch(&ids, 1, __ATOMIC_RELAXED);
}
// Whether the graph's region is to be gone through.
static inline int fuzz_graph_begin(int nowait, int id) {
  return !__kmpc_start_record_task || __kmpc_start_record_task(0, 0, nowait, id);
}
static inline void fuzz_graph_end(int nowait, int id) {
  if (__kmpc_end_record_task) {
    __kmpc_end_record_task(0, 0, nowait, id);
  } else if (!nowait) {
#pragma omp taskwait
  }
}

// Tasks of OpenMP 6.0, transparent ones and those for free agents, by flags of the calls that make tasks. A library
// without them executes the steps one after the other.
enum { kFuzzUndeferred = 1 << 16, kFuzzPriority = 0x20, kFuzzTransparent = 0x100, kFuzzInOut = 3, kFuzzMost = 8 };

struct fuzz_step {
  int flags, size; // of a leaf 1; of a transparent task one more than its children's sizes
  int uses;
  struct {
    unsigned char kind, variable;
  } use[3];
};
struct fuzz_tree {
  const struct fuzz_step* steps;
  int count;
  unsigned long data[kFuzzMost];
  unsigned long (*seen)[3];         // what each leaf of each round finds
  char order[kFuzzMost][kFuzzMost]; // what stands for a transparent task: its level, and the variables inside
};
struct fuzz_task {
  void* shareds;
  int (*routine)(int, void*);
  long part;
  union {
    int priority;
    void* destructors;
  } data1, data2;
  struct fuzz_tree* tree;
  int round, step, level;
};
struct fuzz_dependence {
  void* address;
  size_t bytes;
  uint8_t kind;
};
#ifdef __cplusplus
extern "C" {
#endif
__attribute__((weak)) int omp_is_free_agent(void);
__attribute__((weak)) void* __kmpc_omp_task_alloc(void*, int, int, size_t, size_t, int (*)(int, void*));
__attribute__((weak)) int __kmpc_omp_task_with_deps(void*, int, void*, int, void*, int, void*);
__attribute__((weak)) void __kmpc_omp_wait_deps(void*, int, int, void*, int, void*);
__attribute__((weak)) void __kmpc_omp_task_begin_if0(void*, int, void*);
__attribute__((weak)) void __kmpc_omp_task_complete_if0(void*, int, void*);
__attribute__((weak)) int __kmpc_global_thread_num(void*);
#ifdef __cplusplus
}
#endif

static inline void fuzz_leaf(struct fuzz_tree* tree, int step, const unsigned long* seen) {
  const struct fuzz_step* at = &tree->steps[step];
  for (int i = 0; i < at->uses; i++) {
    unsigned long* data = &tree->data[at->use[i].variable];
    if (seen && at->use[i].kind <= kFuzzInOut) CHECK_EQ(*data, seen[i]);
    if (at->use[i].kind == 1) continue;
    if (at->use[i].kind <= kFuzzInOut)
      *data = *data * 3 + (unsigned long)step;
    else
      __atomic_fetch_add(data, (unsigned long)step + 1, __ATOMIC_RELAXED);
  }
}

static inline int fuzz_uses(const struct fuzz_tree* tree, int step, int variable) {
  for (int i = step; i < step + tree->steps[step].size; i++)
    for (int k = 0; k < tree->steps[i].uses; k++)
      if (tree->steps[i].use[k].variable == variable) return 1;
  return 0;
}

static inline void fuzz_spawn(struct fuzz_tree* tree, int round, int first, int end, int level);

static inline int fuzz_task_body(int thread, void* payload) {
  struct fuzz_task* task = (struct fuzz_task*)payload;
  struct fuzz_tree* tree = task->tree;
  (void)thread;
  if (tree->steps[task->step].size == 1)
    fuzz_leaf(tree, task->step, tree->seen[task->round * tree->count + task->step]);
  else
    fuzz_spawn(tree, task->round, task->step + 1, task->step + tree->steps[task->step].size, task->level + 1);
  return 0;
}

// A leaf comes after the transparent tasks before it that have its variables inside.
static inline void fuzz_spawn_one(struct fuzz_tree* tree, int round, int first, int step, int end, int level) {
  const struct fuzz_step* at = &tree->steps[step];
  struct fuzz_dependence on[2 * kFuzzMost];
  int count = 0, thread = __kmpc_global_thread_num(0);
  if (at->size == 1)
    for (int i = 0; i < at->uses; i++)
      on[count++] = (struct fuzz_dependence){&tree->data[at->use[i].variable], 1, at->use[i].kind};
  for (int v = 0; v < kFuzzMost; v++) {
    int before = at->size > 1 && fuzz_uses(tree, step, v);
    for (int i = first; at->size == 1 && i < (round > 0 && level == 0 ? end : step); i += tree->steps[i].size)
      before |= tree->steps[i].size > 1 && fuzz_uses(tree, i, v) && fuzz_uses(tree, step, v);
    if (before)
      on[count++] = (struct fuzz_dependence){&tree->order[level][v], 1, (uint8_t)(at->size > 1 ? kFuzzInOut : 1)};
  }
  int flags = at->flags | (at->size > 1 ? kFuzzTransparent : 0);
  struct fuzz_task* task = (struct fuzz_task*)__kmpc_omp_task_alloc(0, thread, flags & (kFuzzUndeferred - 1),
                                                                    sizeof(struct fuzz_task), 0, fuzz_task_body);
  task->tree = tree;
  task->round = round;
  task->step = step;
  task->level = level;
  if (flags & kFuzzPriority) task->data2.priority = step % 3;
  if (!(flags & kFuzzUndeferred)) {
    __kmpc_omp_task_with_deps(0, thread, task, count, on, 0, 0);
    return;
  }
  __kmpc_omp_wait_deps(0, thread, count, on, 0, 0);
  __kmpc_omp_task_begin_if0(0, thread, task);
  fuzz_task_body(thread, task);
  __kmpc_omp_task_complete_if0(0, thread, task);
}

static inline void fuzz_spawn(struct fuzz_tree* tree, int round, int first, int end, int level) {
  for (int step = first; step < end; step += tree->steps[step].size)
    fuzz_spawn_one(tree, round, first, step, end, level);
}

// With a graph, each round begins anew, and is the first one's replay.
static inline void fuzz_newer_tasks(const struct fuzz_step* steps, int count, int rounds, int graph) {
  int different = graph ? 1 : rounds;
  struct fuzz_tree plain = {steps, count, {0}, 0, {{0}}}, tree = plain;
  unsigned long(*seen)[3] = (unsigned long(*)[3])calloc((size_t)(different * count + 1), sizeof *seen);
  for (int i = 0; i < different * count; i++) {
    const struct fuzz_step* at = &steps[i % count];
    for (int k = 0; at->size == 1 && k < at->uses; k++) seen[i][k] = plain.data[at->use[k].variable];
    if (at->size == 1) fuzz_leaf(&plain, i % count, 0);
  }
  tree.seen = seen;
#pragma omp taskgroup
  for (int round = 0; round < rounds; round++) {
    if (!omp_is_free_agent) {
      for (int i = 0; i < count; i++)
        if (steps[i].size == 1) fuzz_leaf(&tree, i, seen[round % different * count + i]);
    } else if (!graph) {
      fuzz_spawn(&tree, round, 0, count, 0);
    } else {
#pragma omp taskgroup
      {
        if (fuzz_graph_begin(0, graph)) fuzz_spawn(&tree, 0, 0, count, 0);
        fuzz_graph_end(0, graph);
      }
    }
    for (int v = 0; graph && v < kFuzzMost; v++) {
      CHECK_EQ(tree.data[v], plain.data[v]);
      tree.data[v] = round < rounds - 1 ? 0 : tree.data[v];
    }
  }
  for (int v = 0; v < kFuzzMost; v++) CHECK_EQ(tree.data[v], plain.data[v]);
  free(seen);
}

// A tree of tasks for free agents. Each makes `width` tasks for agents and as many plain ones, in one of the ways after
// the other, waits for them, and counts.
enum { kFuzzPool = 0x80, kFuzzWait = 1, kFuzzGroup = 2, kFuzzGrandchildren = 4, kFuzzReduction = 8, kFuzzWays = 4 };
struct fuzz_agent {
  int depth, width, ways, way;
  long* count;
};
struct fuzz_agent_task {
  void* shareds;
  int (*routine)(int, void*);
  long part;
  void *data1, *data2;
  struct fuzz_agent agent;
};

static inline void fuzz_agent_body(struct fuzz_agent agent);
static inline int fuzz_agent_routine(int thread, void* payload) {
  (void)thread;
  fuzz_agent_body(((struct fuzz_agent_task*)payload)->agent);
  return 0;
}

static inline void fuzz_agent_spawn(struct fuzz_agent agent) {
  int thread = __kmpc_global_thread_num(0);
  struct fuzz_agent_task* task = (struct fuzz_agent_task*)__kmpc_omp_task_alloc(
      0, thread, kFuzzPool | (agent.width & 1), sizeof(struct fuzz_agent_task), 0, fuzz_agent_routine);
  task->agent = agent;
  __kmpc_omp_task_with_deps(0, thread, task, 0, 0, 0, 0);
}

static inline void fuzz_count(long* count) {
#pragma omp atomic
  ++*count;
}

// So many tasks are made by this, all below counted.
static inline long fuzz_agent_tasks(struct fuzz_agent agent) {
  if (agent.depth == 0) return 0;
  do agent.way = (agent.way + 1) % kFuzzWays;
  while (!(agent.ways >> agent.way & 1));
  int plain = agent.way == 2 ? 2 : 1;
  agent.depth--;
  return agent.width * (plain + 1 + fuzz_agent_tasks(agent));
}

static inline void fuzz_agent_children(struct fuzz_agent agent) {
  for (int i = 0; i < agent.width; i++) {
    fuzz_agent_spawn(agent);
    long* count = agent.count;
#pragma omp task firstprivate(count)
    fuzz_count(count);
  }
}

// Plain children of plain children; nobody but the group waits for them.
static inline void fuzz_agent_grandchildren(struct fuzz_agent agent) {
  for (int i = 0; i < agent.width; i++) {
    fuzz_agent_spawn(agent);
    long* count = agent.count;
#pragma omp task firstprivate(count)
    {
#pragma omp task firstprivate(count)
      fuzz_count(count);
      fuzz_count(count);
    }
  }
}

// Tasks of a reduction with children, beside tasks for agents. GCC's code looks for no more copies than the team has
// threads.
static inline void fuzz_agent_reduction(struct fuzz_agent agent) {
#ifdef __clang__
  long sum = 0;
#pragma omp taskgroup task_reduction(+ : sum)
  for (int i = 0; i < agent.width; i++) {
    fuzz_agent_spawn(agent);
#pragma omp task in_reduction(+ : sum)
    {
      for (int child = 0; child < 3; child++) {
#pragma omp task in_reduction(+ : sum)
        sum += child;
      }
      sum += 10;
    }
  }
  CHECK_EQ(sum, 13 * agent.width);
  for (int i = 0; i < agent.width; i++) fuzz_count(agent.count);
#else
#pragma omp taskgroup
  fuzz_agent_children(agent);
#endif
}

static inline void fuzz_agent_body(struct fuzz_agent agent) {
  long count = 0, expected = fuzz_agent_tasks(agent), *outer = agent.count;
  fuzz_count(outer);
  if (agent.depth == 0) return;
  agent.count = &count;
  do agent.way = (agent.way + 1) % kFuzzWays;
  while (!(agent.ways >> agent.way & 1));
  agent.depth--;
  if (agent.way == 0) {
    fuzz_agent_children(agent);
#pragma omp taskwait
  } else if (agent.way == 1) {
#pragma omp taskgroup
    fuzz_agent_children(agent);
  } else if (agent.way == 2) {
#pragma omp taskgroup
    fuzz_agent_grandchildren(agent);
  } else {
    fuzz_agent_reduction(agent);
  }
  CHECK_EQ(count, expected);
#pragma omp atomic
  *outer += count;
}

static inline void fuzz_agents(int depth, int width, int ways) {
  long count = 0;
  struct fuzz_agent agent = {depth, width, ways, kFuzzWays - 1, &count};
  if (!omp_is_free_agent) return;
#pragma omp taskgroup
  fuzz_agent_spawn(agent);
  CHECK_EQ(count, 1 + fuzz_agent_tasks(agent));
}

// A tree of tasks of mixed kinds, drawn from `seed`. Each makes up to three, and waits for them, for their group, or
// not at all; it may make them in a region, or yield. A detached one is ended by a task that it makes, or by itself.
enum { kFuzzDetachable = 0x40 };
struct fuzz_mixed {
  unsigned seed;
  int depth, event;
  long* count;
};
struct fuzz_mixed_task {
  void* shareds;
  int (*routine)(int, void*);
  long part;
  void *data1, *data2;
  struct fuzz_mixed mixed;
  void* handle; // of the event
};
#ifdef __cplusplus
extern "C" {
#endif
__attribute__((weak)) void* __kmpc_task_allow_completion_event(void*, int, void*);
#ifdef __cplusplus
}
#endif

static inline unsigned fuzz_drawn(unsigned seed, unsigned of) {
  seed = (seed ^ of * 0x9e3779b9u) * 0x85ebca6bu;
  return (seed ^ seed >> 15) * 0xc2b2ae35u >> 8;
}

static inline long fuzz_mixed_tasks(struct fuzz_mixed mixed) {
  if (mixed.depth == 0) return 0;
  unsigned children = 1 + fuzz_drawn(mixed.seed, 1) % 3;
  long tasks = children;
  mixed.depth--;
  for (unsigned i = 0; i < children; i++) {
    struct fuzz_mixed child = mixed;
    child.seed = fuzz_drawn(mixed.seed, 10 + i);
    tasks += fuzz_mixed_tasks(child);
  }
  return tasks;
}

static inline void fuzz_mixed_body(struct fuzz_mixed mixed);
static inline int fuzz_mixed_routine(int thread, void* payload) {
  struct fuzz_mixed_task* task = (struct fuzz_mixed_task*)payload;
  struct fuzz_mixed mixed = task->mixed;
  void* handle = task->handle;
  (void)thread;
  fuzz_mixed_body(mixed);
  if (!mixed.event) return 0;
  if (fuzz_drawn(mixed.seed, 2) % 2) {
    fuzz_fulfill(handle);
  } else {
#pragma omp task firstprivate(handle)
    fuzz_fulfill(handle);
  }
  return 0;
}

static inline void fuzz_mixed_spawn(struct fuzz_mixed mixed) {
  unsigned kinds = fuzz_drawn(mixed.seed, 3);
  int thread = __kmpc_global_thread_num(0);
  int flags = (int)(kinds & 1) | (kinds & 6 ? 0 : kFuzzDetachable) | (kinds & 8 ? kFuzzPool : 0);
  struct fuzz_mixed_task* task = (struct fuzz_mixed_task*)__kmpc_omp_task_alloc(
      0, thread, flags, sizeof(struct fuzz_mixed_task), 0, fuzz_mixed_routine);
  mixed.event = (flags & kFuzzDetachable) != 0;
  task->mixed = mixed;
  task->handle = mixed.event ? __kmpc_task_allow_completion_event(0, thread, task) : 0;
  __kmpc_omp_task_with_deps(0, thread, task, 0, 0, 0, 0);
}

static inline void fuzz_mixed_children(struct fuzz_mixed mixed) {
  unsigned children = 1 + fuzz_drawn(mixed.seed, 1) % 3;
  mixed.depth--;
  for (unsigned i = 0; i < children; i++) {
    struct fuzz_mixed child = mixed;
    child.seed = fuzz_drawn(mixed.seed, 10 + i);
    fuzz_mixed_spawn(child);
    if (fuzz_drawn(child.seed, 4) % 4 == 0) {
#pragma omp taskyield
    }
  }
}

static inline void fuzz_mixed_body(struct fuzz_mixed mixed) {
  fuzz_count(mixed.count);
  if (mixed.depth == 0) return;
  switch (fuzz_drawn(mixed.seed, 5) % 5) {
  case 0: {
#pragma omp taskgroup
    fuzz_mixed_children(mixed);
    break;
  }
  case 1: {
#pragma omp parallel num_threads(1 + (int)(mixed.seed % 2))
#pragma omp single nowait
    fuzz_mixed_children(mixed);
    break;
  }
  case 2:
  case 3: {
    fuzz_mixed_children(mixed);
#pragma omp taskwait
    break;
  }
  default: fuzz_mixed_children(mixed);
  }
}

// In a group, or in a region of so many threads.
static inline void fuzz_mixed(unsigned seed, int depth, int threads) {
  long count = 0;
  struct fuzz_mixed mixed = {seed, depth, 0, &count};
  if (!omp_is_free_agent) return;
  if (threads == 0) {
#pragma omp taskgroup
    fuzz_mixed_spawn(mixed);
  } else {
#pragma omp parallel num_threads(threads)
#pragma omp single nowait
    fuzz_mixed_spawn(mixed);
  }
  CHECK_EQ(count, 1 + fuzz_mixed_tasks(mixed));
}

// A thread that executes one region, of so many threads, and ends.
static inline void* fuzz_short_thread(void* threads) {
  int tasks = 0, iterations = 0;
#pragma omp parallel num_threads((int)(uintptr_t)threads) reduction(+ : iterations)
  {
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < 20; i++) iterations++;
#pragma omp single
    for (int i = 0; i < 10; i++) {
#pragma omp task shared(tasks)
      {
#pragma omp atomic
        tasks++;
      }
    }
  }
  CHECK_EQ(tasks, 10);
  CHECK_EQ(iterations, 20);
  return 0;
}

// The status of a child that does so.
static inline int fuzz_in_child(int threads) {
  int status = -1;
  pid_t child = fork();
  if (child == 0) {
    fuzz_errors = 0;
    fuzz_short_thread((void*)(uintptr_t)threads);
    _exit(fuzz_errors != 0);
  }
  if (child > 0) waitpid(child, &status, 0);
  return status;
}

// The direction in which results are rounded, from 0 (to the nearest) to 3.
#ifdef __x86_64__
enum { fuzz_has_rounding = 1 };
static inline unsigned fuzz_rounding(void) { return __builtin_ia32_stmxcsr() >> 13 & 3; }
static inline void fuzz_set_rounding(unsigned mode) {
  __builtin_ia32_ldmxcsr((__builtin_ia32_stmxcsr() & ~(3u << 13)) | mode << 13);
}
#else
enum { fuzz_has_rounding = 0 };
static inline unsigned fuzz_rounding(void) { return 0; }
static inline void fuzz_set_rounding(unsigned mode) { (void)mode; }
#endif
