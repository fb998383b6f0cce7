// Without a fault: tasks take memory of the stack: alloca(), arrays whose length is only known when they are made,
// large ones, large frames, one task after the other and one on top of another.
// RUN: %at-each-level --runs 15 %t %s
#include <alloca.h>
#include <stdio.h>
#include <string.h>

static int sums[64];

static __attribute__((noinline)) int add(const char* list, int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += list[i];
  return sum;
}
static __attribute__((noinline)) int of_alloca(int count, int value) {
  char* list = alloca(count);
  memset(list, value, count);
  return add(list, count);
}
static __attribute__((noinline)) int of_array(int count, int value) {
  char list[count];
  memset(list, value, count);
  return add(list, count);
}
static __attribute__((noinline)) int of_frame(int value) {
  char list[(1 << 20) + 4096];
  for (unsigned i = 0; i < sizeof list; i += 4096) list[i] = value;
  return list[4096] + list[1 << 20];
}

// Like BOTS's nqueens: a board for each task, copied from its creator's.
static __attribute__((noinline)) void place(int count, int at, const char* board, int* found) {
  if (at == count) {
    *found = add(board, count) > 0;
    return;
  }
  int each[count];
  for (int i = 0; i < count; ++i) {
    each[i] = 0;
#pragma omp task shared(each) firstprivate(i)
    {
      char* own = alloca(count);
      memcpy(own, board, count);
      own[at] = i + 1;
      place(count, at + 1, own, &each[i]);
    }
  }
#pragma omp taskwait
  *found = 0;
  for (int i = 0; i < count; ++i) *found += each[i];
}

int main(int argc, char** argv) {
  int found = 0, count = 3 + argc;
  (void)argv;
#pragma omp parallel
#pragma omp single
  {
    for (int k = 0; k < 6; ++k) {
#pragma omp task firstprivate(k)
      {
        char* own = alloca(count);
        memset(own, k, count);
        sums[k] = add(own, count);
      }
#pragma omp task firstprivate(k)
      {
        char own[count];
        memset(own, k, count);
        sums[8 + k] = add(own, count);
      }
#pragma omp task firstprivate(k)
      sums[16 + k] = of_alloca(100 * count, k) + of_array(10000 * count, k);
#pragma omp task firstprivate(k)
      sums[24 + k] = of_frame(k);
#pragma omp task firstprivate(k)
      {
#pragma omp taskyield
        char own[40 * count];
        memset(own, k, sizeof own);
        sums[32 + k] = add(own, count);
      }
    }
#pragma omp taskwait
    place(3, 0, "", &found);
  }
  int sum = found;
  for (int i = 0; i < 64; ++i) sum += sums[i];
  printf("%d\n", sum);
}
