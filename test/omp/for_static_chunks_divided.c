// schedule(static, chunk) deals chunks round robin, also if there are fewer of them than threads. The code that LLVM's
// IR builder makes, as Flang does, divides by the stride that the library gives, so that a stride of 0 ends the
// program. Without a chunk it passes bounds that hold every value of the type where the loop has no iteration.
// The IR builder of Clang 19 crashes on such loops where a sanitizer is asked for.
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp -Xclang -fopenmp-enable-irbuilder %s -o %t && %for-threads -t "1 2 3 8" %t
// RUN: %clang-openmp %s -o %t && %for-threads -t "1 2 3 8" %t
#include "support/check.h"
#include <omp.h>

enum { kMost = 12 };
static int owner[kMost], runs[kMost];

// A function for each loop, called by each thread: the IR builder of Clang 19 makes little more than this.
#define PRAGMA(text) _Pragma(#text)
#define LOOP(NAME, CHUNK, TYPE) LOOP_OF(NAME, schedule(static, CHUNK), TYPE)
#define LOOP_OF(NAME, CLAUSE, TYPE)                                                                                    \
  static void NAME(int length, int id) {                                                                               \
    PRAGMA(omp for CLAUSE)                                                                                             \
    for (TYPE i = 0; i < (TYPE)length; i++) {                                                                          \
      owner[i] = id;                                                                                                   \
      runs[i]++;                                                                                                       \
    }                                                                                                                  \
  }
LOOP(int_1, 1, int)
LOOP(int_2, 2, int)
LOOP(int_5, 5, int)
LOOP(int_20, 20, int)
LOOP(unsigned_3, 3, unsigned)
LOOP(long_1, 1, long)
LOOP(unsigned_long_4, 4, unsigned long)
LOOP_OF(int_block, schedule(static), int)
LOOP_OF(unsigned_block, , unsigned)
LOOP_OF(long_block, schedule(static), long)

static void check(void (*loop)(int, int), int length, int chunk) {
  for (int i = 0; i < kMost; i++) runs[i] = 0;
#pragma omp parallel
  loop(length, omp_get_thread_num());
  for (int i = 0; i < kMost; i++) {
    CHECK_EQ(runs[i], i < length);
    if (i < length && chunk != 0) CHECK_EQ(owner[i], i / chunk % omp_get_max_threads());
  }
}

int main(void) {
  for (int length = 0; length <= kMost; length++) {
    check(int_1, length, 1);
    check(int_2, length, 2);
    check(int_5, length, 5);
    check(int_20, length, 20);
    check(unsigned_3, length, 3);
    check(long_1, length, 1);
    check(unsigned_long_4, length, 4);
    check(int_block, length, 0);
    check(unsigned_block, length, 0);
    check(long_block, length, 0);
  }
  return 0;
}
