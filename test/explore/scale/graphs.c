// Graphs of tasks with dependences that do something, for tools/scale:
//
//   tools/scale test/explore/scale/graphs.c SHAPE SIZE STEPS [PAUSE]     SHAPE: chains, wavefront or cholesky
//
// Each task takes that many steps of a generator of random numbers, 0.7 ns each in virtual time. The time is that of
// the best of three repetitions. Before each the creator is busy for PAUSE milliseconds, so that the other threads fall
// asleep.
#include "../../../tools/laboratory/bench/patterns/depend_work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t steps;

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static uint64_t work(uint64_t seed) {
#pragma clang loop unroll(disable)
  for (uint64_t i = steps; i > 0; i--) seed = seed * 6364136223846793005u + 1442695040888963407u;
  return seed;
}

static void run_chains(uint64_t* cells, uint64_t size) {
  for (uint64_t i = 0; i < size; i++) {
    uint64_t* mine = &cells[i % kChains];
#pragma omp task depend(inout : mine[0]) firstprivate(mine, i)
    *mine = mix(work(*mine), i);
  }
#pragma omp taskwait
}

static void run_wavefront(uint64_t* cells, uint64_t size) {
  const uint64_t width = size + 1;
  for (uint64_t i = 1; i <= size; i++)
    for (uint64_t j = 1; j <= size; j++) {
      const uint64_t at = i * width + j;
#pragma omp task depend(in : cells[at - width], cells[at - 1]) depend(out : cells[at]) firstprivate(cells, at)
      cells[at] = mix(work(cells[at - width]), cells[at - 1]);
    }
#pragma omp taskwait
}

static void run_cholesky(uint64_t* cells, uint64_t size) {
  for (uint64_t k = 0; k < size; k++) {
    uint64_t* pivot = &cells[k * size + k];
#pragma omp task depend(inout : pivot[0])
    *pivot = mix(work(*pivot), 1);
    for (uint64_t i = k + 1; i < size; i++) {
      uint64_t* below = &cells[i * size + k];
#pragma omp task depend(in : pivot[0]) depend(inout : below[0])
      *below = mix(work(*below), *pivot);
    }
    for (uint64_t i = k + 1; i < size; i++)
      for (uint64_t j = k + 1; j <= i; j++) {
        uint64_t *to = &cells[i * size + j], *left = &cells[i * size + k], *right = &cells[j * size + k];
#pragma omp task depend(in : left[0], right[0]) depend(inout : to[0])
        *to = mix(work(*to), *left * 3 + *right);
      }
  }
#pragma omp taskwait
}

typedef struct {
  const char* name;
  void (*run)(uint64_t* cells, uint64_t size);
  uint64_t (*tasks)(uint64_t size);
} graph;

static const graph graphs[] = {
    {"chains", run_chains, each},
    {"wavefront", run_wavefront, square},
    {"cholesky", run_cholesky, cholesky_tasks},
};

enum { kRepetitions = 3 };

static double best_of(const graph* of, uint64_t size, double pause_s) {
  const uint64_t count = of->tasks == each ? kChains : (size + 1) * (size + 1);
  uint64_t* cells = malloc(count * sizeof(uint64_t));
  double best = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kRepetitions; i++) {
    for (uint64_t at = 0; at < count; at++) cells[at] = at;
    const double pause_began = now_s();
    while (now_s() - pause_began < pause_s) {
    }
    const double began = now_s();
    of->run(cells, size);
    const double took = now_s() - began;
    if (i == 0 || took < best) best = took;
  }
  free(cells);
  return best;
}

int main(int argc, char** argv) {
  for (int i = 0; i < 3 && argc > 3; i++) {
    if (strcmp(graphs[i].name, argv[1]) != 0) continue;
    const uint64_t size = strtoull(argv[2], NULL, 10);
    steps = strtoull(argv[3], NULL, 10);
    const double best = best_of(&graphs[i], size, argc > 4 ? atof(argv[4]) * 1e-3 : 0);
    printf("%s: %.1f ns a task\nTime Program = %.9f seconds\n", argv[1], best / (double)graphs[i].tasks(size) * 1e9,
           best);
    return 0;
  }
  fprintf(stderr, "usage: %s chains|wavefront|cholesky SIZE STEPS [PAUSE]\n", argv[0]);
  return 2;
}
