// Transforms of FFTW on its own OpenMP threads, called from outside and, one plan per thread, from inside our regions.
#include <complex.h>
#include <fftw3.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static void fill(fftw_complex* data, int count, int salt) {
  for (int i = 0; i < count; i++) data[i] = sin(i * 0.37 + salt) + I * cos(i * 0.11 * (salt + 1));
}

static void say(const char* name, const fftw_complex* data, int count) {
  double complex sum = 0;
  for (int i = 0; i < count; i++) sum += data[i] * (i % 17 - 8);
  printf("%s %.12g %.12g %.12g %.12g\n", name, creal(sum), cimag(sum), creal(data[1]), cimag(data[count / 3]));
}

static void transform(int threads, int rows, int columns) {
  int count = rows * columns;
  fftw_complex* in = fftw_alloc_complex((size_t)count);
  fftw_complex* out = fftw_alloc_complex((size_t)count);
  fftw_plan_with_nthreads(threads);
  fftw_plan there = fftw_plan_dft_2d(rows, columns, in, out, FFTW_FORWARD, FFTW_ESTIMATE);
  fftw_plan back = fftw_plan_dft_2d(rows, columns, out, in, FFTW_BACKWARD, FFTW_ESTIMATE);
  fill(in, count, threads);
  for (int round = 0; round < 10; round++) {
    fftw_execute(there);
    fftw_execute(back);
    for (int i = 0; i < count; i++) in[i] /= count;
  }
  fftw_execute(there);
  say("transform", out, count);
  fftw_destroy_plan(there);
  fftw_destroy_plan(back);
  fftw_free(in);
  fftw_free(out);
}

static void in_regions(void) {
  enum { kPlans = 8, kCount = 4096 };
  fftw_plan plans[kPlans];
  fftw_complex* data[kPlans];
  fftw_plan_with_nthreads(2); // regions inside our regions
  for (int i = 0; i < kPlans; i++) {
    data[i] = fftw_alloc_complex(kCount);
    plans[i] = fftw_plan_dft_1d(kCount, data[i], data[i], FFTW_FORWARD, FFTW_ESTIMATE);
    fill(data[i], kCount, i);
  }
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < kPlans; i++) fftw_execute(plans[i]);
  for (int i = 0; i < kPlans; i++) {
    say("inside", data[i], kCount);
    fftw_destroy_plan(plans[i]);
    fftw_free(data[i]);
  }
}

int main(void) {
  if (!fftw_init_threads()) return 1;
  int most = omp_get_max_threads();
  for (int threads = 1; threads <= most; threads++) transform(threads, 96, 128);
  in_regions();
  fftw_cleanup_threads();
  return 0;
}
