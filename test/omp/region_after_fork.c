// fork() before the first region, between regions and from a child: parent and child both go on to use regions and
// tasks.
// UNSUPPORTED: sanitizer-thread
// RUN: %clang-openmp %s -o %t && %for-threads -t "1 2 3 8" %t
#include "support/check.h"
#include <omp.h>
#include <sys/wait.h>

static void regions(void) {
  for (int round = 0; round < 3; round++) {
    int threads = 0;
    long sum = 0;
#pragma omp parallel reduction(+ : threads)
    {
      threads++;
#pragma omp single
      for (int i = 0; i < 100; i++)
#pragma omp task firstprivate(i) shared(sum)
        ATOMIC_ADD(sum, i);
    }
    CHECK_EQ(threads, omp_get_max_threads());
    CHECK_EQ(sum, 4950);
  }
}

static void in_child(int depth) {
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    regions();
    if (depth) in_child(depth - 1);
    exit(7); // the whole way, exit handlers included
  }
  int status;
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

int main(void) {
  in_child(1);
  regions();
  in_child(1);
  regions();
  for (int i = 0; i < 10; i++) in_child(0); // workers perhaps awake, perhaps asleep
  regions();
  return 0;
}
