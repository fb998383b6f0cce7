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
