// A program that GCC 13 or later has compiled: it asks for names that libgomp 12 has not. By path and preloaded, and on
// the compiler's own libgomp.
// REQUIRES: newer-gcc
// RUN: %newer-gcc %s -o %t && %for-threads %t && %chomp-preload %t && %t
#include "support/check.h"
#include <omp.h>
#include <string.h>

static int x, y, from[8], to[8];

// A set of tasks, then one after all memory, then an empty task in the place of a wait.
static void newer_dependences(int round) {
  int members = 0;
  omp_depend_t set, all;
  x = y = 0;
#pragma omp depobj(set) depend(inoutset : x)
#pragma omp depobj(all) depend(inout : omp_all_memory)
#pragma omp task depend(out : x)
  {
    burn(200);
    x = round;
  }
  for (int i = 0; i < 3; i++)
#pragma omp task depend(depobj : set) shared(members)
  {
    CHECK_EQ(x, round);
    ATOMIC_ADD(members, 1);
  }
#pragma omp task depend(depobj : all) shared(members)
  {
    CHECK_EQ(ATOMIC_LOAD(members), 3);
    burn(200);
    y = round;
  }
#pragma omp taskwait depend(in : y) nowait
#pragma omp task depend(in : y)
  CHECK_EQ(y, round);
#pragma omp taskwait depend(in : y)
  CHECK_EQ(y, round);
#pragma omp taskwait
#pragma omp depobj(set) destroy
#pragma omp depobj(all) destroy
}

static void asynchronous_copies(int round) {
  omp_depend_t object;
  const int host = omp_get_initial_device();
  memset(to, 0, sizeof to);
#pragma omp depobj(object) depend(inout : from)
#pragma omp task depend(out : from)
  {
    burn(500);
    for (int i = 0; i < 8; i++) from[i] = round + i;
  }
  CHECK_EQ(omp_target_memcpy_async(to, from, sizeof to, 0, 0, host, host, 1, &object), 0);
#pragma omp task depend(in : from)
  CHECK_EQ(to[7], round + 7);
#pragma omp taskwait
  CHECK_EQ(to[0], round);
#pragma omp depobj(object) destroy
}

static int double_of(int number) { return 2 * number; }
#pragma omp declare target enter(double_of) indirect

static void pointers(void) {
  int (*function)(int) = double_of;
  const int host = omp_get_initial_device();
  int result = 0;
  CHECK(omp_get_mapped_ptr(&x, host) == &x && omp_target_is_accessible(&x, sizeof x, host));
#pragma omp target map(tofrom : result)
  result = function(21);
  CHECK_EQ(result, 42);
}

static void doacross(void) {
  enum { kRows = 40 };
  static int row[kRows];
  row[0] = 1;
#pragma omp parallel for ordered(1) schedule(dynamic)
  for (int i = 1; i < kRows; i++) {
#pragma omp ordered doacross(sink : i - 1)
    row[i] = row[i - 1] + 1;
#pragma omp ordered doacross(source : omp_cur_iteration)
  }
  CHECK_EQ(row[kRows - 1], kRows);
}

#if __GNUC__ >= 15
static void interop(void) {
  omp_interop_t object = (omp_interop_t)&x;
#pragma omp task depend(out : x)
  {
    burn(500);
    x = -1;
  }
#pragma omp interop init(targetsync : object) depend(in : x)
  CHECK_EQ(x, -1);
  CHECK(object == omp_interop_none);
#pragma omp interop destroy(object)
}
#else
static void interop(void) {}
#endif

int main(void) {
  CHECK(!omp_in_explicit_task());
#pragma omp parallel
#pragma omp single
  {
    int inside = 0;
#pragma omp task shared(inside)
    inside = omp_in_explicit_task();
#pragma omp taskwait
    CHECK(inside);
    for (int round = 1; round <= SCALED(320); round++) {
      newer_dependences(round);
      asynchronous_copies(round);
      interop();
    }
  }
  pointers();
  doacross();
  return 0;
}
