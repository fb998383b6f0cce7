// Loops of every schedule, one behind the other without barriers between; each iteration is done once, by whomever.
#include "support/check.h"
#include <omp.h>

enum { kIterations = 9, kSchedules = 7 };

static void schedules(void) {
  int done[kSchedules][kIterations] = {{0}}, last = -1;
  omp_set_schedule(omp_sched_guided, 2);
#pragma omp parallel shared(done, last)
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < kIterations; i++) done[0][i]++;
#pragma omp for schedule(static, 2) nowait
    for (int i = 0; i < kIterations; i++) done[1][i]++;
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < kIterations; i++) done[2][i]++;
#pragma omp for schedule(monotonic : dynamic, 2) nowait
    for (int i = 0; i < kIterations; i++) done[3][i]++;
#pragma omp for schedule(guided) nowait
    for (int i = 0; i < kIterations; i++) done[4][i]++;
#pragma omp for schedule(runtime) nowait
    for (int i = 0; i < kIterations; i++) done[5][i]++;
#pragma omp for schedule(nonmonotonic : dynamic) lastprivate(last)
    for (int i = 0; i < kIterations; i++) {
      done[6][i]++;
      last = i;
    }
    CHECK_EQ(last, kIterations - 1);
    for (int schedule = 0; schedule < 7; schedule++)
      for (int i = 0; i < kIterations; i++) CHECK_EQ(done[schedule][i], 1);
  }
}

static void in_order(void) {
  int order[4], next = 0, sum = 0;
#pragma omp parallel shared(order, next)
#pragma omp for ordered schedule(dynamic)
  for (int i = 0; i < 4; i++) {
#pragma omp ordered
    order[next++] = i;
  }
  for (int i = 0; i < 4; i++) CHECK_EQ(order[i], i);
#pragma omp parallel for collapse(2) schedule(dynamic) reduction(+ : sum)
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) sum += i * j;
  CHECK_EQ(sum, 9);
}

static void doacross(void) {
  int cells[5] = {1};
#pragma omp parallel shared(cells)
#pragma omp for ordered(1) schedule(static, 1)
  for (int i = 1; i < 5; i++) {
#pragma omp ordered depend(sink : i - 1)
    cells[i] = cells[i - 1] * 2;
#pragma omp ordered depend(source)
  }
  CHECK_EQ(cells[4], 16);
}

int main(void) {
  schedules();
  in_order();
  doacross();
  return 0;
}
