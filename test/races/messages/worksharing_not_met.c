// RUN: %each-message %t %s
// SAYS: chomp explore: worksharing not met by all: of the parallel region at worksharing_not_met.c:10
// SAYS:     thread [01] meets a `single` at worksharing_not_met.c:\d+
// SAYS:     thread [01] meets `sections` at worksharing_not_met.c:\d+
// SAYS:     All threads of a region must meet the same worksharing constructs in the same order, or none of them.
#include <omp.h>
#include <stdio.h>
int main(void) {
  int one = 0, other = 0;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
#pragma omp single
      one = 1;
    } else {
#pragma omp sections
      {
        other = 1;
      }
    }
  }
  printf("%d %d\n", one, other);
}
