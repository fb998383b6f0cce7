// What the tasks of depend.c and depend_tbb.cpp do to their blocks: a few instructions, such that a wrong order changes
// the result; and the serial versions they are checked against.
#pragma once

#include <stdint.h>

enum { kChains = 64 };

static inline uint64_t mix(uint64_t x, uint64_t y) { return (x ^ (x >> 29)) * 0xBF58476D1CE4E5B9u + y; }

// Cell (i, j) after (i−1, j) and (i, j−1); row 0 and column 0 are the border.
static inline void wavefront_cell(uint64_t* cells, uint64_t width, uint64_t at) {
  cells[at] = mix(cells[at - width], cells[at - 1]);
}

static inline void wavefront_border(uint64_t* cells, uint64_t width) {
  for (uint64_t i = 0; i < width; i++) cells[i] = cells[i * width] = i;
}

static inline void wavefront_serial(uint64_t* cells, uint64_t width) {
  for (uint64_t i = 1; i < width; i++)
    for (uint64_t j = 1; j < width; j++) wavefront_cell(cells, width, i * width + j);
}

// Step k of the factorisation: the pivot (k, k), the blocks (i, k) below it, then the blocks (i, j) right of those.
static inline void update(uint64_t* to, const uint64_t* a, const uint64_t* b) { *to = mix(*to, *a * 3 + *b); }

static inline void cholesky_serial(uint64_t* a, uint64_t n) {
  for (uint64_t k = 0; k < n; k++) {
    uint64_t* pivot = &a[k * n + k];
    update(pivot, pivot, pivot);
    for (uint64_t i = k + 1; i < n; i++) update(&a[i * n + k], pivot, pivot);
    for (uint64_t i = k + 1; i < n; i++)
      for (uint64_t j = k + 1; j <= i; j++) update(&a[i * n + j], &a[i * n + k], &a[j * n + k]);
  }
}

// Units.
static inline uint64_t each(uint64_t n) { return n; }
static inline uint64_t square(uint64_t n) { return n * n; }
static inline uint64_t cholesky_tasks(uint64_t n) { return n * (n + 1) * (n + 2) / 6; }
