// What lu.c and qr.c share: a square matrix in blocks, its input, and the check of factors by random vectors.
// Invariant: a block is contiguous, row by row; blocks are stored row by row.
#ifndef KERNELS_FLOW_MATRIX_H
#define KERNELS_FLOW_MATRIX_H

#include "common/benchmark.h"
#include "common/random.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int64_t matrix_size = 512;
static int64_t block_size = 64;
static int64_t block_count;
static double *matrix, *kept;

static double* block_at(int64_t row, int64_t column) {
  return matrix + (row * block_count + column) * block_size * block_size;
}

static double* element_at(int64_t row, int64_t column) {
  return block_at(row / block_size, column / block_size) + row % block_size * block_size + column % block_size;
}

/// An element of the input, the same whoever asks: random between -1 and 1, and on the diagonal more than the sum of
/// the others, so that no elimination needs a pivot.
static double input_element(int64_t row, int64_t column) {
  if (row == column) return (double)matrix_size + 1;
  uint64_t state = (uint64_t)(row * matrix_size + column);
  return 2 * random_unit(&state) - 1;
}

static uint64_t matrix_bytes(void) { return (uint64_t)(matrix_size * matrix_size) * sizeof(double); }

static void prepare_matrix(void) {
  block_count = matrix_size / block_size;
  if (matrix == NULL) {
    matrix = allocate_or_exit(matrix_bytes());
    kept = allocate_or_exit(matrix_bytes());
  }
  for (int64_t row = 0; row < matrix_size; row++)
    for (int64_t column = 0; column < matrix_size; column++) *element_at(row, column) = input_element(row, column);
}

// The serial version does the same operations on each block in the same order, so the factors are the same in all bits.
static void keep_answer(void) { memcpy(kept, matrix, matrix_bytes()); }
static bool is_kept_answer(void) { return memcmp(kept, matrix, matrix_bytes()) == 0; }

/// y = A x of the input, or of its transpose.
static void multiply_input(const double* x, double* y, bool transposed) {
  for (int64_t row = 0; row < matrix_size; row++) {
    y[row] = 0;
    for (int64_t column = 0; column < matrix_size; column++)
      y[row] += (transposed ? input_element(column, row) : input_element(row, column)) * x[column];
  }
}

/// For random vectors x, the products by the input and by its factors agree up to a bound of rounding errors, relative
/// to the largest element: of the order of n rounding errors of sums of n terms.
static enum verification verify_products(void (*by_input)(const double*, double*),
                                         void (*by_factors)(const double*, double*)) {
  const uint64_t n = (uint64_t)matrix_size;
  double* const x = allocate_or_exit(3 * n * sizeof(double));
  double *const expected = x + n, *const found = expected + n;
  uint64_t state = 1;
  bool is_right = true;
  for (int trial = 0; trial < 3; trial++) {
    for (uint64_t i = 0; i < n; i++) x[i] = (random_below(&state, 2) ? 1 : -1) * (0.5 + random_unit(&state));
    by_input(x, expected);
    by_factors(x, found);
    double largest = 0;
    for (uint64_t i = 0; i < n; i++) largest = fmax(largest, fabs(expected[i]));
    for (uint64_t i = 0; i < n; i++)
      if (!(fabs(expected[i] - found[i]) <= 64 * (double)n * DBL_EPSILON * largest)) is_right = false; // a NaN is not
  }
  free(x);
  return is_right ? VERIFICATION_SUCCESSFUL : VERIFICATION_UNSUCCESSFUL;
}

static const char* complaint(void) { return matrix_size % block_size != 0 ? "-n must be a multiple of -y" : NULL; }

static const struct benchmark_parameter parameters[] = {
    {'n', "rows of the matrix, a multiple of -y", &matrix_size, 1, 16384},
    {'y', "rows of a block", &block_size, 1, 1024},
    {0, NULL, NULL, 0, 0},
};

// clang-format off
#define VERSIONS                                                                                                       \
  {"serial", run_serial}, {"tied", run_wait_tied}, {"tied-depend", run_depend_tied}, {"untied", run_wait_untied},      \
  {"untied-depend", run_depend_untied}, {NULL, NULL}
// clang-format on

#endif
