// flow-qr: the upper factor of a dense matrix by reflections, block by block (tile QR), a task for each operation on
// one block or on two. README.md has the publications; the tasks are in qr_tasks.h.
// Invariant: the diagonal block has R above, and below its diagonal the reflections that made it; a block below has the
// reflections that cleared it. A reflection is I - scale * v * transpose(v) with a leading one in v that is not stored;
// its scale is in `scales`.
#include "flow/matrix.h"

static double* scales; // block_size for each block

static double* scales_of(int64_t row, int64_t column) { return scales + (row * block_count + column) * block_size; }

/// The reflection that maps (*head, tail) to (±norm, 0): leaves the norm in *head, v's tail in the tail; returns the
/// scale. The elements of the tail are a row of a block apart.
static double reflect(double* head, double* tail, int64_t length) {
  double squares = 0;
  for (int64_t i = 0; i < length; i++) squares += tail[i * block_size] * tail[i * block_size];
  if (squares == 0) return 0;
  const double norm = -copysign(sqrt(*head * *head + squares), *head), v0 = *head - norm;
  for (int64_t i = 0; i < length; i++) tail[i * block_size] /= v0;
  const double scale = -v0 / norm;
  *head = norm;
  return scale;
}

/// Applies one reflection to the columns from `from` on: of a row `head`, and of the `length` rows of `rows`, to which
/// the elements of v belong, each the first of a row.
static void apply(const double* v, double scale, double* head, double* rows, int64_t length, int64_t from) {
  double products[1024]; // the largest block
  for (int64_t column = from; column < block_size; column++) products[column] = head[column];
  for (int64_t i = 0; i < length; i++)
    for (int64_t column = from; column < block_size; column++)
      products[column] += v[i * block_size] * rows[i * block_size + column];
  for (int64_t column = from; column < block_size; column++) head[column] -= products[column] *= scale;
  for (int64_t i = 0; i < length; i++)
    for (int64_t column = from; column < block_size; column++)
      rows[i * block_size + column] -= v[i * block_size] * products[column];
}

static void factor(double* diagonal, double* scale) {
  for (int64_t k = 0; k < block_size; k++) {
    double* const head = diagonal + k * block_size;
    double* const below = head + block_size;
    scale[k] = reflect(head + k, below + k, block_size - k - 1);
    apply(below + k, scale[k], head, below, block_size - k - 1, k + 1);
  }
}

/// The reflections of a diagonal block, for one to its right.
static void apply_factor(const double* diagonal, const double* scale, double* block) {
  for (int64_t k = 0; k < block_size; k++) {
    double* const head = block + k * block_size;
    apply(diagonal + (k + 1) * block_size + k, scale[k], head, head + block_size, block_size - k - 1, 0);
  }
}

/// Clears a block below the diagonal into R.
static void clear(double* diagonal, double* block, double* scale) {
  for (int64_t k = 0; k < block_size; k++) {
    double* const head = diagonal + k * block_size;
    scale[k] = reflect(head + k, block + k, block_size);
    apply(block + k, scale[k], head, block, block_size, k + 1);
  }
}

/// The reflections that cleared `left`, for the blocks of another column in its row and in that of R.
static void apply_clear(const double* left, const double* scale, double* above, double* block) {
  for (int64_t k = 0; k < block_size; k++) apply(left + k, scale[k], above + k * block_size, block, block_size, 0);
}

#define TASKS_TIED
#include "common/tiedness.h"
#include "qr_tasks.h"
#define TASKS_UNTIED
#include "common/tiedness.h"
#include "qr_tasks.h"

static void run_serial(void) {
  for (int64_t step = 0; step < block_count; step++) {
    factor(block_at(step, step), scales_of(step, step));
    for (int64_t column = step + 1; column < block_count; column++)
      apply_factor(block_at(step, step), scales_of(step, step), block_at(step, column));
    for (int64_t row = step + 1; row < block_count; row++) {
      clear(block_at(step, step), block_at(row, step), scales_of(row, step));
      for (int64_t column = step + 1; column < block_count; column++)
        apply_clear(block_at(row, step), scales_of(row, step), block_at(step, column), block_at(row, column));
    }
  }
}

static void prepare(void) {
  prepare_matrix();
  if (scales == NULL) scales = allocate_or_exit((uint64_t)(block_count * matrix_size) * sizeof(double));
}

// Q is orthogonal, so transpose(A) A = transpose(R) R: nothing of how the reflections are stored is trusted.
static void by_input(const double* x, double* y) {
  double* const ax = allocate_or_exit((uint64_t)matrix_size * sizeof(double));
  multiply_input(x, ax, false);
  multiply_input(ax, y, true);
  free(ax);
}

static void by_factors(const double* x, double* y) {
  double* const rx = allocate_or_exit((uint64_t)matrix_size * sizeof(double));
  for (int64_t row = 0; row < matrix_size; row++) {
    rx[row] = 0;
    for (int64_t column = row; column < matrix_size; column++) rx[row] += *element_at(row, column) * x[column];
  }
  for (int64_t column = 0; column < matrix_size; column++) {
    y[column] = 0;
    for (int64_t row = 0; row <= column; row++) y[column] += *element_at(row, column) * rx[row];
  }
  free(rx);
}

static enum verification verify(void) { return verify_products(by_input, by_factors); }

int main(int argc, char** argv) {
  static const struct benchmark_version versions[] = {VERSIONS};
  static const struct benchmark benchmark = {
      .name = "flow-qr",
      .summary = "the upper factor by reflections of blocks, a task for every operation",
      .parameters = parameters,
      .versions = versions,
      .default_version = "tied-depend",
      .complaint = complaint,
      .prepare = prepare,
      .verify = verify,
      .keep_answer = keep_answer,
      .is_kept_answer = is_kept_answer,
  };
  const int status = benchmark_main(&benchmark, argc, argv);
  free(matrix);
  free(kept);
  free(scales);
  return status;
}
