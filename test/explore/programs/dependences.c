// Tasks ordered by dependences of every type. All data are plain, so an order that the runtime does not keep is a race.
#include "support/check.h"
#include <omp.h>

enum { kReaders = 3 };

// out, then readers side by side, then inout, and a task that waits for the whole chain.
static void chain(void) {
  int value = 0, seen[kReaders] = {0}, sum = 0;
#pragma omp task depend(out : value) shared(value)
  value = 7;
  for (int i = 0; i < kReaders; i++)
#pragma omp task depend(in : value) depend(out : seen[i]) shared(value, seen)
    seen[i] = value;
#pragma omp task depend(inout : value) shared(value)
  value++;
#pragma omp task depend(in : value, seen[0], seen[1], seen[2]) shared(value, seen, sum)
  sum = value + seen[0] + seen[1] + seen[2];
#pragma omp taskwait
  CHECK_EQ(sum, 8 + 7 * kReaders);
}

// Members of a mutexinoutset exclude each other in any order; those of an inoutset may run together.
static void sets(void) {
  int first = 0, second = 0, parts[kReaders] = {0}, total = 0;
#pragma omp task depend(out : first) shared(first)
  first = 1;
  for (int i = 1; i <= kReaders; i++)
#pragma omp task depend(mutexinoutset : first) shared(first)
    first += i;
#pragma omp task depend(mutexinoutset : first, second) shared(first, second)
  {
    first += 10;
    second += 20;
  }
#pragma omp task depend(mutexinoutset : second) shared(second)
  second += 30;
  for (int i = 0; i < kReaders; i++)
#pragma omp task depend(inoutset : total) shared(parts)
    parts[i] = i + 1;
#pragma omp task depend(inout : total) depend(in : first, second) shared(first, second, parts, total)
  {
    total = first + second;
    for (int i = 0; i < kReaders; i++) total += parts[i];
  }
#pragma omp taskwait
  CHECK_EQ(total, 17 + 50 + 6);
}

// A taskwait and an undeferred task that wait for some tasks only, while others go on.
static void waits_for_some(void) {
  int mine = 0, other = 0, copied = 0;
#pragma omp task depend(out : mine) shared(mine)
  mine = 1;
#pragma omp task depend(out : other) shared(other)
  other = 2;
#pragma omp taskwait depend(in : mine)
  CHECK_EQ(mine, 1);
#pragma omp task if (0) depend(in : other) shared(other, copied)
  copied = other;
  CHECK_EQ(copied, 2);
#pragma omp taskwait
}

// Only siblings depend on each other; children of a dependent task have dependences of their own.
static void nested(void) {
  int grid[2][2] = {{0}};
  for (int row = 0; row < 2; row++)
#pragma omp task depend(inout : grid[row]) firstprivate(row) shared(grid)
  {
#pragma omp task depend(out : grid[row][0]) firstprivate(row) shared(grid)
    grid[row][0] = row + 1;
#pragma omp task depend(in : grid[row][0]) depend(out : grid[row][1]) firstprivate(row) shared(grid)
    grid[row][1] = grid[row][0] * 10;
#pragma omp taskwait
  }
#pragma omp task depend(in : grid[0], grid[1]) shared(grid)
  CHECK_EQ(grid[0][1] + grid[1][1], 30);
#pragma omp taskwait
}

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    chain();
    sets();
    waits_for_some();
    nested();
  }
  return 0;
}
