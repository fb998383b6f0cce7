// Faults in regions, barriers and numbers of threads.
#include "planted.h"

PROGRAM(small_regions) {
  for (int i = 0; i < 20000; ++i)
#pragma omp parallel for // small_regions
    for (int j = 0; j < 10; ++j) compute_us(0.02);
}

PROGRAM(serial_parts) {
  for (int i = 0; i < 50; ++i) {
#pragma omp parallel for // serial_parts
    for (int j = 0; j < 10; ++j) compute_us(200);
    compute_us(3000);
  }
}

PROGRAM(uneven_barrier) {
#pragma omp parallel
  for (int i = 0; i < 50; ++i) {
    compute_us(omp_get_thread_num() == 0 ? 3000 : 100);
#pragma omp barrier // uneven_barrier
  }
}

PROGRAM(many_barriers) {
#pragma omp parallel
  for (int i = 0; i < 50000; ++i) {
    compute_us(0.05);
#pragma omp barrier // many_barriers
  }
}

PROGRAM(single_in_loop) {
#pragma omp parallel
  for (int i = 0; i < 100; ++i) {
    compute_us(200);
#pragma omp single // single_in_loop
    compute_us(1500);
  }
}

PROGRAM(nested_crowd) {
  int inner = 4 * omp_get_num_procs();
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel for num_threads(inner) schedule(dynamic) // nested_crowd
  for (int i = 0; i < 30 * inner; ++i) compute_us(500);
}

PROGRAM(too_many_threads) {
  int threads = 8 * omp_get_num_procs();
#pragma omp parallel for num_threads(threads) schedule(dynamic) // too_many_threads
  for (int i = 0; i < 30 * threads; ++i) compute_us(500);
}

PROGRAM(one_thread) {
#pragma omp parallel for
  for (int i = 0; i < 10; ++i) compute_us(500);
#pragma omp parallel for num_threads(1) // one_thread
  for (int i = 0; i < 400; ++i) compute_us(500);
}
