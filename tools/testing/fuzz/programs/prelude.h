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

static inline void fuzz_newer_tasks(const struct fuzz_step* steps, int count, int rounds) {
  struct fuzz_tree plain = {steps, count, {0}, 0, {{0}}}, tree = plain;
  unsigned long(*seen)[3] = (unsigned long(*)[3])calloc((size_t)(rounds * count + 1), sizeof *seen);
  for (int i = 0; i < rounds * count; i++) {
    const struct fuzz_step* at = &steps[i % count];
    for (int k = 0; at->size == 1 && k < at->uses; k++) seen[i][k] = plain.data[at->use[k].variable];
    if (at->size == 1) fuzz_leaf(&plain, i % count, 0);
  }
  tree.seen = seen;
#pragma omp taskgroup
  for (int round = 0; round < rounds; round++) {
    if (omp_is_free_agent)
      fuzz_spawn(&tree, round, 0, count, 0);
    else
      for (int i = 0; i < count; i++)
        if (steps[i].size == 1) fuzz_leaf(&tree, i, seen[round * count + i]);
  }
  for (int v = 0; v < kFuzzMost; v++) CHECK_EQ(tree.data[v], plain.data[v]);
  free(seen);
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
