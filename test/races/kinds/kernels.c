// Small numerical programs.
#include "kinds.h"

enum { kSize = 6 };
static double x[kSize + 2][kSize + 2], y[kSize + 2][kSize + 2], z[kSize + 2][kSize + 2];

static long code_of(double m[kSize + 2][kSize + 2]) {
  double sum = 0;
  for (int i = 0; i < kSize + 2; ++i)
    for (int j = 0; j < kSize + 2; ++j) sum += m[i][j];
  return (long)(sum * 1000);
}

PROGRAM(relaxation_in_place) {
  x[0][3] = 1;
#pragma omp parallel for
  for (int i = 1; i <= kSize; ++i)
    for (int j = 1; j <= kSize; ++j)
      FAULT(x) CURE(y)[i][j] = (x[i - 1][j] + x[i + 1][j] + x[i][j - 1] + x[i][j + 1]) / 4;
  return code_of(y);
}

PROGRAM(residual_of_a_sweep) {
  double error = 0, change;
  x[2][2] = 1;
#pragma omp parallel for private(change) CURE(reduction(+ : error))
  for (int i = 1; i <= kSize; ++i)
    for (int j = 1; j <= kSize; ++j) {
      change = x[i][j] - x[i - 1][j];
      error += change * change;
    }
  return error > 0;
}

PROGRAM(matrix_product) {
  double sum;
  for (int i = 0; i < kSize; ++i) x[i][i] = y[i][i] = i;
#pragma omp parallel for CURE(private(sum))
  for (int i = 0; i < kSize; ++i)
    for (int j = 0; j < kSize; ++j) {
      sum = 0;
      for (int k = 0; k < kSize; ++k) sum += x[i][k] * y[k][j];
      z[i][j] = sum;
    }
  return code_of(z);
}

PROGRAM(matrix_times_vector_by_columns) {
  double result[kSize] = {0};
#pragma omp parallel for
  for (int j = 0; j < kSize; ++j)
    for (int i = 0; i < kSize; ++i) {
      CURE(OMP(atomic))
      result[i] += x[i][j] + 1;
    }
  return (long)result[0];
}

PROGRAM(elimination) {
  for (int i = 0; i < kSize; ++i)
    for (int j = 0; j < kSize; ++j) x[i][j] = i == j ? 8 : 1;
#pragma omp parallel num_threads(3)
  for (int k = 0; k + 1 < kSize; ++k) {
#pragma omp for schedule(static, 1) FAULT(nowait)
    for (int i = k + 1; i < kSize; ++i) {
      double factor = x[i][k] / x[k][k];
      for (int j = k; j < kSize; ++j) x[i][j] -= factor * x[k][j];
    }
  }
  return code_of(x);
}

PROGRAM(forces_in_pairs) {
  double force[kSize] = {0};
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < kSize; ++i)
    for (int j = 0; j < kSize; ++j) {
      if (i == j) continue;
      force[i] += j - i;
      FAULT(force[j] -= j - i);
    }
  return (long)force[0] != 1;
}

PROGRAM(histogram) {
  int bins[4] = {0};
#pragma omp parallel for CURE(reduction(+ : bins))
  for (int i = 0; i < 12; ++i) bins[i * i % 4]++;
  return bins[0] > 0;
}

PROGRAM(sparse_rows) {
  static const int begin[] = {0, 2, 3, 5, 6}, column[] = {0, 1, 1, 2, 3, 3};
  double out[4] = {0};
#pragma omp parallel for
  for (int row = 0; row < 4; ++row)
    for (int at = begin[row]; at < begin[row + 1]; ++at) out[FAULT(column[at]) CURE(row)] += column[at] + 1.0;
  return out[0] > 0;
}

static long fib(int n) {
  long left, right;
  if (n < 2) return n;
#pragma omp task shared(left)
  left = fib(n - 1);
  right = fib(n - 2);
  CURE(OMP(taskwait))
  return left + right;
}

// SAYS: (data race|use after scope): a local variable(.|\n)*in the task made at(.|\n)*is a `taskwait` missing
PROGRAM(fibonacci) {
  long result = 0;
#pragma omp parallel
#pragma omp single
  result = fib(5);
  return FAULT(0 *) result;
}

static void sort(int* list, int count) {
  if (count < 2) return;
  int last = 0;
  for (int i = 1; i < count; ++i)
    if (list[i] < list[0]) {
      int swapped = list[++last];
      list[last] = list[i];
      list[i] = swapped;
    }
  int pivot = list[last];
  list[last] = list[0];
  list[0] = pivot;
#pragma omp task
  sort(list, last FAULT(+1));
#pragma omp task
  sort(list + last FAULT(-1) + 1, count - last - 1 FAULT(+1));
  CURE(OMP(taskwait))
}

PROGRAM(sort_by_halves) {
  int list[] = {5, 2, 7, 1, 9, 3};
#pragma omp parallel num_threads(2)
#pragma omp single
  sort(list, 6);
  return FAULT(0 *) list[0];
}

PROGRAM(blocks_of_a_wavefront) {
  static int block[4][4];
#pragma omp parallel
#pragma omp single
  for (int i = 1; i < 4; ++i)
    for (int j = 1; j < 4; ++j) {
#pragma omp task depend(in : block[i - 1][j] CURE(, block[i][j - 1])) depend(out : block[i][j])
      block[i][j] = block[i - 1][j] + block[i][j - 1] + 1;
    }
  return FAULT(0 *) block[3][3];
}
