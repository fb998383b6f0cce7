// Faults in loops.
#include "planted.h"

PROGRAM(uneven_static_loop) {
#pragma omp parallel for schedule(static) // uneven_static_loop
  for (int i = 0; i < 1000; ++i) compute_us(i < 500 ? 300 : 3);
}

// The longest iteration is the last one that is begun.
PROGRAM(longest_iteration_last) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 400; ++i) // longest_iteration_last
    compute_us(i < 399 ? 250 : 150000);
}

PROGRAM(too_few_iterations) {
  for (int round = 0; round < 3; ++round)
#pragma omp parallel for schedule(static) // too_few_iterations
    for (int i = 0; i < 3; ++i) compute_ms(40);
}
