// RUN: %each-message %t %s
// OPTIONS: --threads 2
// SAYS: chomp explore: crash: the program ended by signal 6
#include <stdlib.h>
static int count;
int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp critical
  if (++count == 2) abort();
}
