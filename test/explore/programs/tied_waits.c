// For tools/explore: members wait in tied tasks for children that others have taken, and request tasks of those.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static int tree(int depth) {
  if (depth == 0) return 1;
  int a, b;
#pragma omp task shared(a)
  a = tree(depth - 1);
#pragma omp task shared(b)
  b = tree(depth - 1);
#pragma omp taskwait
  return a + b;
}

static int tree_of_groups(int depth) {
  if (depth == 0) return 1;
  int a, b;
#pragma omp taskgroup
  {
#pragma omp task shared(a)
    a = tree_of_groups(depth - 1);
#pragma omp task shared(b)
    b = tree_of_groups(depth - 1);
  }
  return a + b;
}

int main(void) {
  for (int round = 0; round < 2; round++) {
    int leaves = 0, leaves_of_groups = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(leaves)
      leaves = tree(4);
#pragma omp task shared(leaves_of_groups)
      leaves_of_groups = tree_of_groups(3);
    }
    if (leaves != 16 || leaves_of_groups != 8) {
      fprintf(stderr, "round %d: %d and %d leaves\n", round, leaves, leaves_of_groups);
      exit(1);
    }
  }
  return 0;
}
