// schedule(simd: runtime) with OMP_SCHEDULE=guided,n gave chunks that were multiples of the vector length, not of n
// times it.
// RUN: %clang-openmp %s -o %t
// RUN: env OMP_SCHEDULE=guided,2 %for-threads %t
// RUN: env OMP_SCHEDULE=trapezoidal,2 %for-threads %t
#include "support/check.h"
#include <stdint.h>

enum { kRuntimeSimd = 47, kVector = 4, kChunk = 2 * kVector, kIterations = 1003 };
void __kmpc_dispatch_init_4(void*, int32_t, int32_t schedule, int32_t lower, int32_t upper, int32_t step,
                            int32_t chunk);
int __kmpc_dispatch_next_4(void*, int32_t, int32_t* last, int32_t* lower, int32_t* upper, int32_t* step);
int32_t __kmpc_global_thread_num(void*);

int main(void) {
  for (int round = 0; round < 50; round++) {
    int executed = 0;
#pragma omp parallel reduction(+ : executed)
    {
      int32_t gtid = __kmpc_global_thread_num(0), last, lower, upper, step;
      __kmpc_dispatch_init_4(0, gtid, kRuntimeSimd, 0, kIterations - 1, 1, kVector);
      while (__kmpc_dispatch_next_4(0, gtid, &last, &lower, &upper, &step)) {
        CHECK(upper == kIterations - 1 || (upper - lower + 1) % kChunk == 0 || last); // a team of one has one chunk
        executed += upper - lower + 1;
      }
    }
    CHECK_EQ(executed, kIterations);
  }
  return 0;
}
