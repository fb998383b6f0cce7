// loops-cg: solves a sparse system by conjugate gradients: short loops with indirect accesses, and reductions between
// them. README.md has the publications; the loops are in cg_loops.h.
// Invariant: the matrix is symmetric, and its diagonal is more than the sum of the others.
#include "common/benchmark.h"
#include "common/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  NEIGHBOURS = 6,
  ROW = 2 * NEIGHBOURS + 1
}; // elements of a row: a column this far before, and after, and the diagonal

static int64_t rows = 20000;
static int64_t steps = 25;
static double (*elements)[ROW];
static int32_t (*columns)[ROW];
static double *x, *b, *r, *p, *q; // solution, right side, residual, direction, matrix times direction
static double rr, pq, next_rr;    // products of vectors

#define LOOPS_TEAM
#include "loops/loops.h"
#include "cg_loops.h"
#define LOOPS_REGIONS
#include "loops/loops.h"
#include "cg_loops.h"

/// The same element for (row, column) and (column, row).
static double coupling(int64_t row, int64_t column) {
  uint64_t state = (uint64_t)((row < column ? row : column) * rows + (row < column ? column : row));
  return -random_unit(&state);
}

static void prepare(void) {
  const uint64_t n = (uint64_t)rows, bytes = n * sizeof(double);
  if (elements == NULL) {
    elements = allocate_or_exit(n * sizeof(*elements));
    columns = allocate_or_exit(n * sizeof(*columns));
    x = allocate_or_exit(5 * bytes);
    b = x + n, r = b + n, p = r + n, q = p + n;
    uint64_t state = 1;
    int64_t distances[NEIGHBOURS];
    for (int k = 0; k < NEIGHBOURS; k++) distances[k] = 1 + random_below(&state, rows > 2 ? (rows - 1) / 2 : 1);
    for (int64_t row = 0; row < rows; row++) {
      double diagonal = 1;
      for (int k = 0; k < NEIGHBOURS; k++) {
        columns[row][k] = (int32_t)((row + rows - distances[k]) % rows);
        columns[row][k + NEIGHBOURS] = (int32_t)((row + distances[k]) % rows);
      }
      for (int k = 0; k < 2 * NEIGHBOURS; k++) diagonal -= elements[row][k] = coupling(row, columns[row][k]);
      columns[row][ROW - 1] = (int32_t)row;
      elements[row][ROW - 1] = diagonal;
    }
  }
  rr = 0;
  uint64_t state = 2;
  for (int64_t i = 0; i < rows; i++) {
    x[i] = 0;
    p[i] = r[i] = b[i] = random_unit(&state) - 0.5;
  }
}

/// The true residual, computed anew, is what the method promises: its condition is at most `largest`, the sum of a row
/// of absolute values, since the smallest eigenvalue is at least one.
static enum verification verify(void) {
  double residual = 0, norm = 0, largest = 0;
  for (int64_t i = 0; i < rows; i++) {
    double difference = b[i], sum = 0;
    for (int k = 0; k < ROW; k++) {
      difference -= elements[i][k] * x[columns[i][k]];
      sum += fabs(elements[i][k]);
    }
    residual += difference * difference;
    norm += b[i] * b[i];
    largest = fmax(largest, sum);
  }
  const double rate = (sqrt(largest) - 1) / (sqrt(largest) + 1);
  const double bound = 2 * sqrt(largest) * pow(rate, (double)steps) + 1e-12;
  return sqrt(residual) <= bound * sqrt(norm) ? VERIFICATION_SUCCESSFUL : VERIFICATION_UNSUCCESSFUL;
}

int main(int argc, char** argv) {
  static const struct benchmark_parameter parameters[] = {
      {'n', "rows of the matrix", &rows, 16, 1 << 24},
      {'t', "steps", &steps, 1, 1 << 20},
      {0, NULL, NULL, 0, 0},
  };
  static const struct benchmark_version versions[] = {{"serial", solve_team}, {NULL, NULL}};
  static const struct benchmark_version team_versions[] = {{"team", solve_team}, {NULL, NULL}};
  static const struct benchmark_version loose_versions[] = {{"regions", solve_regions}, {NULL, NULL}};
  static const struct benchmark benchmark = {
      .name = "loops-cg",
      .summary = "conjugate gradients for a sparse matrix",
      .parameters = parameters,
      .versions = versions,
      .team_versions = team_versions,
      .loose_versions = loose_versions,
      .default_version = "team",
      .prepare = prepare,
      .verify = verify,
  };
  const int status = benchmark_main(&benchmark, argc, argv);
  free(elements);
  free(columns);
  free(x);
  return status;
}
