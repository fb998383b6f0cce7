// Each section runs once; a single region runs on one thread, and copyprivate gives its values to all; critical regions
// exclude one another by name; atomic updates without an instruction lose nothing.
// REQUIRES: gomp
// RUN: %gcc-openmp %s -o %t && %for-threads %t
#include "support/at_a_time.h"
#include "support/check.h"
#include <omp.h>

extern unsigned GOMP_sections_start(unsigned);
extern unsigned GOMP_sections_next(void);
extern void GOMP_sections_end_nowait(void);

static void sections(void) {
  int seen[4] = {0};
  long last = 0;
#pragma omp parallel
#pragma omp sections lastprivate(last)
  {
    ATOMIC_ADD(seen[0], 1), last = 1;
#pragma omp section
    ATOMIC_ADD(seen[1], 1), last = 2;
#pragma omp section
    ATOMIC_ADD(seen[2], 1), last = 3;
  }
  CHECK_EQ(last, 3);
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    ATOMIC_ADD(seen[0], 1);
#pragma omp section
    ATOMIC_ADD(seen[3], 1);
  }
  CHECK(seen[0] == 2 && seen[1] == 1 && seen[2] == 1 && seen[3] == 1);

  // Many, without a barrier between them.
  int count = 0;
#pragma omp parallel
  for (unsigned round = 0; round < 30; round++) {
    for (unsigned section = GOMP_sections_start(round); section != 0; section = GOMP_sections_next()) {
      CHECK(section <= round);
      ATOMIC_ADD(count, (int)section);
    }
    GOMP_sections_end_nowait();
  }
  int expected = 0;
  for (int round = 0; round < 30; round++) expected += round * (round + 1) / 2;
  CHECK_EQ(count, expected);
}

static void singles(void) {
  int ran = 0, nowait = 0;
  struct {
    long a;
    double b[9];
  } big;
  char small;
#pragma omp parallel private(big, small)
  for (int round = 0; round < 50; round++) {
#pragma omp single copyprivate(big, small)
    {
      ATOMIC_ADD(ran, 1);
      big.a = round, big.b[8] = round * 0.5, small = (char)round;
    }
    CHECK(big.a == round && big.b[8] == round * 0.5 && small == (char)round);
#pragma omp single nowait
    ATOMIC_ADD(nowait, 1);
#pragma omp single
    {
      CHECK_EQ(ran, round + 1);
    }
  }
  CHECK(ran == 50 && nowait == 50);
}

static void exclusion(void) {
  long unnamed = 0, first = 0, second = 0, inside = 0, n = 0, careless = 0;
  long double sum = 0;
  int tries = 0;
  do {
#pragma omp parallel
    for (int i = 0; i < 500; i++) {
      add_carelessly(&careless);
#pragma omp critical
      unnamed++;
#pragma omp critical(one)
      first++;
#pragma omp critical(two)
      {
        CHECK_EQ(inside, 0);
        inside = 1;
        second++;
#pragma omp critical(three)
        inside = 0;
      }
#pragma omp atomic
      sum += 1;
    }
    n += 500L * omp_get_max_threads();
  } while (have_to_run_at_a_time(n, careless, omp_get_max_threads(), &tries));
  CHECK(unnamed == n && first == n && second == n);
  CHECK(sum == n);
}

int main(void) {
  for (int round = 0; round < 20; round++) {
    sections();
    singles();
  }
  exclusion();
  return 0;
}
