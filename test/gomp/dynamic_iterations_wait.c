// In GCC's code, too, iterations of schedule(dynamic) may wait for one another.
// REQUIRES: gomp
// RUN: %gcc-openmp %s -o %t && %for-threads -t "1 2 3 8 33" %t
#include "../omp/dynamic_iterations_wait.c"
