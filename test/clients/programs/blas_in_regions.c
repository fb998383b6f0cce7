// Matrix products of OpenBLAS, whose OpenMP calls are GCC's, from a program whose own calls are Clang's: outside of
// regions, inside, in tasks, and in turn with loops of ours.
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

void cblas_dgemm(int order, int transpose_a, int transpose_b, int m, int n, int k, double alpha, const double* a,
                 int lda, const double* b, int ldb, double beta, double* c, int ldc);

enum { kSize = 160, kMatrices = 6 };
static double a[kMatrices][kSize * kSize], c[kMatrices][kSize * kSize];

static void multiply(int i) {
  cblas_dgemm(101, 111, 111, kSize, kSize, kSize, 1.0, a[i], kSize, a[(i + 1) % kMatrices], kSize, 0.0, c[i], kSize);
}

static void say(const char* name) {
  for (int i = 0; i < kMatrices; i++) {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
    for (int k = 0; k < kSize * kSize; k++) sum += c[i][k] * (k % 13);
    printf("%s %.12g\n", name, sum);
  }
}

int main(void) {
  for (int round = 0; round < 5; round++) {
#pragma omp parallel for
    for (int i = 0; i < kMatrices; i++)
      for (int k = 0; k < kSize * kSize; k++) a[i][k] = sin(k * 0.01 + i + round);
    for (int i = 0; i < kMatrices; i++) multiply(i);
    say("outside");
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < kMatrices; i++) multiply(i);
    say("inside");
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < kMatrices; i++)
#pragma omp task
      multiply(i);
    say("tasks");
  }
  return 0;
}
