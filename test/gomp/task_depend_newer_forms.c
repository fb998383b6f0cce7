// What GCC 13 and later pass for inoutset (a depend object of kind 5), omp_all_memory (null as an `out`) and taskwait
// depend nowait. Written out, so that any GCC compiles it.
// REQUIRES: gomp
// RUN: %gcc-openmp %s -o %t -Wl,--unresolved-symbols=ignore-all && %for-threads %t
#include "support/check.h"
#include <stdbool.h>

extern void GOMP_task(void (*)(void*), void*, void (*)(void*, void*), long, long, bool, unsigned, void**, int, void*);
extern void GOMP_taskwait_depend(void**);
extern void GOMP_taskwait_depend_nowait(void**) __attribute__((weak));
enum { kDepend = 8 };

static int x, y, in_set, meet, nobody;

static void spawn(void (*body)(void*), void** depend) { GOMP_task(body, 0, 0, 0, 1, true, kDepend, depend, 0, 0); }

static void write_both(void* unused) {
  burn(300);
  x = y = 1;
}
static void join_set(void* unused) {
  CHECK_EQ(x, 1);
  ATOMIC_ADD(in_set, 1);
  if (meet) SPIN_UNTIL(ATOMIC_LOAD(in_set) >= 2); // the members of a set may run at the same time
}
static void read_x(void* unused) { CHECK_EQ(ATOMIC_LOAD(in_set), 2); }
static void all_memory(void* unused) {
  CHECK(x == 1 && y == 1 && ATOMIC_LOAD(in_set) == 2);
  burn(300);
  x = y = 2;
}
static void after_all(void* unused) { CHECK(x == 2 && y == 2); }

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    extern int omp_get_num_threads(void);
    meet = omp_get_num_threads() > 1;
    for (int round = 0; round < SCALED(640); round++) {
      x = y = in_set = 0;
      void* object[2] = {&x, (void*)5};
      void* out_both[] = {(void*)2, (void*)2, &x, &y};
      void* set[] = {0, (void*)1, (void*)0, (void*)0, (void*)0, object};
      void* in_x[] = {(void*)1, (void*)0, &x};
      void* all[] = {(void*)1, (void*)1, 0};
      void* in_y[] = {(void*)1, (void*)0, &y};
      void* in_other[] = {0, (void*)1, (void*)0, (void*)0, (void*)1, &nobody};
      spawn(write_both, out_both);
      spawn(join_set, set);
      spawn(join_set, set);
      spawn(read_x, in_x);
      spawn(all_memory, all);
      spawn(after_all, in_y);
      spawn(after_all, in_other);
      if (GOMP_taskwait_depend_nowait != 0) GOMP_taskwait_depend_nowait(in_y);
      GOMP_taskwait_depend(in_x);
      CHECK(x == 2 && y == 2);
#pragma omp taskwait
    }
  }
  return 0;
}
