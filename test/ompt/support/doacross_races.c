// Doacross loops over one and two dimensions: each iteration waits for those whose values it reads. With -DRACE=1 one
// dimension of the second is not waited for; with 2 an iteration posts before it writes.
#include <stdio.h>

#ifndef RACE
#define RACE 0
#endif

enum { N = 40 };
static long line[N], plane[N][N];

int main(void) {
#pragma omp parallel num_threads(4)
  {
#pragma omp for ordered(1) schedule(static, 1)
    for (int i = 2; i < N; i++) {
#pragma omp ordered depend(sink : i - 2)
#if RACE == 2
#pragma omp ordered depend(source)
#endif
      line[i] = line[i - 2] + i;
#if RACE != 2
#pragma omp ordered depend(source)
#endif
    }
#pragma omp for ordered(2) schedule(static, 1)
    for (int i = 1; i < N; i++)
      for (int j = 1; j < N; j++) {
#if RACE == 1
#pragma omp ordered depend(sink : i, j - 1)
#else
#pragma omp ordered depend(sink : i, j - 1) depend(sink : i - 1, j)
#endif
        plane[i][j] = (plane[i - 1][j] + plane[i][j - 1] + 1) % 1000;
#pragma omp ordered depend(source)
      }
  }
  printf("%ld %ld\n", line[N - 1], plane[3][3]);
  return 0;
}
