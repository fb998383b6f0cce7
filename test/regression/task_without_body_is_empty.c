// A task with dependences whose routine is null, which is how some compilers write `taskwait depend(…) nowait`,
// crashed. It does nothing, in its order.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <stddef.h>
#include <stdint.h>

typedef struct {
  size_t address, length;
  unsigned char flags;
} Dependence;
void* __kmpc_omp_task_alloc(void*, int32_t, int32_t flags, size_t payload, size_t shareds, void* routine);
int32_t __kmpc_omp_task_with_deps(void*, int32_t, void* task, int32_t count, const Dependence*, int32_t,
                                  const Dependence*);

int main(void) {
  for (int round = 0; round < 200; round++) {
    int first = 0, second = 0, sum = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(first) depend(out : first)
      first = 1;
#pragma omp task shared(second) depend(out : second)
      second = 2;
      Dependence both[] = {{(size_t)&first, 4, 3}, {(size_t)&second, 4, 3}};
      __kmpc_omp_task_with_deps(0, 0, __kmpc_omp_task_alloc(0, 0, 1, 40, 0, NULL), 2, both, 0, NULL);
#pragma omp task shared(first, second, sum) depend(in : first)
      sum = first + second; // ordered after the second task through the empty one
    }
    CHECK_EQ(sum, 3);
  }
  return 0;
}
