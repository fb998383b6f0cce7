// flow-lu: the factors of a dense matrix, lower and upper, by blocks and without pivots, a task for each operation on a
// block. README.md has the publications; the tasks are in lu_tasks.h.
#include "flow/matrix.h"

/// The factors of a block, in its place; the lower one has ones on the diagonal, which are not stored.
static void factor(double* diagonal) {
  for (int64_t k = 0; k < block_size; k++)
    for (int64_t row = k + 1; row < block_size; row++) {
      const double ratio = diagonal[row * block_size + k] /= diagonal[k * block_size + k];
      for (int64_t column = k + 1; column < block_size; column++)
        diagonal[row * block_size + column] -= ratio * diagonal[k * block_size + column];
    }
}

/// block = inverse(lower factor) * block, to the right of the diagonal
static void solve_lower(const double* diagonal, double* block) {
  for (int64_t k = 0; k < block_size; k++)
    for (int64_t row = k + 1; row < block_size; row++)
      for (int64_t column = 0; column < block_size; column++)
        block[row * block_size + column] -= diagonal[row * block_size + k] * block[k * block_size + column];
}

/// block = block * inverse(upper factor), below the diagonal
static void solve_upper(const double* diagonal, double* block) {
  for (int64_t row = 0; row < block_size; row++)
    for (int64_t k = 0; k < block_size; k++) {
      const double value = block[row * block_size + k] /= diagonal[k * block_size + k];
      for (int64_t column = k + 1; column < block_size; column++)
        block[row * block_size + column] -= value * diagonal[k * block_size + column];
    }
}

/// block = block - left * above
static void update(const double* left, const double* above, double* block) {
  for (int64_t row = 0; row < block_size; row++)
    for (int64_t k = 0; k < block_size; k++)
      for (int64_t column = 0; column < block_size; column++)
        block[row * block_size + column] -= left[row * block_size + k] * above[k * block_size + column];
}

#define TASKS_TIED
#include "common/tiedness.h"
#include "lu_tasks.h"
#define TASKS_UNTIED
#include "common/tiedness.h"
#include "lu_tasks.h"

static void run_serial(void) {
  for (int64_t step = 0; step < block_count; step++) {
    factor(block_at(step, step));
    for (int64_t other = step + 1; other < block_count; other++) {
      solve_lower(block_at(step, step), block_at(step, other));
      solve_upper(block_at(step, step), block_at(other, step));
    }
    for (int64_t row = step + 1; row < block_count; row++)
      for (int64_t column = step + 1; column < block_count; column++)
        update(block_at(row, step), block_at(step, column), block_at(row, column));
  }
}

static void by_input(const double* x, double* y) { multiply_input(x, y, false); }

/// y = L (U x)
static void by_factors(const double* x, double* y) {
  for (int64_t row = 0; row < matrix_size; row++) {
    y[row] = 0;
    for (int64_t column = row; column < matrix_size; column++) y[row] += *element_at(row, column) * x[column];
  }
  for (int64_t row = matrix_size - 1; row >= 0; row--)
    for (int64_t column = 0; column < row; column++) y[row] += *element_at(row, column) * y[column];
}

static enum verification verify(void) { return verify_products(by_input, by_factors); }

int main(int argc, char** argv) {
  static const struct benchmark_version versions[] = {VERSIONS};
  static const struct benchmark benchmark = {
      .name = "flow-lu",
      .summary = "lower and upper factors by blocks, a task for every operation on a block",
      .parameters = parameters,
      .versions = versions,
      .default_version = "tied-depend",
      .complaint = complaint,
      .prepare = prepare_matrix,
      .verify = verify,
      .keep_answer = keep_answer,
      .is_kept_answer = is_kept_answer,
  };
  const int status = benchmark_main(&benchmark, argc, argv);
  free(matrix);
  free(kept);
  return status;
}
