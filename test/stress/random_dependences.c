// Random programs of tasks over a few cells, with random dependences, give what the serial program gives: each task
// mixes the cells it may read into those it may write, so any wrong order shows.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include "support/random.h"

enum { kCells = 6, kTasks = 400 };

// What task `id` does to the cells a, b, c of its clauses: reads a, updates b, and adds to c as one of a mutually
// exclusive set (addition commutes, so any order among the set is right).
static void body(uint64_t id, const uint64_t* a, uint64_t* b, uint64_t* c) {
  if (b) *b = random_hash(*b + id + (a ? *a : 0));
  if (c) *c += random_hash(id + (a ? *a : 0));
}

static void program(uint64_t seed, uint64_t* cell, int parallel) {
  for (uint64_t i = 0; i < kTasks; i++) {
    uint64_t id = random_hash(seed + i);
    int a = (int)(id % kCells), b = (int)((unsigned)(a + 1) + id / 8 % (kCells - 1)) % kCells;
    int kind = (int)(id >> 32 & 7);
    if (!parallel) {
      if (kind == 0)
        body(id, &cell[a], 0, &cell[b]);
      else if (kind == 1)
        body(id, 0, &cell[b], 0);
      else
        body(id, &cell[a], &cell[b], 0);
    } else if (kind == 0) {
#pragma omp task depend(in : cell[a]) depend(mutexinoutset : cell[b])
      body(id, &cell[a], 0, &cell[b]);
    } else if (kind == 1) {
#pragma omp task untied depend(inout : cell[b])
      body(id, 0, &cell[b], 0);
    } else if (kind == 2) {
#pragma omp task depend(in : cell[a]) depend(out : cell[b]) if (0)
      body(id, &cell[a], &cell[b], 0);
    } else if (kind == 3 && id >> 36 & 1) {
#pragma omp taskwait depend(in : cell[a]) depend(inout : cell[b])
      body(id, &cell[a], &cell[b], 0);
    } else {
#pragma omp task depend(in : cell[a]) depend(inout : cell[b])
      {
        burn((int)(id >> 48 & 255));
        body(id, &cell[a], &cell[b], 0);
      }
    }
  }
}

int main(void) {
  uint64_t seed = random_seed();
  for (int round = 0; round < 20 * stress_factor(); round++) {
    uint64_t serial[kCells] = {1, 2, 3, 4, 5, 6}, cell[kCells] = {1, 2, 3, 4, 5, 6};
    program(seed + (uint64_t)round * kTasks, serial, 0);
#pragma omp parallel
#pragma omp single
    program(seed + (uint64_t)round * kTasks, cell, 1);
    for (int i = 0; i < kCells; i++) CHECK(cell[i] == serial[i]);
  }
  return 0;
}
