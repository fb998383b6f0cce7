// RUN: %each-message %t %s
// SAYS: chomp explore: worksharing not met by all: of the parallel region at worksharing_missed.c:10
// SAYS:     thread 1 meets a loop at worksharing_missed.c:1[1-4]
// SAYS:     thread 0 does not
// SAYS:     All threads of a region must meet the same worksharing constructs in the same order, or none of them.
#include <omp.h>
#include <stdio.h>
int main(void) {
  int list[8] = {0};
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 1) {
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < 8; ++i) list[i] = i;
  }
  printf("%d\n", list[7]);
}
