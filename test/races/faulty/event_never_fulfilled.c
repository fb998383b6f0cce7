// A planted fault: nobody fulfils the event of a detached task.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore --seconds 60 %t 2>&1 | FileCheck %s
// CHECK: deadlock
// CHECK: has run, but nobody fulfils its event
#include <omp.h>
#include <stdio.h>

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp task detach(event)
    (void)event;
#pragma omp taskwait
  }
  puts("done");
}
