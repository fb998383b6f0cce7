// Dependences: chains over 64 addresses in turn, a 2-D wavefront, and the task graph of a blocked Cholesky
// factorisation. What the tasks do is in depend_work.h.
#include "depend_work.h"
#include "harness.h"

#include <stdlib.h>
#include <string.h>

static bool run_chains(uint64_t n) {
  static uint64_t value[kChains], expected[kChains];
  memset(value, 0, sizeof value);
  memset(expected, 0, sizeof expected);
  for (uint64_t i = 0; i < n; i++) {
    uint64_t* mine = &value[i % kChains];
#pragma omp task depend(inout : mine[0]) firstprivate(mine, i)
    *mine = mix(*mine, i);
  }
#pragma omp taskwait
  for (uint64_t i = 0; i < n; i++) expected[i % kChains] = mix(expected[i % kChains], i);
  return memcmp(value, expected, sizeof value) == 0;
}

static bool run_wavefront(uint64_t n) {
  const uint64_t width = n + 1;
  uint64_t* cells = calloc(width * width, sizeof(uint64_t));
  uint64_t* expected = calloc(width * width, sizeof(uint64_t));
  wavefront_border(cells, width);
  wavefront_border(expected, width);
  for (uint64_t i = 1; i <= n; i++)
    for (uint64_t j = 1; j <= n; j++) {
      const uint64_t at = i * width + j;
#pragma omp task depend(in : cells[at - width], cells[at - 1]) depend(out : cells[at]) firstprivate(cells, at)
      wavefront_cell(cells, width, at);
    }
#pragma omp taskwait
  wavefront_serial(expected, width);
  const bool ok = memcmp(cells, expected, width * width * sizeof(uint64_t)) == 0;
  free(cells);
  free(expected);
  return ok;
}

static void cholesky_tasked(uint64_t* a, uint64_t n) {
  for (uint64_t k = 0; k < n; k++) {
    uint64_t* pivot = &a[k * n + k];
#pragma omp task depend(inout : pivot[0])
    update(pivot, pivot, pivot);
    for (uint64_t i = k + 1; i < n; i++) {
      uint64_t* below = &a[i * n + k];
#pragma omp task depend(in : pivot[0]) depend(inout : below[0])
      update(below, pivot, pivot);
    }
    for (uint64_t i = k + 1; i < n; i++)
      for (uint64_t j = k + 1; j <= i; j++) {
        uint64_t *to = &a[i * n + j], *left = &a[i * n + k], *right = &a[j * n + k];
#pragma omp task depend(in : left[0], right[0]) depend(inout : to[0])
        update(to, left, right);
      }
  }
#pragma omp taskwait
}

static bool run_cholesky(uint64_t n) {
  uint64_t* a = malloc(n * n * sizeof(uint64_t));
  uint64_t* expected = malloc(n * n * sizeof(uint64_t));
  for (uint64_t i = 0; i < n * n; i++) a[i] = expected[i] = i;
  cholesky_tasked(a, n);
  cholesky_serial(expected, n);
  const bool ok = memcmp(a, expected, n * n * sizeof(uint64_t)) == 0;
  free(a);
  free(expected);
  return ok;
}

static const bench_pattern patterns[] = {
    {"chains", kGenerator, 1 << 18, each, run_chains, 0},
    {"wavefront", kGenerator, 512, square, run_wavefront, 0},
    {"cholesky", kGenerator, 100, cholesky_tasks, run_cholesky, 0},
};
BENCH_MAIN(patterns)
