// What each construct costs a thread alone: its smallest use, again and again, the compiler's own code included.
// Callgrind counts in measured(), which is called twice for each construct, with two numbers of uses; `constructs`
// names them.
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { kIterations = 8, kFew = 512, kMany = 1536 };

static uint64_t sum;
static double real_sum;
static uint64_t mine;
#pragma omp threadprivate(mine)

// A statement that no compiler removes, and that is one instruction.
static inline void work(void) { sum++; }

// The case's function: `body`, n times.
#define REPEATED(name, ...)                                                                                            \
  static void run_##name(uint64_t n) {                                                                                 \
    sum = 0;                                                                                                           \
    for (uint64_t i = 0; i < n; i++) {                                                                                 \
      __VA_ARGS__                                                                                                      \
      __asm__ volatile("" ::: "memory");                                                                               \
    }                                                                                                                  \
  }
#define PRAGMA(words) _Pragma(#words)
#define CONSTRUCT(name, words) REPEATED(name, PRAGMA(omp words) work();)
#define LOOP(name, words) REPEATED(name, PRAGMA(omp words) for (int j = 0; j < kIterations; j++) work();)

CONSTRUCT(parallel, parallel)
CONSTRUCT(parallel_if, parallel if (n == 0))
CONSTRUCT(parallel_sum, parallel reduction(+ : real_sum))
CONSTRUCT(parallel_copyin, parallel copyin(mine))
LOOP(parallel_for, parallel for)
LOOP(for_static, for)
LOOP(for_static_nowait, for nowait)
LOOP(for_chunks, for schedule(static, 2))
LOOP(for_dynamic, for schedule(dynamic))
LOOP(for_guided, for schedule(guided))
LOOP(for_runtime, for schedule(runtime))
LOOP(for_sum, for reduction(+ : real_sum))
REPEATED(for_ordered, PRAGMA(omp for ordered) for (int j = 0; j < kIterations; j++) PRAGMA(omp ordered) work();)
CONSTRUCT(single, single)
CONSTRUCT(single_nowait, single nowait)
CONSTRUCT(master, master)
CONSTRUCT(critical, critical)
CONSTRUCT(critical_named, critical(of_this_program))
CONSTRUCT(barrier, barrier)
REPEATED(
    sections, PRAGMA(omp sections) {
      work();
      PRAGMA(omp section)
      work();
    })
REPEATED(atomic, PRAGMA(omp atomic) sum++;)
REPEATED(atomic_real, PRAGMA(omp atomic) real_sum += 1;)
#ifndef __clang__ // its code calls libatomic
static long double long_sum;
REPEATED(atomic_long, PRAGMA(omp atomic) long_sum += 1;)
#endif
REPEATED(threadprivate, mine++;)
CONSTRUCT(task, task)
CONSTRUCT(task_untied, task untied)
CONSTRUCT(task_if, task if (n == 0))
CONSTRUCT(task_depend, task depend(inout : sum))
REPEATED(task_taskwait, PRAGMA(omp task) work(); PRAGMA(omp taskwait))
CONSTRUCT(taskgroup, taskgroup)
REPEATED(taskwait, PRAGMA(omp taskwait))
REPEATED(taskyield, PRAGMA(omp taskyield))
LOOP(taskloop, taskloop)
LOOP(taskloop_one, taskloop grainsize(1))
static void run_taskloop_iteration(uint64_t n) {
#pragma omp taskloop grainsize(1)
  for (uint64_t i = 0; i < n; i++) work();
}
LOOP(taskloop_sum, taskloop grainsize(1) reduction(+ : real_sum))
REPEATED(thread_num, sum += (uint64_t)omp_get_thread_num();)

static omp_lock_t lock;
static omp_nest_lock_t nest_lock;

static void run_lock(uint64_t n) {
  omp_init_lock(&lock);
  for (uint64_t i = 0; i < n; i++) {
    omp_set_lock(&lock);
    work();
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
}

static void run_nest_lock(uint64_t n) {
  omp_init_nest_lock(&nest_lock);
  for (uint64_t i = 0; i < n; i++) {
    omp_set_nest_lock(&nest_lock);
    work();
    omp_unset_nest_lock(&nest_lock);
  }
  omp_destroy_nest_lock(&nest_lock);
}

#define IN_TEAM(name) {#name, true, run_##name}
#define OUTSIDE(name) {#name, false, run_##name}
static const struct construct {
  const char* name;
  bool in_team; // in a region
  void (*run)(uint64_t n);
} constructs[] = {
    OUTSIDE(parallel),
    OUTSIDE(parallel_if),
    OUTSIDE(parallel_sum),
    OUTSIDE(parallel_copyin),
    OUTSIDE(parallel_for),
    IN_TEAM(for_static),
    IN_TEAM(for_static_nowait),
    IN_TEAM(for_chunks),
    IN_TEAM(for_dynamic),
    IN_TEAM(for_guided),
    IN_TEAM(for_runtime),
    IN_TEAM(for_sum),
    IN_TEAM(for_ordered),
    IN_TEAM(single),
    IN_TEAM(single_nowait),
    IN_TEAM(master),
    IN_TEAM(critical),
    IN_TEAM(critical_named),
    IN_TEAM(lock),
    IN_TEAM(nest_lock),
    IN_TEAM(barrier),
    IN_TEAM(sections),
    IN_TEAM(atomic),
    IN_TEAM(atomic_real),
#ifndef __clang__
    IN_TEAM(atomic_long),
#endif
    IN_TEAM(threadprivate),
    IN_TEAM(thread_num),
    IN_TEAM(task),
    IN_TEAM(task_untied),
    IN_TEAM(task_if),
    IN_TEAM(task_depend),
    IN_TEAM(task_taskwait),
    IN_TEAM(taskgroup),
    IN_TEAM(taskwait),
    IN_TEAM(taskyield),
    IN_TEAM(taskloop),
    IN_TEAM(taskloop_one),
    IN_TEAM(taskloop_iteration),
    IN_TEAM(taskloop_sum),
};

__attribute__((noinline)) void measured(const struct construct* construct, uint64_t n) { construct->run(n); }

int main(void) {
#pragma omp parallel
  work(); // the runtime starts
  for (unsigned i = 0; i < sizeof constructs / sizeof constructs[0]; i++) {
    printf("%s\n", constructs[i].name);
    for (uint64_t n = kFew; n <= kMany; n += kMany - kFew) {
      if (constructs[i].in_team) {
#pragma omp parallel
        measured(&constructs[i], n);
      } else {
        measured(&constructs[i], n);
      }
    }
  }
  return 0;
}
