// Threads of the program that end, one after the other and together, leave their teams to others: every begin has its
// end, and every end comes before the tool's, whether or not main() uses OpenMP (checked by support/checker.c).
// REQUIRES: omp-tools
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang -O1 -shared -fPIC %S/support/checker.c -o %t.so
// RUN: %clang-openmp %s -o %t
// RUN: %chomp-run env OMP_TOOL_LIBRARIES=%t.so %t | grep ", 0 faults"
// RUN: %chomp-run env OMP_TOOL_LIBRARIES=%t.so %t main | grep ", 0 faults"
// RUN: %chomp-run env OMP_TOOL_LIBRARIES=%t.so KMP_BLOCKTIME=0 %t pause | grep ", 0 faults"
#include "support/regions.h"
#include <pthread.h>
#include <string.h>
#include <time.h>

static void* uses_openmp(void* size) {
  use_openmp(*(int*)size);
  return NULL;
}

static void together(int count, int size) {
  pthread_t threads[8];
  int sizes[8];
  for (int i = 0; i < count; i++) {
    sizes[i] = size + i;
    CHECK_EQ(pthread_create(&threads[i], NULL, uses_openmp, &sizes[i]), 0);
  }
  for (int i = 0; i < count; i++) CHECK_EQ(pthread_join(threads[i], NULL), 0);
}

int main(int argc, char** argv) {
  int pauses = argc > 1 && strcmp(argv[1], "pause") == 0;
  if (argc > 1 && !pauses) use_openmp(4);
  for (int round = 0; round < 60; round++) {
    together(1 + round % 8, 2 + round % 3);
    if (pauses && round % 20 == 19) nanosleep(&(struct timespec){.tv_nsec = 400000000}, NULL); // the pool ends
  }
  return 0;
}
