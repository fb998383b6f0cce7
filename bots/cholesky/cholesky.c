// bots-cholesky: A = L L^T for a symmetric positive definite matrix, by blocks: a task for every operation on a block,
// ordered by dependences, or by waiting after every phase. ../README.md has the publications; the tasks are in
// cholesky_tasks.h. Invariant: only the lower half is stored and worked on; a block is written by one task at a time,
// and its first element stands for it in dependences.
#include "common/benchmark.h"
#include "common/random.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static int64_t matrix_size = 2048;
static int64_t block_size = 64;
static int64_t seed = 1;

static int64_t block_count; // in a row of blocks
static double* matrix;      // block by block, each stored by rows

static double* block_at(int64_t row, int64_t column) {
  return matrix + (row * block_count + column) * block_size * block_size;
}

/// The sum of products of two rows; the directive only lets the compiler add in another order.
static double dot(const double* left, const double* right, int64_t length) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < length; i++) sum += left[i] * right[i];
  return sum;
}

/// Replaces a block on the diagonal by its own factor. A root of a negative number, if the matrix is not positive
/// definite, is a NaN that reaches the result, where the check finds it.
static void factor_diagonal(double* diagonal) {
  for (int64_t row = 0; row < block_size; row++) {
    double* const own = diagonal + row * block_size;
    for (int64_t column = 0; column < row; column++) {
      const double* const other = diagonal + column * block_size;
      own[column] = (own[column] - dot(own, other, column)) / other[column];
    }
    own[row] = sqrt(own[row] - dot(own, own, row));
  }
}

/// block = block * inverse(transpose(diagonal)), for the blocks below a factored one.
static void solve_below(const double* diagonal, double* block) {
  for (int64_t row = 0; row < block_size; row++) {
    double* const own = block + row * block_size;
    for (int64_t column = 0; column < block_size; column++) {
      const double* const other = diagonal + column * block_size;
      own[column] = (own[column] - dot(own, other, column)) / other[column];
    }
  }
}

/// diagonal = diagonal - left * transpose(left), its lower half
static void update_diagonal(const double* left, double* diagonal) {
  for (int64_t row = 0; row < block_size; row++)
    for (int64_t column = 0; column <= row; column++)
      diagonal[row * block_size + column] -= dot(left + row * block_size, left + column * block_size, block_size);
}

/// block = block - left * transpose(right)
static void update(const double* left, const double* right, double* block) {
  for (int64_t row = 0; row < block_size; row++)
    for (int64_t column = 0; column < block_size; column++)
      block[row * block_size + column] -= dot(left + row * block_size, right + column * block_size, block_size);
}

#define TASKS_TIED
#include "common/tiedness.h"
#include "cholesky_tasks.h"
#define TASKS_UNTIED
#include "common/tiedness.h"
#include "cholesky_tasks.h"

static void run_serial(void) {
  for (int64_t step = 0; step < block_count; step++) {
    factor_diagonal(block_at(step, step));
    for (int64_t row = step + 1; row < block_count; row++) solve_below(block_at(step, step), block_at(row, step));
    for (int64_t row = step + 1; row < block_count; row++) {
      for (int64_t column = step + 1; column < row; column++)
        update(block_at(row, step), block_at(column, step), block_at(row, column));
      update_diagonal(block_at(row, step), block_at(row, row));
    }
  }
}

/// Element (row, column) of the input, the same whoever asks: random between -1 and 1, symmetric, and on the diagonal
/// more than the sum of the others, so that the matrix is positive definite.
static double input_element(int64_t row, int64_t column) {
  if (row == column) return (double)matrix_size + 1;
  const int64_t low = row < column ? row : column, high = row < column ? column : row;
  uint64_t state = (uint64_t)seed * UINT64_C(0x100000001) + (uint64_t)(low * matrix_size + high);
  return 2 * random_unit(&state) - 1;
}

static double* element_at(int64_t row, int64_t column) {
  return block_at(row / block_size, column / block_size) + row % block_size * block_size + column % block_size;
}

static void prepare(void) {
  block_count = matrix_size / block_size;
  if (matrix == NULL) matrix = allocate_or_exit((uint64_t)(matrix_size * matrix_size) * sizeof(double));
  for (int64_t row = 0; row < matrix_size; row++)
    for (int64_t column = 0; column <= row; column++) *element_at(row, column) = input_element(row, column);
}

/// Checks for a vector x that Ax and L(L^T x) differ in every element by no more than rounding explains. Rounding in
/// the factorization is at most (n + 1) * e / (1 - (n + 1) * e) times |L| |L^T| |x| there (Higham's theorem,
/// ../README.md), that of the three products computed here less than 3 (n + 1) times the same; 8 leaves room for the
/// denominators.
static bool is_residual_small(const double* x) {
  const uint64_t bytes = (uint64_t)matrix_size * sizeof(double);
  double* const ax = allocate_or_exit(bytes);   // A x
  double* const y = allocate_or_exit(bytes);    // L^T x
  double* const size = allocate_or_exit(bytes); // |L^T| |x|
  for (int64_t i = 0; i < matrix_size; i++) ax[i] = y[i] = size[i] = 0;
  for (int64_t row = 0; row < matrix_size; row++) {
    for (int64_t column = 0; column <= row; column++) {
      const double a = input_element(row, column), l = *element_at(row, column);
      ax[row] += a * x[column];
      if (column < row) ax[column] += a * x[row];
      y[column] += l * x[row];
      size[column] += fabs(l * x[row]);
    }
  }
  bool small = true;
  for (int64_t row = 0; row < matrix_size; row++) {
    double llx = 0, bound = 0;
    for (int64_t column = 0; column <= row; column++) {
      const double l = *element_at(row, column);
      llx += l * y[column];
      bound += fabs(l) * size[column];
    }
    bound *= 8 * (double)(matrix_size + 1) * (DBL_EPSILON / 2);
    if (!(fabs(ax[row] - llx) <= bound)) small = false; // a NaN is not small
  }
  free(ax);
  free(y);
  free(size);
  return small;
}

/// The residual of random vectors, whose elements are all of about the same size.
static enum verification verify(void) {
  double* const x = allocate_or_exit((uint64_t)matrix_size * sizeof(double));
  uint64_t state = (uint64_t)seed;
  bool right = true;
  for (int trial = 0; trial < 4; trial++) {
    for (int64_t i = 0; i < matrix_size; i++) x[i] = (random_below(&state, 2) ? 1 : -1) * (0.5 + random_unit(&state));
    right = is_residual_small(x) && right;
  }
  free(x);
  return right ? VERIFICATION_SUCCESSFUL : VERIFICATION_UNSUCCESSFUL;
}

static const char* complaint(void) {
  if (matrix_size % block_size != 0) return "-n must be a multiple of -y";
  return NULL;
}

int main(int argc, char** argv) {
  static const struct benchmark_parameter parameters[] = {
      {'n', "rows of the matrix, a multiple of -y", &matrix_size, 1, 32768},
      {'y', "rows of a block", &block_size, 1, 4096},
      {'r', "seed of the matrix", &seed, 0, INT32_MAX},
      {0, NULL, NULL, 0, 0},
  };
  static const struct benchmark_version versions[] = {
      {"serial", run_serial},
      {"tied", run_wait_tied},
      {"tied-depend", run_depend_tied},
      {"untied", run_wait_untied},
      {"untied-depend", run_depend_untied},
      {NULL, NULL},
  };
  static const struct benchmark benchmark = {
      .name = "bots-cholesky",
      .summary = "Cholesky factorization by blocks, one task for every operation on a block",
      .parameters = parameters,
      .versions = versions,
      .default_version = "untied-depend",
      .complaint = complaint,
      .prepare = prepare,
      .verify = verify,
  };
  const int status = benchmark_main(&benchmark, argc, argv);
  free(matrix);
  return status;
}
