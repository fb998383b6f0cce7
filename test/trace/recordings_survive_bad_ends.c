// What was recorded until then is there when a program is killed, when the disk is full, while it still runs; of a long
// run the last part is kept; a forked child has a timeline of its own; what cannot be written is said before the
// program runs.
// REQUIRES: perfetto
// UNSUPPORTED: sanitizer-thread
// RUN: %clang-openmp -g %s -o %t
// RUN: %library-path %python %S/check_bad_ends %build %t
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/check.h"

static int work(int tasks) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < tasks; ++i)
#pragma omp task
#pragma omp atomic
    ++done;
  return done;
}

int main(int count, char** words) {
  const char* mode = count > 1 ? words[1] : "";
  if (strcmp(mode, "none") == 0) return 0;
  CHECK_EQ(work(2000), 2000);
  if (strcmp(mode, "many") == 0) {
    CHECK_EQ(work(1500000), 1500000);
#pragma omp parallel
    usleep(30000);
  }
  if (strcmp(mode, "kill") == 0) {
#pragma omp parallel
#pragma omp master
    raise(SIGKILL);
  }
  if (strcmp(mode, "fork") == 0) {
    pid_t child = fork();
    if (child == 0) {
      CHECK_EQ(work(100), 100);
      exit(0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    CHECK_EQ(status, 0);
  }
  if (strcmp(mode, "wait") == 0) {
    puts("ready");
    fflush(stdout);
    getchar();
  }
  CHECK_EQ(work(10), 10);
  if (strcmp(mode, "fail") == 0) return 7;
  puts("right");
  return 0;
}
