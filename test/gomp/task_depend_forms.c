// Both forms of GCC's depend array, and every kind in them, give the order that the clauses ask for: many addresses
// from iterators, depend objects and their updates, mutexinoutset, several kinds in one construct, taskwait depend.
// REQUIRES: gomp
// RUN: %gcc-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>

enum { kCells = 100 };
static int cells[kCells], inside;

static void exclusive(long* counter) {
  CHECK_EQ(__atomic_fetch_add(&inside, 1, __ATOMIC_ACQ_REL), 0);
  *counter += 1;
  CHECK_EQ(__atomic_fetch_sub(&inside, 1, __ATOMIC_ACQ_REL), 1);
}

static void iterators(int round) {
  for (int i = 0; i < kCells; i++)
#pragma omp task depend(out : cells[i]) firstprivate(i)
    cells[i] = round + i;
#pragma omp task depend(iterator(i = 0 : kCells), in : cells[i])
  for (int i = 0; i < kCells; i++) CHECK_EQ(cells[i], round + i);
#pragma omp task depend(iterator(i = 0 : kCells : 2), inout : cells[i]) depend(in : cells[1])
  for (int i = 0; i < kCells; i += 2) cells[i] = -1;
#pragma omp taskwait depend(iterator(i = 0 : kCells), in : cells[i])
  for (int i = 0; i < kCells; i++) CHECK_EQ(cells[i], i % 2 ? round + i : -1);
}

static void objects(void) {
  static long x, y, z, late;
  x = y = z = late = 0;
  omp_depend_t object, other;
#pragma omp depobj(object) depend(out : x)
#pragma omp depobj(other) depend(mutexinoutset : y)
#pragma omp task depend(depobj : object)
  {
    burn(500);
    x = 1;
  }
#pragma omp task depend(out : y)
  y = 1;
  for (int i = 0; i < 10; i++) {
#pragma omp task depend(depobj : other) depend(in : x)
    {
      CHECK_EQ(x, 1);
      exclusive(&y);
    }
#pragma omp task depend(mutexinoutset : y) depend(inout : z)
    {
      exclusive(&y);
      z++;
    }
  }
#pragma omp depobj(object) update(in)
#pragma omp depobj(other) update(inout)
#pragma omp task depend(depobj : object, other) depend(in : z)
  {
    CHECK(x == 1 && y == 21 && z == 10);
    burn(500);
    y = 22;
  }
#pragma omp task depend(out : late)
  late = 1;
#pragma omp taskwait depend(depobj : other)
  CHECK_EQ(y, 22);
#pragma omp depobj(object) destroy
#pragma omp depobj(other) destroy
#pragma omp taskwait
  CHECK_EQ(late, 1);
}

static void undeferred(void) {
  static int x, y;
  x = y = 0;
#pragma omp task depend(out : x)
  {
    burn(500);
    x = 1;
  }
#pragma omp task depend(in : x) depend(out : y) if (0)
  {
    CHECK_EQ(x, 1);
    y = 1;
  }
  CHECK_EQ(y, 1);
  for (int i = 0; i < 5; i++)
#pragma omp task depend(mutexinoutset : y)
    exclusive(&(long){0});
#pragma omp task depend(mutexinoutset : y) if (0)
  exclusive(&(long){0});
#pragma omp taskwait
}

int main(void) {
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < SCALED(320); round++) {
    iterators(round);
    objects();
    undeferred();
  }
  return 0;
}
