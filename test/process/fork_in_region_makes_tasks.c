// fork() inside a region, while the other threads are idle and ask for tasks: the child, which has one thread of the
// team, makes tasks in that team and waits for them. It hands them to nobody.
// RUN: %clang-openmp %s -o %t && %for-threads -t "2 3 8" %t
#include "support/check.h"
#include <omp.h>
#include <sys/wait.h>

int main(void) {
  for (int round = 0; round < 10; round++) {
#pragma omp parallel
#pragma omp single
    {
      usleep(round % 2 ? 200 : 20000); // the others spin, or sleep
      pid_t child = fork();
      CHECK(child >= 0);
      if (child == 0) {
        int ran = 0;
        for (int i = 0; i < 100; i++) {
#pragma omp task shared(ran)
          ran++;
        }
#pragma omp taskwait
        _exit(ran == 100 ? 0 : 1);
      }
      int status = 0;
      CHECK_EQ(waitpid(child, &status, 0), child);
      CHECK_EQ(status, 0);
    }
  }
  return 0;
}
