// Without a fault: only some iterations, sections or branches use a variable. Compilers like to read it before the
// loop, or both of two neighbours before the branch: in a program compiled for this they do not.
// RUN: %at-each-level %t %s
// RUN: %at-each-level %t.gnu --compilers gcc %s -march=x86-64-v3
// RUN: %at-each-level %t.llvm --compilers clang %s -march=x86-64-v3
#include <stdio.h>

int first, number;
struct Pair {
  int left, right;
} pair = {1, 2}, * volatile shown = &pair;
double table[64];
long sums[2];
struct Key {
  long a, b, c, d;
} key = {1, 0, 0, 0}, other = {2, 0, 0, 0};

static __attribute__((noinline)) int choose(const struct Pair* from, int left) {
  return left ? from->left : from->right;
}

static __attribute__((noinline)) int same(const struct Key* a, const struct Key* b) {
  return a->a == b->a && a->b == b->b && a->c == b->c && a->d == b->d;
}

static __attribute__((noinline)) void scale(double* to, const double* from, int which) {
  for (int i = 0; i < 32; ++i)
    if (i == which) to[i] = from[i] * 2;
}

int main(void) {
  int equal = 0;
#pragma omp parallel for
  for (int i = 0; i < 8; ++i)
    if (i == 3) first += 1;
#pragma omp parallel sections
  {
#pragma omp section
    for (int i = 0; i < 4; ++i) number += i;
#pragma omp section
    for (int i = 0; i < 4; ++i) sums[0] += i;
  }
#pragma omp parallel for
  for (int i = 0; i < 16; ++i) {
    if (i == 5) pair.left = choose(shown, 1) + 1;
    if (i == 6) pair.right = choose(shown, 0) + 1;
    if (i == 7) scale(table, table + 32, 7);
    if (i == 8) scale(table, table + 32, 8);
  }
#pragma omp parallel sections reduction(+ : equal)
  {
#pragma omp section
    equal += same(&key, &other);
#pragma omp section
    key.d = 4;
  }
  int found = 0;
#pragma omp parallel for
  for (int i = 0; i < 64; ++i)
    if (table[i] > 1) found = i;
  printf("%d %d %ld %d %d %d %d\n", first, number, sums[0], pair.left, pair.right, equal, found);
}
