// The chunks of a doacross loop are handed out in the loop's order, also if compilers that take nonmonotonic for the
// default say so: an iteration waits for earlier ones, which must not be the other half of the loop.
// RUN: %clang-openmp %s -o %t && env OMP_SCHEDULE=dynamic %for-threads -t "2 3 8" %t
#include "support/check.h"
#include <omp.h>

enum { kIterations = 3000 };
static int value[kIterations];

#define PRAGMA(...) _Pragma(#__VA_ARGS__)
#define DOACROSS(schedule)                                                                                             \
  do {                                                                                                                 \
    int begun = 0, threads = omp_get_max_threads();                                                                    \
    PRAGMA(omp parallel for ordered(1) schedule) for (int i = 1; i < kIterations; i++) {                               \
      CHECK(__atomic_fetch_add(&begun, 1, __ATOMIC_RELAXED) >= i - threads); /* the others may have one each */        \
      _Pragma("omp ordered depend(sink : i - 1)") value[i] = value[i - 1] + 1;                                         \
      _Pragma("omp ordered depend(source)")                                                                            \
    }                                                                                                                  \
    CHECK_EQ(value[kIterations - 1], kIterations - 1);                                                                 \
  } while (0)

int main(void) {
  DOACROSS(schedule(dynamic));
  DOACROSS(schedule(runtime));
  return 0;
}
