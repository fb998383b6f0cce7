// A planted fault: the event is fulfilled, but nobody waits for the task.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore --seconds 60 %t 2>&1 | FileCheck %s
// CHECK: data race: `u[1]`
#include <omp.h>
#include <stdio.h>

static int u[16];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : u[0])
    u[0] = 1;
#pragma omp task firstprivate(event)
    {
      omp_fulfill_event(event);
      u[1] = 2;
    }
#pragma omp task depend(in : u[0])
    u[2] = u[0] + u[1];
  }
  printf("%d\n", u[2] > 0);
}
