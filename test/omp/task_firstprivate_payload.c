// Large firstprivate payloads reach their tasks whole, however many wait, and wherever they run; over-aligned ones too.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <stdint.h>
#include <string.h>

struct kibibyte {
  unsigned char bytes[1024];
};
struct big {
  unsigned char bytes[100 * 1024];
};
struct aligned {
  _Alignas(64) long value[9];
};

static int filled_with(const unsigned char* bytes, size_t n, unsigned char value) {
  for (size_t i = 0; i < n; i++)
    if (bytes[i] != value) return 0;
  return 1;
}

int main(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < SCALED(8000); i++) {
      struct kibibyte small;
      memset(&small, i, sizeof small);
#pragma omp task firstprivate(small, i) shared(done)
      {
        CHECK(filled_with(small.bytes, sizeof small, (unsigned char)i));
        memset(&small, 0xee, sizeof small);
        ATOMIC_ADD(done, 1);
      }
    }
    static struct big big;
    for (int i = 0; i < SCALED(320); i++) {
      memset(&big, i, sizeof big);
#pragma omp task firstprivate(big, i) shared(done)
      {
        CHECK(filled_with(big.bytes, sizeof big, (unsigned char)i));
        memset(&big, 0xdd, sizeof big);
        ATOMIC_ADD(done, 1);
      }
    }
    for (long i = 0; i < SCALED(1600); i++) {
      struct aligned aligned = {{i}};
      aligned.value[8] = -i;
#pragma omp task firstprivate(aligned, i) shared(done)
      {
        CHECK_EQ((uintptr_t)&aligned % 16, 0);
        CHECK_EQ(aligned.value[0], i);
        CHECK_EQ(aligned.value[8], -i);
        ATOMIC_ADD(done, 1);
      }
    }
  }
  CHECK_EQ(done, SCALED(8000) + SCALED(320) + SCALED(1600));
  return 0;
}
