// RUN: %each-message %t %s
// OPTIONS: --determinacy
// SAYS: chomp explore: undetermined order: `last`
// SAYS:     undetermined_order.c:13 writes it, in thread 0 of the parallel region at undetermined_order.c:10
// SAYS:     undetermined_order.c:13 writes it, in thread 1 of the parallel region at undetermined_order.c:10
// SAYS:     A lock or an atomic keeps the two apart, but nothing fixes which comes first, and they do not commute.
#include <omp.h>
static int last;
int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp critical
    last = omp_get_thread_num();
  }
  return last > 1;
}
