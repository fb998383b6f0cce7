// calibrate N: trees of empty tasks, N deep, and tasks with dependences. tools/scale replay records it, to learn what
// recording itself costs.
#include <stdlib.h>

enum { kRounds = 8, kDependent = 1024 };

static char cells[64];

static void tree(int depth) {
  if (depth == 0) return;
#pragma omp task
  tree(depth - 1);
#pragma omp task
  tree(depth - 1);
#pragma omp taskwait
}

static void group_tree(int depth) {
  if (depth == 0) return;
#pragma omp taskgroup
  {
#pragma omp task
    group_tree(depth - 1);
#pragma omp task
    group_tree(depth - 1);
  }
}

static void dependent(void) {
  for (int i = 0; i < kDependent; ++i)
#pragma omp task depend(inout : cells[i % 64])
    __asm__ volatile("" ::: "memory");
#pragma omp taskwait
}

int main(int count, char** words) {
  const int depth = count > 1 ? atoi(words[1]) : 0;
#pragma omp parallel num_threads(1)
  for (int i = 0; i < kRounds; ++i) {
    tree(depth);
    group_tree(depth);
    dependent();
  }
  return 0;
}
