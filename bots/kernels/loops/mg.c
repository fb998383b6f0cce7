// loops-mg: multigrid cycles for Poisson's equation in a cube: the same loops over grids from large to tiny. README.md
// has the publications; the loops are in mg_loops.h.
// Invariant: level l has 2^(l+1) - 1 inner points a side and a border of zeros; a loop writes each of its points once,
// and reads no point that it writes, so that the answer is the same in all bits whoever runs it.
#include "common/benchmark.h"
#include "common/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAXIMUM_LEVELS = 10 };

static int64_t levels = 5;
static int64_t cycles = 4;
static double *solution[MAXIMUM_LEVELS], *right[MAXIMUM_LEVELS], *residual[MAXIMUM_LEVELS], *kept;

static int64_t side_of(int64_t level) { return ((int64_t)2 << level) - 1; }

/// An inner point has coordinates from 1 to the side; those of the border are 0 and the side + 1.
static int64_t at(int64_t side, int64_t k, int64_t j, int64_t i) { return (k * (side + 2) + j) * (side + 2) + i; }

static double laplacian(const double* u, int64_t side, int64_t k, int64_t j, int64_t i) {
  const int64_t row = side + 2, plane = row * row, here = at(side, k, j, i);
  return 6 * u[here] - u[here - 1] - u[here + 1] - u[here - row] - u[here + row] - u[here - plane] - u[here + plane];
}

#define LOOPS_TEAM
#include "loops/loops.h"
#include "mg_loops.h"
#define LOOPS_REGIONS
#include "loops/loops.h"
#include "mg_loops.h"

static uint64_t bytes_of(int64_t level) {
  const uint64_t row = (uint64_t)side_of(level) + 2;
  return row * row * row * sizeof(double);
}

static void prepare(void) {
  for (int64_t level = 0; level < levels; level++) {
    if (solution[level] == NULL) {
      solution[level] = allocate_or_exit(bytes_of(level));
      right[level] = allocate_or_exit(bytes_of(level));
      residual[level] = allocate_or_exit(bytes_of(level));
    }
    memset(solution[level], 0, bytes_of(level));
    memset(right[level], 0, bytes_of(level));
    memset(residual[level], 0, bytes_of(level));
  }
  if (kept == NULL) kept = allocate_or_exit(bytes_of(levels - 1));
  const int64_t side = side_of(levels - 1);
  uint64_t state = 1;
  for (int64_t k = 1; k <= side; k++)
    for (int64_t j = 1; j <= side; j++)
      for (int64_t i = 1; i <= side; i++) right[levels - 1][at(side, k, j, i)] = random_unit(&state) - 0.5;
}

static void keep_answer(void) { memcpy(kept, solution[levels - 1], bytes_of(levels - 1)); }
static bool is_kept_answer(void) { return memcmp(kept, solution[levels - 1], bytes_of(levels - 1)) == 0; }

/// Each cycle leaves less than 0.7 of the residual.
static enum verification verify(void) {
  const int64_t side = side_of(levels - 1);
  double left = 0, before = 0;
  for (int64_t k = 1; k <= side; k++)
    for (int64_t j = 1; j <= side; j++)
      for (int64_t i = 1; i <= side; i++) {
        const double source = right[levels - 1][at(side, k, j, i)];
        const double difference = source - laplacian(solution[levels - 1], side, k, j, i);
        left += difference * difference;
        before += source * source;
      }
  return sqrt(left / before) <= pow(0.7, (double)cycles) + 1e-12 ? VERIFICATION_SUCCESSFUL : VERIFICATION_UNSUCCESSFUL;
}

int main(int argc, char** argv) {
  static const struct benchmark_parameter parameters[] = {
      {'n', "grids; the largest has 2^n - 1 points a side", &levels, 1, MAXIMUM_LEVELS},
      {'t', "cycles", &cycles, 1, 1 << 20},
      {0, NULL, NULL, 0, 0},
  };
  static const struct benchmark_version versions[] = {{"serial", solve_team}, {NULL, NULL}};
  static const struct benchmark_version team_versions[] = {{"team", solve_team}, {NULL, NULL}};
  static const struct benchmark_version loose_versions[] = {{"regions", solve_regions}, {NULL, NULL}};
  static const struct benchmark benchmark = {
      .name = "loops-mg",
      .summary = "multigrid cycles for Poisson's equation in a cube",
      .parameters = parameters,
      .versions = versions,
      .team_versions = team_versions,
      .loose_versions = loose_versions,
      .default_version = "team",
      .prepare = prepare,
      .verify = verify,
      .keep_answer = keep_answer,
      .is_kept_answer = is_kept_answer,
  };
  const int status = benchmark_main(&benchmark, argc, argv);
  for (int64_t level = 0; level < levels; level++) {
    free(solution[level]);
    free(right[level]);
    free(residual[level]);
  }
  free(kept);
  return status;
}
