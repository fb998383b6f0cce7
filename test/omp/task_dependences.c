// Dependences order tasks as the serial program does, and nothing else.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>
#include <stdatomic.h>

// in, out and inout keep the order of the serial program: writers one after another, readers between their writers.
enum { kRounds = SCALED(2000), kReaders = 4 };

static void one_chain(void) {
  int value = 0;
  int seen[kRounds][kReaders] = {{0}};
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < kRounds; round++) {
    if (round % 2)
#pragma omp task depend(inout : value) firstprivate(round)
      value = value == round ? round + 1 : -1;
    else
#pragma omp task depend(out : value) firstprivate(round)
      value = value == round ? round + 1 : -1;
    for (int r = 0; r < kReaders; r++)
#pragma omp task depend(in : value) firstprivate(round, r)
      seen[round][r] = value;
  }
  CHECK_EQ(value, kRounds);
  for (int round = 0; round < kRounds; round++)
    for (int r = 0; r < kReaders; r++) CHECK_EQ(seen[round][r], round + 1);
}

static void many_chains(void) {
  enum { kChains = 64, kLength = 100 };
  int value[kChains] = {0};
#pragma omp parallel
#pragma omp single
  for (int step = 0; step < kLength; step++)
    for (int c = 0; c < kChains; c++)
#pragma omp task depend(inout : value[c]) firstprivate(step, c) shared(value)
      value[c] = value[c] == step ? step + 1 : -1000000;
  for (int c = 0; c < kChains; c++) CHECK_EQ(value[c], kLength);
}

static void chain_order(void) {
  one_chain();
  many_chains();
}

// A task with several predecessors runs after all of them: diamonds, and a grid where each cell needs its upper and
// left neighbours.
enum { kSide = 64, kWide = 50 };
static long cell[kSide + 1][kSide + 1], expected[kSide + 1][kSide + 1];

static void grid(void) {
  for (int i = 0; i <= kSide; i++) cell[i][0] = cell[0][i] = expected[i][0] = expected[0][i] = 1;
  for (int i = 1; i <= kSide; i++)
    for (int j = 1; j <= kSide; j++) expected[i][j] = (expected[i - 1][j] + 3 * expected[i][j - 1] + i) % 1000003;
#pragma omp parallel
#pragma omp single
  for (int i = 1; i <= kSide; i++)
    for (int j = 1; j <= kSide; j++)
#pragma omp task depend(in : cell[i - 1][j], cell[i][j - 1]) depend(out : cell[i][j]) firstprivate(i, j)
      cell[i][j] = (cell[i - 1][j] + 3 * cell[i][j - 1] + i) % 1000003;
  for (int i = 0; i <= kSide; i++)
    for (int j = 0; j <= kSide; j++) CHECK_EQ(cell[i][j], expected[i][j]);
}

static void diamonds(void) {
  long middle[kWide], top = 0, bottom = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < SCALED(100); round++) {
#pragma omp task depend(out : top) depend(in : bottom)
    top = bottom + 1;
    for (int i = 0; i < kWide; i++)
#pragma omp task depend(in : top) depend(out : middle[i]) firstprivate(i) shared(middle)
      middle[i] = top + i;
#pragma omp task depend(iterator(i = 0 : kWide), in : middle[i]) depend(out : bottom) depend(in : top) shared(middle)
    {
      bottom = 0;
      for (int i = 0; i < kWide; i++) bottom += middle[i] - i - top + 1;
      bottom = bottom == kWide ? top : -1;
    }
  }
  CHECK_EQ(bottom, SCALED(100));
}

static void wavefront(void) {
  grid();
  diamonds();
}

// Dependences order siblings. A child that names its parent's address neither waits for the parent (it would never
// end) nor orders its cousins.
static void siblings_only(void) {
  for (int round = 0; round < SCALED(800); round++) {
    int x = 0, inner = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 4; i++)
#pragma omp task depend(inout : x) firstprivate(i) shared(inner)
    {
      CHECK_EQ(x, i);
      for (int k = 0; k < 3; k++)
#pragma omp task depend(inout : x) shared(inner)
        inner++; // a chain: plain is enough, the taskwait below joins it to the next outer task
#pragma omp taskwait
      CHECK_EQ(inner, 3 * (i + 1));
      x++;
    }
    CHECK_EQ(x, 4);
    CHECK_EQ(inner, 12);
  }
}

// A depend object stands for the dependence it was made from: as written, after an update, and one with several
// locators.
static void depend_objects(void) {
  for (int round = 0; round < SCALED(320); round++) {
    int x = 0, y = 0, seen = -1, sum = -1;
    omp_depend_t object, both;
#pragma omp parallel
#pragma omp single
    {
#pragma omp depobj(object) depend(inout : x)
#pragma omp depobj(both) depend(iterator(i = 0 : 2), in : *(i ? &x : &y))
      for (int i = 0; i < 10; i++)
#pragma omp task depend(depobj : object) firstprivate(i)
        x = x == i ? i + 1 : -1;
#pragma omp task depend(out : y)
      y = 7;
#pragma omp depobj(object) update(in)
#pragma omp task depend(depobj : object) shared(seen)
      seen = x;
#pragma omp task depend(depobj : both) shared(sum)
      sum = x + y;
#pragma omp task depend(out : x)
      x = 100;
#pragma omp taskwait
#pragma omp depobj(object) destroy
#pragma omp depobj(both) destroy
    }
    CHECK_EQ(seen, 10);
    CHECK_EQ(sum, 17);
    CHECK_EQ(x, 100);
  }
}

// Dependences stay exact when a task names thousands of addresses over its life, neighbours in memory or far apart,
// and when one task names a hundred at once.
enum { kAddresses = SCALED(1 << 15), kAtOnce = 100 };

static void many_addresses(void) {
  char* near = calloc(kAddresses, 1);
  long(*far)[512] = calloc(kAddresses / 16, sizeof *far);
  int all = 0, list[kAtOnce] = {0};
#pragma omp parallel
#pragma omp single
  {
    for (int pass = 0; pass < 2; pass++)
      for (int i = 0; i < kAddresses; i++)
#pragma omp task depend(inout : near[i]) firstprivate(i, pass)
        near[i] = near[i] == pass ? pass + 1 : 100;
    for (int pass = 0; pass < 2; pass++)
      for (int i = 0; i < kAddresses / 16; i++)
#pragma omp task depend(inout : far[i][0]) firstprivate(i, pass)
        far[i][0] = far[i][0] == pass ? pass + 1 : 100;
    for (int i = 0; i < kAtOnce; i++)
#pragma omp task depend(out : list[i]) firstprivate(i) shared(list)
      list[i] = 1;
#pragma omp task depend(iterator(i = 0 : kAtOnce), inout : list[i]) shared(list, all)
    for (int i = 0; i < kAtOnce; i++) all += list[i], list[i] = 2;
    for (int i = 0; i < kAtOnce; i++)
#pragma omp task depend(in : list[i]) firstprivate(i) shared(list)
      CHECK_EQ(list[i], 2);
  }
  for (int i = 0; i < kAddresses; i++) CHECK_EQ(near[i], 2);
  for (int i = 0; i < kAddresses / 16; i++) CHECK_EQ(far[i][0], 2);
  CHECK_EQ(all, kAtOnce);
  free(near);
  free(far);
}

// A creator of chains does not run away from the threads that run them: the tasks at the heads are run too, not only
// those that became ready last, behind which everything else would pile up. With one chain the creator has no task
// to run at all.
static atomic_int ran;

static void chains(int count) {
  const int tasks = SCALED(1 << 17);
  char chain[64];
  int most = 0;
  ran = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < tasks; i++) {
#pragma omp task depend(inout : chain[i % count])
    atomic_fetch_add_explicit(&ran, 1, memory_order_relaxed);
    int waiting = i + 1 - atomic_load_explicit(&ran, memory_order_relaxed);
    if (waiting > most) most = waiting;
  }
  CHECK_EQ(ran, tasks);
  CHECK(most < 1 << 13);
}

static void creator_held_back(void) {
  chains(64);
  chains(1);
}

int main(void) {
  chain_order();
  wavefront();
  siblings_only();
  depend_objects();
  many_addresses();
  creator_held_back();
  return 0;
}
