// exit() may be called inside a region or a task, by the initial thread, while others work or wait: the process ends
// with that status and its exit handlers run.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>
#include <sys/wait.h>

static int write_end;
static void handler(void) { CHECK_EQ(write(write_end, "x", 1), 1); }

static void leave(int way) {
  atexit(handler);
#pragma omp parallel
  {
#pragma omp task
    burn(1000);
    if (omp_get_thread_num() == 0) {
      if (way == 0) exit(40);
      if (way == 1) {
#pragma omp task if (0)
        exit(41);
      }
      if (way == 2) {
#pragma omp parallel num_threads(2)
        if (omp_get_thread_num() == 0) exit(42);
      }
    }
#pragma omp barrier
  }
  _exit(99);
}

int main(void) {
  for (int way = 0; way < 3; way++)
    for (int round = 0; round < 5; round++) {
      int ends[2], status;
      char byte = 0;
      CHECK_EQ(pipe(ends), 0);
      pid_t child = fork();
      CHECK(child >= 0);
      if (child == 0) {
        write_end = ends[1];
        leave(way);
      }
      close(ends[1]);
      CHECK_EQ(waitpid(child, &status, 0), child);
      CHECK(WIFEXITED(status));
      CHECK_EQ(WEXITSTATUS(status), 40 + way);
      CHECK_EQ(read(ends[0], &byte, 1), 1);
      CHECK_EQ(byte, 'x');
      close(ends[0]);
    }
  return 0;
}
