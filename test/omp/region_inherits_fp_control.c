// The threads of a region have the rounding mode, and whether tiny results are flushed to zero, of the thread that
// began it, whatever they had in regions before; nested regions those of theirs. What a member sets inside lasts no
// longer than the region. With KMP_INHERIT_FP_CONTROL=false threads keep what they have.
// RUN: %clang-openmp %s -o %t -lm && %for-threads %t
// RUN: env KMP_INHERIT_FP_CONTROL=false %chomp-run %t keep
// RUN: %if gomp %{ %gcc-openmp %s -o %t.gcc -lm && %for-threads %t.gcc %}
#include "support/check.h"
#include <fenv.h>
#include <float.h>
#include <omp.h>
#include <pthread.h>
#ifdef __x86_64__
#include <xmmintrin.h>
#endif

static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
static volatile double one = 1, three = 3;
static volatile float tiny = FLT_MIN;

static double third_rounded(int mode) {
  int before = fegetround();
  fesetround(mode);
  double third = one / three;
  fesetround(before);
  return third;
}

static void expect(int mode) {
  CHECK_EQ(fegetround(), mode);
  CHECK(one / three == third_rounded(mode));
}

static void in_region(int mode, int levels) {
#pragma omp parallel
  {
    expect(mode);
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 20; i++) expect(mode);
#pragma omp single
    for (int i = 0; i < 20; i++) {
#pragma omp task
      expect(mode);
    }
    if (levels > 1) in_region(mode, levels - 1);
#pragma omp barrier
    if (omp_get_thread_num() % 2 == 1) fesetround(FE_DOWNWARD); // gone in the next region
    if (levels > 1 && omp_get_thread_num() % 2 == 1) in_region(FE_DOWNWARD, levels - 1);
  }
}

static void* other_thread(void* unused) {
  CHECK_EQ(fesetround(FE_DOWNWARD), 0);
  in_region(FE_DOWNWARD, 2);
  return unused;
}

#ifdef __x86_64__
static void flushes(int wanted) {
  int right = 0;
#pragma omp parallel reduction(+ : right)
  right += (tiny / 4 == 0) == wanted;
  CHECK_EQ(right, omp_get_max_threads());
}
#endif

static void keep(void) {
#pragma omp parallel num_threads(4)
  CHECK_EQ(fegetround(), FE_TONEAREST);
  fesetround(FE_UPWARD);
  int kept = 0;
#pragma omp parallel num_threads(4) reduction(+ : kept)
  kept += fegetround() == FE_TONEAREST;
  CHECK_EQ(kept, 3);
}

int main(int argc, char** argv) {
  (void)argv;
  if (argc > 1) return keep(), 0;
  omp_set_max_active_levels(2);
  for (int round = 0; round < 3; round++)
    for (int i = 0; i < 4; i++) {
      CHECK_EQ(fesetround(modes[i]), 0);
      in_region(modes[i], 2);
      in_region(modes[i], 1);
      expect(modes[i]);
    }
  fesetround(FE_TONEAREST);
  pthread_t other;
  CHECK_EQ(pthread_create(&other, NULL, other_thread, NULL), 0);
  in_region(FE_TONEAREST, 1);
  CHECK_EQ(pthread_join(other, NULL), 0);
#ifdef __x86_64__
  flushes(0);
  _mm_setcsr(_mm_getcsr() | 0x8040); // flush to zero, denormals are zero
  flushes(1);
  _mm_setcsr(_mm_getcsr() & ~0x8040u);
  flushes(0);
#endif
  return 0;
}
