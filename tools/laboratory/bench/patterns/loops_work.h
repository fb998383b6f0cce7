// The loops of tools/bench loops, each as data and the body of one iteration, so that OpenMP and oneTBB run the same
// work. C11 and C++20. The six of "Pushing the limits of work-stealing" (Malakhov, Fiksman) come first: a minimal
// kernel, a conformance test of mathematical functions, a reduction, a scan, a sparse matrix times a vector with rows
// of equal and of very unequal length.
//
// NAME_prepare(n) makes the data of a loop of n iterations once; NAME_body(i, n) is one iteration; NAME_check(n)
// compares with what serial code gives. Everything is deterministic: every process does the same work. --arg says about
// how many picoseconds an iteration takes: short loops are run several times in a row, as programs do.
#pragma once

#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { kScanBlock = 1024, kRowLength = 16, kInner = 64, kStepsMean = 64 };

// ---- shared helpers -------------------------------------------------------------------------------------------------

static inline uint64_t loops_hash(uint64_t x) {
  x ^= x >> 31;
  x *= 0x7FB5D329728EA185u;
  x ^= x >> 27;
  x *= 0x81DADEF4BC2DD44Du;
  return x ^ x >> 33;
}

static inline void* loops_allocate(size_t bytes) {
  void* memory = NULL;
  if (posix_memalign(&memory, 64, bytes) != 0) abort();
  return memory;
}

// How often a loop is run for one figure: for about a millisecond; a region alone is said to take 200 ns.
static inline uint64_t loops_repeats(uint64_t n) {
  const uint64_t repeats = 1000000000 / (n * bench_arg() + 200000);
  return repeats != 0 ? repeats : 1;
}
static inline uint64_t loops_units(uint64_t n) { return n * loops_repeats(n); }

// One run more, before the clock starts, wakes the team and brings the data back to the threads that use them: the
// check before was one thread's. A loop longer than a millisecond does not need it.
static inline uint64_t loops_unclocked(uint64_t n) { return n * bench_arg() < 1000000000; }
static inline uint64_t loops_runs(uint64_t n) { return loops_unclocked(n) + loops_repeats(n); }

// for (uint64_t run = 0; loops_go_on(run, n); run++) the loop
static inline bool loops_go_on(uint64_t run, uint64_t n) {
  if (run == loops_unclocked(n)) bench_begin();
  if (run < loops_runs(n)) return true;
  bench_end();
  return false;
}

// Results, one word per iteration; each loop writes them all.
static uint64_t* loops_out;

static inline void loops_make_out(uint64_t n) {
  if (loops_out != NULL) return;
  loops_out = (uint64_t*)loops_allocate(n * sizeof(uint64_t));
}

// Every iteration wrote what it must, and the next run has to write it again.
static inline bool loops_check_out(uint64_t (*expected)(uint64_t i, uint64_t n), uint64_t n) {
  bool ok = true;
  for (uint64_t i = 0; i < n; i++) {
    ok = ok && loops_out[i] == expected(i, n);
    loops_out[i] = 0;
  }
  return ok;
}

// ---- minimal: almost nothing, few iterations ------------------------------------------------------------------------

static inline uint64_t minimal_value(uint64_t i, uint64_t n) { return 3 * i + n; }
static inline void minimal_body(uint64_t i, uint64_t n) { loops_out[i] = minimal_value(i, n); }
static inline void minimal_prepare(uint64_t n) { loops_make_out(n); }
static inline bool minimal_check(uint64_t n) { return loops_check_out(minimal_value, n); }

// ---- conformance: a mathematical function at many arguments, compared with another way to compute it ----------------

static inline uint64_t conformance_value(uint64_t i, uint64_t n) {
  const double x = (double)i / (double)n;
  const double difference = sin(x) * sin(x) + cos(x) * cos(x) - 1.0;
  return 1 + (uint64_t)(fabs(difference) > 1e-12);
}
static inline void conformance_body(uint64_t i, uint64_t n) { loops_out[i] = conformance_value(i, n); }
static inline uint64_t conformance_right(uint64_t i, uint64_t n) {
  (void)i;
  (void)n;
  return 1;
}
static inline void conformance_prepare(uint64_t n) { loops_make_out(n); }
static inline bool conformance_check(uint64_t n) { return loops_check_out(conformance_right, n); }

// ---- reduction: a sum -----------------------------------------------------------------------------------------------

static double* loops_numbers;
static inline void reduction_prepare(uint64_t n) {
  if (loops_numbers != NULL) return;
  loops_numbers = (double*)loops_allocate(n * sizeof(double));
  for (uint64_t i = 0; i < n; i++) loops_numbers[i] = (double)(i % 1024);
}
static inline bool reduction_right(double sum, uint64_t n) { // integers: exact in any order
  const uint64_t rest = n % 1024;
  const double expected = (double)(n / 1024) * (1023.0 * 512.0) + (double)(rest * (rest - 1) / 2);
  return sum == expected;
}

// ---- scan: prefix sums in blocks: sums of the blocks, their scan, then the elements ---------------------------------

static uint64_t* scan_sums;
static inline void scan_prepare(uint64_t n) {
  if (scan_sums != NULL) return;
  loops_make_out(n * kScanBlock);
  scan_sums = (uint64_t*)loops_allocate((n + 1) * sizeof(uint64_t));
}
static inline uint64_t scan_element(uint64_t k) { return loops_hash(k) & 255; }
static inline void scan_sum_body(uint64_t block) {
  uint64_t sum = 0;
  for (uint64_t k = block * kScanBlock; k < (block + 1) * kScanBlock; k++) sum += scan_element(k);
  scan_sums[block + 1] = sum;
}
static inline void scan_between(uint64_t n) {
  scan_sums[0] = 0;
  for (uint64_t block = 0; block < n; block++) scan_sums[block + 1] += scan_sums[block];
}
static inline void scan_write_body(uint64_t block) {
  uint64_t sum = scan_sums[block];
  for (uint64_t k = block * kScanBlock; k < (block + 1) * kScanBlock; k++) loops_out[k] = sum += scan_element(k);
}
static inline bool scan_check(uint64_t n) {
  uint64_t sum = 0;
  bool ok = true;
  for (uint64_t k = 0; k < n * kScanBlock; k++) {
    ok = ok && loops_out[k] == (sum += scan_element(k));
    loops_out[k] = 0;
  }
  return ok;
}

// ---- spmv: rows of a sparse matrix, all alike or a few that hold nearly everything ----------------------------------

static struct {
  uint64_t* begin; // [rows + 1]
  uint32_t* column;
  double *vector, *result;
} matrix;

// The first sixteenth of the rows has 15/16 of the elements: the shares of a static schedule differ by an order of
// magnitude.
static inline uint64_t row_length(uint64_t row, uint64_t rows, bool unbalanced) {
  if (!unbalanced) return kRowLength;
  return row < rows / 16 ? 15 * kRowLength : 1;
}

static inline void matrix_prepare(uint64_t rows, bool unbalanced) {
  if (matrix.begin != NULL) return;
  matrix.begin = (uint64_t*)loops_allocate((rows + 1) * sizeof(uint64_t));
  matrix.vector = (double*)loops_allocate(rows * sizeof(double));
  matrix.result = (double*)loops_allocate(rows * sizeof(double));
  matrix.begin[0] = 0;
  for (uint64_t row = 0; row < rows; row++) {
    matrix.begin[row + 1] = matrix.begin[row] + row_length(row, rows, unbalanced);
    matrix.vector[row] = (double)(row % 64);
  }
  matrix.column = (uint32_t*)loops_allocate(matrix.begin[rows] * sizeof(uint32_t));
  for (uint64_t k = 0; k < matrix.begin[rows]; k++) matrix.column[k] = (uint32_t)(loops_hash(k) % rows);
}
static inline double matrix_row(uint64_t row) {
  double sum = 0;
  for (uint64_t k = matrix.begin[row]; k < matrix.begin[row + 1]; k++) sum += 2.0 * matrix.vector[matrix.column[k]];
  return sum;
}
static inline bool matrix_check(uint64_t rows) {
  bool ok = true;
  for (uint64_t row = 0; row < rows; row++) {
    ok = ok && matrix.result[row] == matrix_row(row);
    matrix.result[row] = -1;
  }
  return ok;
}
static inline void spmv_prepare(uint64_t n) { matrix_prepare(n, false); }
static inline void spmv_body(uint64_t row, uint64_t n) {
  (void)n;
  matrix.result[row] = matrix_row(row);
}
static inline bool spmv_check(uint64_t n) { return matrix_check(n); }
static inline void spmv_unbalanced_prepare(uint64_t n) { matrix_prepare(n, true); }
static inline void spmv_unbalanced_body(uint64_t row, uint64_t n) { spmv_body(row, n); }
static inline bool spmv_unbalanced_check(uint64_t n) { return matrix_check(n); }

// ---- axpy: memory, one multiplication and addition an iteration -----------------------------------------------------

static double *axpy_x, *axpy_y;
static uint64_t axpy_runs;
static inline void axpy_prepare(uint64_t n) {
  if (axpy_x != NULL) return;
  axpy_x = (double*)loops_allocate(n * sizeof(double));
  axpy_y = (double*)loops_allocate(n * sizeof(double));
  for (uint64_t i = 0; i < n; i++) {
    axpy_x[i] = (double)(i % 128);
    axpy_y[i] = 0;
  }
}
static inline void axpy_body(uint64_t i, uint64_t n) {
  (void)n;
  axpy_y[i] += 2.0 * axpy_x[i];
}
static inline bool axpy_check(uint64_t n) {
  bool ok = true;
  axpy_runs += loops_runs(n);
  for (uint64_t i = 0; i < n; i++) ok = ok && axpy_y[i] == (double)axpy_runs * 2.0 * (double)(i % 128);
  return ok;
}

// ---- iterations of different lengths: a chain of multiplications each -----------------------------------------------

static inline uint64_t triangular_steps(uint64_t i, uint64_t n) { return 2 * kStepsMean * i / n; }
// Between 1 and 512, evenly on a logarithmic scale.
static inline uint64_t random_steps(uint64_t i, uint64_t n) {
  (void)n;
  return (uint64_t)1 << (loops_hash(i) % 10);
}
static inline uint64_t first_heavy_steps(uint64_t i, uint64_t n) { return i == 0 ? kStepsMean * n : kStepsMean; }
static inline uint64_t last_heavy_steps(uint64_t i, uint64_t n) { return i == n - 1 ? kStepsMean * n : kStepsMean; }

#define LOOPS_OF_STEPS(name)                                                                                           \
  static inline void name##_prepare(uint64_t n) { loops_make_out(n); }                                                 \
  static inline void name##_body(uint64_t i, uint64_t n) {                                                             \
    bench_spin(name##_steps(i, n));                                                                                    \
    loops_out[i] = minimal_value(i, n);                                                                                \
  }                                                                                                                    \
  static inline bool name##_check(uint64_t n) { return loops_check_out(minimal_value, n); }
LOOPS_OF_STEPS(triangular)
LOOPS_OF_STEPS(random)
LOOPS_OF_STEPS(first_heavy)
LOOPS_OF_STEPS(last_heavy)

// ---- sweep: --size iterations of --arg picoseconds ------------------------------------------------------------------

// An iteration is a chain of as many steps as nanoseconds: one is a multiplication and an addition that waits for it.
// Nothing is calibrated: a process that did it while the machine is slow would have less to do than the others. Ten
// steps have no branch between them, which a processor may foretell in one loop and not in the next. What an iteration
// writes is its own, so that no thread waits for its last addition, and of another type than a loop's bounds, so that
// the compiler need not fetch those again.
static struct {
  uint16_t* ran; // how often each did
  uint64_t tens, ones;
} sweep;

static inline void sweep_prepare(uint64_t n) {
  if (sweep.ran != NULL) return;
  sweep.ran = (uint16_t*)loops_allocate(n * sizeof(uint16_t));
  memset(sweep.ran, 0, n * sizeof(uint16_t));
  sweep.tens = bench_arg() / 10000;
  sweep.ones = bench_arg() / 1000 % 10;
}
static inline uint64_t sweep_step(uint64_t x) {
  x = x * 0x9E3779B97F4A7C15u + 1;
  __asm__ volatile("" : "+r"(x));
  return x;
}
static inline uint64_t sweep_five_steps(uint64_t x) {
  return sweep_step(sweep_step(sweep_step(sweep_step(sweep_step(x)))));
}
static inline void sweep_body(uint64_t i, uint64_t n) {
  uint64_t x = n;
  for (uint64_t one = 0; one < sweep.ones; one++) x = sweep_step(x);
  for (uint64_t ten = 0; ten < sweep.tens; ten++) x = sweep_five_steps(sweep_five_steps(x));
  sweep.ran[i]++;
}
static inline bool sweep_check(uint64_t n) {
  bool ok = true;
  for (uint64_t i = 0; i < n; i++) {
    ok = ok && sweep.ran[i] == loops_runs(n);
    sweep.ran[i] = 0;
  }
  return ok;
}

// ---- nested: a loop in each iteration of a loop ---------------------------------------------------------------------

static inline void nested_prepare(uint64_t n) { loops_make_out(n * kInner); }
static inline void nested_inner_body(uint64_t outer, uint64_t inner, uint64_t n) {
  const uint64_t at = outer * kInner + inner;
  bench_spin(16);
  loops_out[at] = minimal_value(at, n * kInner);
}
static inline bool nested_check(uint64_t n) { return loops_check_out(minimal_value, n * kInner); }
