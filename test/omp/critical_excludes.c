// Critical sections of one name exclude one another, with and without hints, in tasks too; different names do not;
// atomics are atomic, for all sizes.
// RUN: %clang-openmp %s -o %t -latomic && %for-threads %t
#include "support/at_a_time.h"
#include "support/check.h"
#include <omp.h>

int main(void) {
  long a = 0, b = 0, c = 0, tasks = 0, nested = 0, careless = 0, n = 0;
  char small = 0;
  short medium = 0;
  float real = 0;
  double large = 0;
  long double huge = 0;
  _Complex double complex_sum = 0;
  enum { kRounds = SCALED(1600) };
  int threads = 0, tries = 0;
  do {
#pragma omp parallel
    {
#pragma omp single nowait
      threads = omp_get_num_threads();
      for (int i = 0; i < kRounds; i++) {
#pragma omp critical
        a++;
#pragma omp critical(named)
        b++;
#pragma omp critical(hinted) hint(omp_sync_hint_contended)
        c++;
#pragma omp critical(outer)
        {
#pragma omp critical(inner)
          nested++;
        }
        if (i % 16 == 0)
#pragma omp task shared(tasks)
#pragma omp critical(named)
          tasks++;
#pragma omp atomic
        small++;
#pragma omp atomic
        medium += 3;
#pragma omp atomic
        real += 1;
#pragma omp atomic
        large += 2;
#pragma omp atomic
        huge += 1;
#pragma omp atomic
        complex_sum += 1;
        add_carelessly(&careless);
      }
    }
    n += (long)threads * kRounds;
  } while (have_to_run_at_a_time(n, careless, threads, &tries));
  CHECK_EQ(a, n);
  CHECK_EQ(b, n);
  CHECK_EQ(c, n);
  CHECK_EQ(nested, n);
  CHECK_EQ(tasks, n / kRounds * ((kRounds + 15) / 16));
  CHECK_EQ(small, (char)n);
  CHECK_EQ(medium, (short)(3 * n));
  CHECK(real == n && large == 2.0 * n && huge == n && __real__ complex_sum == n);
  return 0;
}
