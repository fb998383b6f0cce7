// In GCC's code the iterations of a dynamic loop that one thread executes come in the loop's order, asked for or not.
// REQUIRES: gomp
// RUN: %gcc-openmp %s -o %t && env OMP_SCHEDULE=dynamic %for-threads %t
#include "../omp/dynamic_iterations_increase.c"
