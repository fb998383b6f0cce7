// The same of GCC's code: no thread keeps tasks of a taskloop that it has not begun.
// REQUIRES: gomp
// RUN: %gcc-openmp %s -o %t && %for-threads -t "2 3 8 33" %t
#include "../omp/taskloop_tasks_wait.c"
