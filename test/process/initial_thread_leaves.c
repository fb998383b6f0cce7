// main() may leave by pthread_exit() while other threads go on using OpenMP; when the last thread of the program has
// ended the process ends, with status 0, although a team's threads are asleep: they are the runtime's own affair.
// UNSUPPORTED: sanitizer-thread
// RUN: %clang-openmp %s -o %t && %for-threads -t "1 2 8" %t
// RUN: %if gomp %{ %gcc-openmp %s -o %t.gcc && %for-threads -t "1 2 8" %t.gcc %}
#include "support/children.h"
#include "support/regions.h"
#include <pthread.h>
#include <time.h>

static void pause_ms(int ms) { nanosleep(&(struct timespec){.tv_nsec = ms * 1000000L}, NULL); }

static void* worker(void* wait_ms) {
  pause_ms((int)(long)wait_ms);
  use_openmp(0);
  return NULL;
}

static void leave(int main_uses, int other_threads, int wait_ms) {
  if (main_uses) use_openmp(0);
  pthread_t thread;
  for (int i = 0; i < other_threads; i++) CHECK_EQ(pthread_create(&thread, NULL, worker, (void*)(long)wait_ms), 0);
  pthread_exit(NULL);
}

int main(void) {
  for (int main_uses = 0; main_uses < 2; main_uses++)
    for (int others = 0; others < 3; others++)
      for (int wait_ms = 0; wait_ms < 30; wait_ms += 15) {
        pid_t child = fork_checked();
        if (child == 0) leave(main_uses, others, wait_ms);
        expect_status(child, 0);
      }
  return 0;
}
