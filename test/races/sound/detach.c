// Without a fault: a task ends when another one fulfils its event.
// RUN: %chomp-cc -O2 %s -o %t
// RUN: %chomp-explore --runs 100 --seconds 0 %t 2>&1 | FileCheck %s
// CHECK: nothing found
#include <omp.h>
#include <stdio.h>

static int u[16];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp task detach(event)
    u[0] = 1;
#pragma omp task firstprivate(event)
    {
      u[1] = 2;
      omp_fulfill_event(event);
    }
#pragma omp taskwait
    u[2] = u[0] + u[1];
  }
  printf("%d\n", u[2]);
}
