// loops-lu: sweeps of a relaxation in which each point needs new values of its neighbours before it, as in the solver
// of the program of that name: a pipeline through the cube. README.md has the publications. Invariant: a sweep computes
// each point once, when its three neighbours before it have the new value and those after it the old one; so the answer
// is the same in all bits whoever runs it.
#include "common/benchmark.h"
#include "common/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int64_t side = 96; // inner points; the border is zero
static int64_t block = 8; // rows of a plane that are done together
static int64_t sweeps = 4;
static double *u, *source, *kept;

static int64_t row_length(void) { return side + 2; }
static int64_t at(int64_t k, int64_t j) { return (k * row_length() + j) * row_length(); }
static int64_t blocks(void) { return (side + block - 1) / block; }

/// The rows of a block in plane k, from 1 to the side.
static void relax(int64_t k, int64_t number) {
  const int64_t first = 1 + number * block, end = first + block <= side ? first + block : side + 1;
  const int64_t row = row_length(), plane = row * row;
  for (int64_t j = first; j < end; j++) {
    double* const line = u + at(k, j);
    for (int64_t i = 1; i <= side; i++)
      line[i] = (source[at(k, j) + i] + line[i - 1] + line[i + 1] + line[i - row] + line[i + row] + line[i - plane] +
                 line[i + plane]) /
                6;
  }
}

static void run_serial(void) {
  for (int64_t sweep = 0; sweep < sweeps; sweep++)
    for (int64_t k = 1; k <= side; k++)
      for (int64_t number = 0; number < blocks(); number++) relax(k, number);
}

/// Run by every thread of the team: each block of each plane waits for the block before it and for the plane before.
static void run_doacross(void) {
  const int64_t count = blocks();
  for (int64_t sweep = 0; sweep < sweeps; sweep++) {
#pragma omp for ordered(2) schedule(static, 1)
    for (int64_t k = 1; k <= side; k++)
      for (int64_t number = 0; number < count; number++) {
#pragma omp ordered depend(sink : k - 1, number) depend(sink : k, number - 1)
        relax(k, number);
#pragma omp ordered depend(source)
      }
  }
}

/// Run by every thread of the team: the blocks whose numbers of plane and block add up to the same do not need one
/// another.
static void run_diagonals(void) {
  const int64_t count = blocks();
  for (int64_t sweep = 0; sweep < sweeps; sweep++)
    for (int64_t diagonal = 1; diagonal <= side + count - 1; diagonal++) {
      const int64_t first = diagonal - count + 1 > 1 ? diagonal - count + 1 : 1,
                    last = diagonal < side ? diagonal : side;
#pragma omp for schedule(static)
      for (int64_t k = first; k <= last; k++) relax(k, diagonal - k);
    }
}

/// One thread makes a task for each block; sweeps follow one another without a wait.
static void run_depend(void) {
  for (int64_t sweep = 0; sweep < sweeps; sweep++)
    for (int64_t k = 1; k <= side; k++)
      for (int64_t number = 0; number < blocks(); number++) {
#pragma omp task firstprivate(k, number) depend(inout : u[at(k, 1 + number * block)])                                  \
    depend(in : u[at(k - 1, 1 + number * block)], u[at(k + 1, 1 + number * block)],                                    \
               u[at(k, 1 + (number - 1) * block)], u[at(k, 1 + (number + 1) * block)])
        relax(k, number);
      }
#pragma omp taskwait
}

static uint64_t bytes(void) { return (uint64_t)(row_length() * row_length() * row_length()) * sizeof(double); }

static void prepare(void) {
  if (u == NULL) {
    u = allocate_or_exit(bytes());
    source = allocate_or_exit(bytes());
    kept = allocate_or_exit(bytes());
  }
  memset(u, 0, bytes());
  uint64_t state = 1;
  for (int64_t i = 0; i < row_length() * row_length() * row_length(); i++) source[i] = random_unit(&state);
}

/// From zero and with sources between 0 and 1, no sweep lowers a value, and none passes side^2 / 2; one more sweep says
/// so. The comparison with the serial run says that each sweep was right.
static enum verification verify(void) {
  memcpy(kept, u, bytes());
  run_serial();
  bool is_right = true;
  for (int64_t k = 1; k <= side; k++)
    for (int64_t j = 1; j <= side; j++)
      for (int64_t i = 1; i <= side; i++) {
        const double before = kept[at(k, j) + i], after = u[at(k, j) + i];
        if (!(before > 0 && after >= before && after <= (double)(side * side))) is_right = false;
      }
  memcpy(u, kept, bytes());
  return is_right ? VERIFICATION_SUCCESSFUL : VERIFICATION_UNSUCCESSFUL;
}

static void keep_answer(void) { memcpy(kept, u, bytes()); }
static bool is_kept_answer(void) { return memcmp(kept, u, bytes()) == 0; }

int main(int argc, char** argv) {
  static const struct benchmark_parameter parameters[] = {
      {'n', "inner points of a side", &side, 1, 1024},
      {'y', "rows of a block", &block, 1, 1024},
      {'t', "sweeps", &sweeps, 1, 1 << 20},
      {0, NULL, NULL, 0, 0},
  };
  static const struct benchmark_version versions[] = {{"serial", run_serial}, {"depend", run_depend}, {NULL, NULL}};
  static const struct benchmark_version team_versions[] = {
      {"doacross", run_doacross}, {"diagonals", run_diagonals}, {NULL, NULL}};
  static const struct benchmark benchmark = {
      .name = "loops-lu",
      .summary = "a relaxation that is a pipeline through a cube",
      .parameters = parameters,
      .versions = versions,
      .team_versions = team_versions,
      .default_version = "doacross",
      .prepare = prepare,
      .verify = verify,
      .keep_answer = keep_answer,
      .is_kept_answer = is_kept_answer,
  };
  const int status = benchmark_main(&benchmark, argc, argv);
  free(u);
  free(source);
  free(kept);
  return status;
}
