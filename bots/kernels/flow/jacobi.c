// flow-jacobi: sweeps of Jacobi's iteration for Poisson's equation on a square grid, a task for each block of a sweep.
// README.md has the publications; the tasks are in jacobi_tasks.h.
// Invariant: sweep s reads grids[s % 2] and writes the inner points of the other; a block's task writes that block
// only.
#include "common/benchmark.h"
#include "common/random.h"

#include <stdlib.h>
#include <string.h>

static int64_t size = 1024; // inner points of a side; the border is zero
static int64_t block = 128;
static int64_t sweeps = 10;
static double *grids[2], *source, *kept;

static int64_t row_length(void) { return size + 2; }
static double* point(double* grid, int64_t row, int64_t column) { return grid + (row + 1) * row_length() + column + 1; }

/// The point by which dependences name a block, its first. Beside the grid it is one of the border, which nobody
/// writes.
static double* block_of(int64_t sweep, int64_t row, int64_t column) {
  return point(grids[sweep % 2],
               row < 0      ? -1
               : row < size ? row
                            : size,
               column < 0      ? -1
               : column < size ? column
                               : size);
}

static int64_t end_of(int64_t first) { return first + block < size ? first + block : size; }

static void sweep_block(int64_t sweep, int64_t first_row, int64_t first_column) {
  double* const from = grids[sweep % 2];
  double* const to = grids[(sweep + 1) % 2];
  for (int64_t row = first_row; row < end_of(first_row); row++) {
    const double *const above = point(from, row - 1, 0), *const here = point(from, row, 0),
                        *const below = point(from, row + 1, 0), *const own = point(source, row, 0);
    double* const target = point(to, row, 0);
    for (int64_t column = first_column; column < end_of(first_column); column++)
      target[column] = 0.25 * (above[column] + below[column] + here[column - 1] + here[column + 1] + own[column]);
  }
}

#define TASKS_TIED
#include "common/tiedness.h"
#include "jacobi_tasks.h"
#define TASKS_UNTIED
#include "common/tiedness.h"
#include "jacobi_tasks.h"

static void run_serial(void) {
  for (int64_t sweep = 0; sweep < sweeps; sweep++)
    for (int64_t row = 0; row < size; row += block)
      for (int64_t column = 0; column < size; column += block) sweep_block(sweep, row, column);
}

/// Run by every thread of the team.
static void run_for(void) {
  for (int64_t sweep = 0; sweep < sweeps; sweep++) {
#pragma omp for collapse(2) schedule(static)
    for (int64_t row = 0; row < size; row += block)
      for (int64_t column = 0; column < size; column += block) sweep_block(sweep, row, column);
  }
}

static uint64_t bytes(void) { return (uint64_t)(row_length() * row_length()) * sizeof(double); }

static void prepare(void) {
  if (source == NULL) {
    source = allocate_or_exit(bytes());
    grids[0] = allocate_or_exit(bytes());
    grids[1] = allocate_or_exit(bytes());
    kept = allocate_or_exit(bytes());
  }
  uint64_t state = 1;
  for (int64_t i = 0; i < row_length() * row_length(); i++) source[i] = random_unit(&state);
  memset(grids[0], 0, bytes());
  memset(grids[1], 0, bytes());
}

/// The sweeps anew, plainly, row by row: each point is computed from the same four in the same way, so it is the same.
static enum verification verify(void) {
  double* const result = grids[sweeps % 2];
  memcpy(kept, result, bytes());
  prepare();
  for (int64_t sweep = 0; sweep < sweeps; sweep++) {
    double* const from = grids[sweep % 2];
    for (int64_t row = 0; row < size; row++)
      for (int64_t column = 0; column < size; column++)
        *point(grids[(sweep + 1) % 2], row, column) =
            0.25 * (*point(from, row - 1, column) + *point(from, row + 1, column) + *point(from, row, column - 1) +
                    *point(from, row, column + 1) + *point(source, row, column));
  }
  return memcmp(kept, result, bytes()) == 0 ? VERIFICATION_SUCCESSFUL : VERIFICATION_UNSUCCESSFUL;
}

int main(int argc, char** argv) {
  static const struct benchmark_parameter parameters[] = {
      {'n', "inner points of a side", &size, 1, 1 << 15},
      {'y', "points of a block's side", &block, 1, 1 << 15},
      {'t', "sweeps", &sweeps, 1, 1 << 20},
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
  static const struct benchmark_version team_versions[] = {{"for", run_for}, {NULL, NULL}};
  static const struct benchmark benchmark = {
      .name = "flow-jacobi",
      .summary = "sweeps of Jacobi's iteration by blocks",
      .parameters = parameters,
      .versions = versions,
      .team_versions = team_versions,
      .default_version = "tied-depend",
      .prepare = prepare,
      .verify = verify,
  };
  const int status = benchmark_main(&benchmark, argc, argv);
  free(source);
  free(grids[0]);
  free(grids[1]);
  free(kept);
  return status;
}
