// bots-sparselu: the LU factors of a sparse matrix of dense blocks, without pivoting, a task for each operation on a
// block. ../README.md has the publications; the tasks are in sparselu_tasks.h. Invariants: the factors replace the
// matrix in place; a block that is zero has no memory, and gets it from the thread that makes the first task that
// writes to it, which is why only one thread makes the tasks of a row.
#include "common/benchmark.h"
#include "common/random.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int64_t block_count = 48;
static int64_t block_size = 64;
static int64_t density = 20;
static int64_t seed = 1;

static double** blocks; // block (row, column) at [row * block_count + column]; NULL where all elements are zero
static double** kept;

static uint64_t block_bytes(void) { return (uint64_t)(block_size * block_size) * sizeof(double); }

static double** block_at(double** matrix, int64_t row, int64_t column) { return &matrix[row * block_count + column]; }

static double* block(int64_t row, int64_t column) { return *block_at(blocks, row, column); }

/// The block, made of zeros if there was none: what is subtracted from it next makes it nonzero.
static double* filled_block(int64_t row, int64_t column) {
  double** const at = block_at(blocks, row, column);
  if (*at == NULL) {
    *at = allocate_or_exit(block_bytes());
    memset(*at, 0, block_bytes());
  }
  return *at;
}

/// diagonal = L U in place, the ones on the diagonal of L left out.
static void factorise(double* diagonal) {
  for (int64_t pivot = 0; pivot < block_size; pivot++) {
    const double* const upper = diagonal + pivot * block_size;
    for (int64_t row = pivot + 1; row < block_size; row++) {
      double* const target = diagonal + row * block_size;
      target[pivot] /= upper[pivot];
      for (int64_t column = pivot + 1; column < block_size; column++) target[column] -= target[pivot] * upper[column];
    }
  }
}

/// right = L^-1 right: a block to the right of the diagonal block becomes one of the factor U.
static void solve_lower(const double* diagonal, double* right) {
  for (int64_t pivot = 0; pivot < block_size; pivot++) {
    const double* const solved = right + pivot * block_size;
    for (int64_t row = pivot + 1; row < block_size; row++) {
      double* restrict const target = right + row * block_size;
      const double factor = diagonal[row * block_size + pivot];
      for (int64_t column = 0; column < block_size; column++) target[column] -= factor * solved[column];
    }
  }
}

/// below = below U^-1: a block below the diagonal block becomes one of the factor L.
static void solve_upper(const double* diagonal, double* below) {
  for (int64_t row = 0; row < block_size; row++) {
    double* restrict const target = below + row * block_size;
    for (int64_t pivot = 0; pivot < block_size; pivot++) {
      const double* const upper = diagonal + pivot * block_size;
      target[pivot] /= upper[pivot];
      for (int64_t column = pivot + 1; column < block_size; column++) target[column] -= target[pivot] * upper[column];
    }
  }
}

/// target = target - left * above
static void subtract_product(const double* left, const double* above, double* target) {
  for (int64_t row = 0; row < block_size; row++) {
    double* restrict const result = target + row * block_size;
    for (int64_t inner = 0; inner < block_size; inner++) {
      const double factor = left[row * block_size + inner];
      const double* restrict const source = above + inner * block_size;
      for (int64_t column = 0; column < block_size; column++) result[column] -= factor * source[column];
    }
  }
}

#define TASKS_TIED
#include "common/tiedness.h"
#include "sparselu_tasks.h"
#define TASKS_UNTIED
#include "common/tiedness.h"
#include "sparselu_tasks.h"

static void run_serial(void) {
  for (int64_t step = 0; step < block_count; step++) {
    double* const diagonal = block(step, step);
    factorise(diagonal);
    for (int64_t column = step + 1; column < block_count; column++)
      if (block(step, column) != NULL) solve_lower(diagonal, block(step, column));
    for (int64_t row = step + 1; row < block_count; row++) {
      if (block(row, step) == NULL) continue;
      solve_upper(diagonal, block(row, step));
      for (int64_t column = step + 1; column < block_count; column++)
        if (block(step, column) != NULL)
          subtract_product(block(row, step), block(step, column), filled_block(row, column));
    }
  }
}

/// Sets the elements of a block of the input, the same ones at every call; false if the block is zero. The blocks on
/// the diagonal and next to it are nonzero, and about `density` percent of the others. Elements are at most 1 in size;
/// those of the diagonal exceed the sum of their row, so that no pivots are needed.
static bool make_block(int64_t row, int64_t column, double* elements) {
  uint64_t state = ((uint64_t)seed << 32) + (uint64_t)(row * block_count + column);
  state = random_bits(&state); // neighbours' sequences must not overlap
  const bool banded = llabs(row - column) <= 1;
  if (random_below(&state, 100) >= density && !banded) return false;
  for (int64_t i = 0; i < block_size * block_size; i++) elements[i] = 2 * random_unit(&state) - 1;
  if (row == column)
    for (int64_t i = 0; i < block_size; i++) elements[i * block_size + i] += (double)(block_count * block_size);
  return true;
}

static void prepare(void) {
  const int64_t count = block_count * block_count;
  if (blocks == NULL) {
    blocks = allocate_or_exit((uint64_t)count * sizeof *blocks);
    for (int64_t i = 0; i < count; i++) blocks[i] = NULL;
  }
  double* spare = NULL;
  for (int64_t i = 0; i < count; i++) {
    if (spare == NULL) spare = allocate_or_exit(block_bytes());
    free(blocks[i]);
    blocks[i] = NULL;
    if (!make_block(i / block_count, i % block_count, spare)) continue;
    blocks[i] = spare;
    spare = NULL;
  }
  free(spare);
}

static double random_sign(uint64_t* state) { return (random_bits(state) >> 63) != 0 ? 1 : -1; }

/// Which elements count: all, those on or above the diagonal of the whole matrix, or those below it.
enum part { WHOLE, UPPER, LOWER };

/// result += block * vector, where both vectors are those of the whole matrix.
static void add_product(const double* elements, int64_t row, int64_t column, enum part part, const double* vector,
                        double* result) {
  for (int64_t i = 0; i < block_size; i++) {
    double sum = 0;
    for (int64_t j = 0; j < block_size; j++) {
      const bool above = column * block_size + j >= row * block_size + i;
      if (part == WHOLE || above == (part == UPPER))
        sum += elements[i * block_size + j] * vector[column * block_size + j];
    }
    result[row * block_size + i] += sum;
  }
}

/// result += U * vector, or L * vector without the ones on L's diagonal.
static void add_factor_product(enum part part, const double* vector, double* result) {
  for (int64_t row = 0; row < block_count; row++)
    for (int64_t column = 0; column < block_count; column++)
      if (block(row, column) != NULL) add_product(block(row, column), row, column, part, vector, result);
}

static void add_input_product(const double* vector, double* result) {
  double* const elements = allocate_or_exit(block_bytes());
  for (int64_t row = 0; row < block_count; row++)
    for (int64_t column = 0; column < block_count; column++)
      if (make_block(row, column, elements)) add_product(elements, row, column, WHOLE, vector, result);
  free(elements);
}

/// Checks the residual: L(Ux) = Ax within rounding, for a random vector x of ones and minus ones. The matrix is
/// diagonally dominant, so neither the elements of U nor the sums are much larger than its diagonal, which is about n,
/// its rows; the n roundings of such a sum add up to about sqrt(n) of them.
static enum verification verify(void) {
  const int64_t rows = block_count * block_size;
  double* const memory = allocate_or_exit(4 * (uint64_t)rows * sizeof *memory);
  double *const x = memory, *const ax = memory + rows, *const ux = memory + 2 * rows, *const lux = memory + 3 * rows;
  uint64_t state = (uint64_t)seed + 1;
  for (int64_t i = 0; i < rows; i++) {
    x[i] = random_sign(&state);
    ax[i] = ux[i] = 0;
  }
  add_input_product(x, ax);
  add_factor_product(UPPER, x, ux);
  memcpy(lux, ux, (size_t)rows * sizeof *lux);
  add_factor_product(LOWER, ux, lux);

  const double tolerance = 1e-14 * (double)rows * sqrt((double)rows); // a hundred roundings of a number of size n
  enum verification outcome = VERIFICATION_SUCCESSFUL;
  for (int64_t i = 0; i < rows; i++)
    if (!(fabs(lux[i] - ax[i]) <= tolerance)) outcome = VERIFICATION_UNSUCCESSFUL;
  free(memory);
  return outcome;
}

static void keep_answer(void) {
  kept = blocks;
  blocks = NULL;
}

/// Whether the blocks are the same, and in them the elements, but for rounding: a compiler may round the same
/// operations differently in different places.
static bool is_kept_answer(void) {
  const double tolerance = 1e-13 * (double)(block_count * block_size);
  for (int64_t i = 0; i < block_count * block_count; i++) {
    if ((blocks[i] == NULL) != (kept[i] == NULL)) return false;
    if (blocks[i] == NULL) continue;
    for (int64_t j = 0; j < block_size * block_size; j++)
      if (!(fabs(blocks[i][j] - kept[i][j]) <= tolerance)) return false;
  }
  return true;
}

static void report_answer(void) {
  int64_t count = 0;
  for (int64_t i = 0; i < block_count * block_count; i++) count += blocks[i] != NULL;
  report_text("Answer", "%" PRId64 " of %" PRId64 " blocks are not zero in the factors", count,
              block_count * block_count);
}

static void free_matrix(double** matrix) {
  if (matrix == NULL) return;
  for (int64_t i = 0; i < block_count * block_count; i++) free(matrix[i]);
  free(matrix);
}

int main(int argc, char** argv) {
  static const struct benchmark_parameter parameters[] = {
      {'n', "blocks in a row of the matrix", &block_count, 1, 4096},
      {'m', "rows of a block", &block_size, 1, 1024},
      {'d', "percentage of blocks that are not zero, away from the diagonal", &density, 0, 100},
      {'r', "seed of the matrix", &seed, 0, INT32_MAX},
      {0, NULL, NULL, 0, 0},
  };
  static const struct benchmark_version versions[] = {
      {"serial", run_serial},
      {"tied", run_single_tied},
      {"tied-depend", run_depend_tied},
      {"untied", run_single_untied},
      {"untied-depend", run_depend_untied},
      {NULL, NULL},
  };
  static const struct benchmark_version team_versions[] = {
      {"tied-for", run_for_tied},
      {"untied-for", run_for_untied},
      {NULL, NULL},
  };
  static const struct benchmark benchmark = {
      .name = "bots-sparselu",
      .summary = "LU factors of a sparse matrix of dense blocks, a task for each operation on a block",
      .parameters = parameters,
      .versions = versions,
      .team_versions = team_versions,
      .default_version = "untied",
      .prepare = prepare,
      .verify = verify,
      .keep_answer = keep_answer,
      .is_kept_answer = is_kept_answer,
      .report_answer = report_answer,
  };
  const int status = benchmark_main(&benchmark, argc, argv);
  free_matrix(blocks);
  free_matrix(kept);
  return status;
}
