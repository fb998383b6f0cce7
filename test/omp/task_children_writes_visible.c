// After taskwait a parent sees what its children wrote with plain stores, whoever ran them.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"

struct result {
  long sum;
  long leaves;
  int filled[16];
};

static void tree(int depth, struct result* result) {
  if (depth == 0) {
    burn(200);
    *result = (struct result){.sum = 3, .leaves = 1};
    for (int i = 0; i < 16; i++) result->filled[i] = i + 1;
    return;
  }
  struct result children[3] = {{0}};
  for (int i = 0; i < 3; i++)
#pragma omp task shared(children) firstprivate(i)
    tree(depth - 1, &children[i]);
#pragma omp taskwait
  *result = (struct result){.sum = 1};
  for (int i = 0; i < 3; i++) {
    CHECK(children[i].leaves > 0);
    for (int k = 0; k < 16; k++) CHECK_EQ(children[i].filled[k], k + 1);
    result->sum += children[i].sum;
    result->leaves += children[i].leaves;
  }
  for (int i = 0; i < 16; i++) result->filled[i] = i + 1;
}

int main(void) {
  const int depth = 8;
  long leaves = 1, inner = 0;
  for (int i = 0; i < depth; i++) inner += leaves, leaves *= 3;
  struct result result;
#pragma omp parallel
#pragma omp single
  tree(depth, &result);
  CHECK_EQ(result.leaves, leaves);
  CHECK_EQ(result.sum, 3 * leaves + inner);
  return 0;
}
