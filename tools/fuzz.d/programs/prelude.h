// What every random program of tools/fuzz begins with.
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
