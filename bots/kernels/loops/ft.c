// loops-ft: a heat equation in a periodic cube by Fourier transforms: one transform of the cube, then for each time a
// product with the decay of each wave, and a transform back. README.md has the publications; the loops are in
// ft_loops.h. Invariant: a line of the cube is transformed by one thread, always in the same way, so the answer is the
// same in all bits whoever runs it.
#include "common/benchmark.h"
#include "common/random.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAXIMUM_SIDE = 512 };

static int64_t exponent = 5;
static int64_t times = 3;
static int64_t side;
static double complex *input, *waves, *answer, *kept;
static double complex roots[MAXIMUM_SIDE / 2]; // of one, for the forward transform

/// The transform of a line in its place: the line's elements in order of reversed bits, then butterflies. `back`: the
/// inverse.
static void transform_line(double complex* line, bool back) {
  for (int64_t i = 0, reversed = 0; i < side; i++) {
    if (i < reversed) {
      const double complex other = line[i];
      line[i] = line[reversed];
      line[reversed] = other;
    }
    int64_t bit = side / 2;
    for (; bit > 0 && (reversed & bit) != 0; bit /= 2) reversed &= ~bit;
    reversed |= bit;
  }
  for (int64_t half = 1; half < side; half *= 2)
    for (int64_t first = 0; first < side; first += 2 * half)
      for (int64_t i = 0; i < half; i++) {
        const double complex root = roots[i * (side / 2 / half)];
        const double complex odd = line[first + half + i] * (back ? conj(root) : root), even = line[first + i];
        line[first + i] = even + odd;
        line[first + half + i] = even - odd;
      }
}

/// One that is not contiguous: its elements are `stride` apart.
static void transform_strided(double complex* first, int64_t stride, bool back) {
  double complex line[MAXIMUM_SIDE];
  for (int64_t i = 0; i < side; i++) line[i] = first[i * stride];
  transform_line(line, back);
  for (int64_t i = 0; i < side; i++) first[i * stride] = line[i];
}

/// What a wave decays by until `time`: the square of its number, counted from -side/2.
static double decay(int64_t k, int64_t j, int64_t i, int64_t time) {
  const int64_t a = (k + side / 2) % side - side / 2, b = (j + side / 2) % side - side / 2,
                c = (i + side / 2) % side - side / 2;
  return exp(-1e-3 * (double)time * (double)(a * a + b * b + c * c));
}

#define LOOPS_TEAM
#include "loops/loops.h"
#include "ft_loops.h"
#define LOOPS_REGIONS
#include "loops/loops.h"
#include "ft_loops.h"

static int64_t points(void) { return side * side * side; }
static uint64_t bytes(void) { return (uint64_t)points() * sizeof(double complex); }

static void prepare(void) {
  side = (int64_t)1 << exponent;
  if (input == NULL) {
    input = allocate_or_exit(bytes());
    waves = allocate_or_exit(bytes());
    answer = allocate_or_exit(bytes());
    kept = allocate_or_exit(bytes());
  }
  const double pi = acos(-1);
  for (int64_t i = 0; i < side / 2; i++) roots[i] = cexp(-2 * pi * I * (double)i / (double)side);
  uint64_t state = 1;
  for (int64_t i = 0; i < points(); i++) input[i] = random_unit(&state) - 0.5;
}

static void keep_answer(void) { memcpy(kept, answer, bytes()); }
static bool is_kept_answer(void) { return memcmp(kept, answer, bytes()) == 0; }

/// By the definition, for some points: the sum over all waves, each of which is the definition's sum over all points. A
/// cube of N points would take N^2 steps, so the waves are checked at some places and the answer by Parseval's
/// equation.
static enum verification verify(void) {
  const double pi = acos(-1);
  uint64_t state = 2;
  for (int trial = 0; trial < 4; trial++) {
    const int64_t k = random_below(&state, side), j = random_below(&state, side), i = random_below(&state, side);
    double complex sum = 0;
    for (int64_t z = 0; z < side; z++)
      for (int64_t y = 0; y < side; y++)
        for (int64_t x = 0; x < side; x++)
          sum += input[(z * side + y) * side + x] *
                 cexp(-2 * pi * I * (double)((k * z + j * y + i * x) % side) / (double)side);
    if (!(cabs(sum - waves[(k * side + j) * side + i]) <= 1e-9 * sqrt((double)points())))
      return VERIFICATION_UNSUCCESSFUL;
  }
  double of_waves = 0, of_answer = 0;
  for (int64_t k = 0; k < side; k++)
    for (int64_t j = 0; j < side; j++)
      for (int64_t i = 0; i < side; i++) {
        const double size = cabs(waves[(k * side + j) * side + i]) * decay(k, j, i, times);
        of_waves += size * size / (double)points();
        of_answer += creal(answer[(k * side + j) * side + i] * conj(answer[(k * side + j) * side + i]));
      }
  return fabs(of_waves - of_answer) <= 1e-9 * of_waves ? VERIFICATION_SUCCESSFUL : VERIFICATION_UNSUCCESSFUL;
}

int main(int argc, char** argv) {
  static const struct benchmark_parameter parameters[] = {
      {'n', "the cube has 2^n points a side", &exponent, 1, 9},
      {'t', "times", &times, 1, 1 << 20},
      {0, NULL, NULL, 0, 0},
  };
  static const struct benchmark_version versions[] = {{"serial", solve_team}, {NULL, NULL}};
  static const struct benchmark_version team_versions[] = {{"team", solve_team}, {NULL, NULL}};
  static const struct benchmark_version loose_versions[] = {{"regions", solve_regions}, {NULL, NULL}};
  static const struct benchmark benchmark = {
      .name = "loops-ft",
      .summary = "a heat equation in a cube by Fourier transforms",
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
  free(input);
  free(waves);
  free(answer);
  free(kept);
  return status;
}
