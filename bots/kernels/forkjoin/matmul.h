// What matmul.c and its oneTBB twin share: the matrices, the answer, and all of main() but the versions.
#ifndef KERNELS_FORKJOIN_MATMUL_H
#define KERNELS_FORKJOIN_MATMUL_H

#include "common/benchmark.h"
#include "common/random.h"

#include <stdlib.h>
#include <string.h>

static int64_t matrix_size = 512;
static int64_t leaf = 64; // sum of a leaf's three lengths
static double *left, *right, *product;

/// product (rows x columns) += left (rows x middle) * right (middle x columns): parts of the matrices.
static void multiply_leaf(const double* a, const double* b, double* c, int64_t rows, int64_t middle, int64_t columns) {
  for (int64_t i = 0; i < rows; i++)
    for (int64_t k = 0; k < middle; k++)
      for (int64_t j = 0; j < columns; j++) c[i * matrix_size + j] += a[i * matrix_size + k] * b[k * matrix_size + j];
}

/// What the longest of the three lengths is halved into. Halves of the middle follow one another: both add to the whole
/// product.
enum split { NO_SPLIT, ROWS, MIDDLE, COLUMNS };
static enum split split_of(int64_t rows, int64_t middle, int64_t columns) {
  if (rows + middle + columns <= leaf) return NO_SPLIT;
  if (rows >= middle && rows >= columns) return ROWS;
  return columns >= middle ? COLUMNS : MIDDLE;
}

static void multiply_serial(const double* a, const double* b, double* c, int64_t rows, int64_t middle,
                            int64_t columns) {
  switch (split_of(rows, middle, columns)) {
  case NO_SPLIT: multiply_leaf(a, b, c, rows, middle, columns); break;
  case ROWS: {
    const int64_t half = rows / 2;
    multiply_serial(a, b, c, half, middle, columns);
    multiply_serial(a + half * matrix_size, b, c + half * matrix_size, rows - half, middle, columns);
    break;
  }
  case COLUMNS: {
    const int64_t half = columns / 2;
    multiply_serial(a, b, c, rows, middle, half);
    multiply_serial(a, b + half, c + half, rows, middle, columns - half);
    break;
  }
  case MIDDLE: {
    const int64_t half = middle / 2;
    multiply_serial(a, b, c, rows, half, columns);
    multiply_serial(a + half, b + half * matrix_size, c, rows, middle - half, columns);
    break;
  }
  }
}

static void run_serial(void) { multiply_serial(left, right, product, matrix_size, matrix_size, matrix_size); }

/// Small whole numbers, so that sums are exact in any order.
static void prepare(void) {
  const uint64_t elements = (uint64_t)(matrix_size * matrix_size), bytes = elements * sizeof(double);
  if (left == NULL) {
    left = (double*)allocate_or_exit(bytes);
    right = (double*)allocate_or_exit(bytes);
    product = (double*)allocate_or_exit(bytes);
  }
  uint64_t state = 1;
  for (uint64_t i = 0; i < elements; i++) {
    left[i] = (double)random_below(&state, 17) - 8;
    right[i] = (double)random_below(&state, 17) - 8;
  }
  memset(product, 0, bytes);
}

/// For random vectors x the product times x is left times (right times x), exactly.
static enum verification verify(void) {
  double* const x = (double*)allocate_or_exit((uint64_t)matrix_size * 2 * sizeof(double));
  double* const y = x + matrix_size; // right * x
  uint64_t state = 2;
  bool is_right = true;
  for (int trial = 0; trial < 8; trial++) {
    for (int64_t i = 0; i < matrix_size; i++) x[i] = (double)random_below(&state, 2);
    for (int64_t i = 0; i < matrix_size; i++) {
      y[i] = 0;
      for (int64_t j = 0; j < matrix_size; j++) y[i] += right[i * matrix_size + j] * x[j];
    }
    for (int64_t i = 0; i < matrix_size; i++) {
      double twice = 0, once = 0;
      for (int64_t j = 0; j < matrix_size; j++) {
        twice += left[i * matrix_size + j] * y[j];
        once += product[i * matrix_size + j] * x[j];
      }
      if (twice != once) is_right = false;
    }
  }
  free(x);
  return is_right ? VERIFICATION_SUCCESSFUL : VERIFICATION_UNSUCCESSFUL;
}

static const struct benchmark_parameter parameters[] = {
    {'n', "rows of the matrices", &matrix_size, 1, 16384},
    {'y', "sum of the three lengths of a leaf", &leaf, 3, 1 << 16},
    {0, NULL, NULL, 0, 0},
};

#define ABOUT                                                                                                          \
  .name = "forkjoin-matmul", .summary = "a matrix product, by halving the longest side", .parameters = parameters

#endif
