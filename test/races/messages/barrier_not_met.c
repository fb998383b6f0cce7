// RUN: %each-message %t %s
// SAYS: chomp explore: barrier not met by all: of the parallel region at barrier_not_met.c:9
// SAYS:     thread [01] waits at a barrier at barrier_not_met.c:12
// SAYS:     thread [01] waits at the end of the parallel region
// SAYS:     All threads of a region must meet the same barriers in the same order, or none of them.
#include <omp.h>
#include <stdio.h>
int main(void) {
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 1) {
#pragma omp barrier
    }
  }
  puts("ok");
}
