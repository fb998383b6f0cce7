// When the program has had no thread that uses OpenMP for a while, all threads of the runtime end, also those of teams
// that threads have left behind: alone, many together, nested, and some that were asleep; the process can then end by
// main()'s pthread_exit(), and does not wait for them where main() returns. Then a thread may come again, and one that
// comes just when the pool ends has its region.
// UNSUPPORTED: sanitizer-thread
// RUN: %clang-openmp %s -o %t && %for-threads -t "1 2 3 8 33" %t
// RUN: %for-threads -t "2 8" env KMP_BLOCKTIME=0 %t
// RUN: %for-threads -t "2 8" env OMP_WAIT_POLICY=active %t
#include "support/children.h"
#include "support/process.h"
#include "support/regions.h"
#include <pthread.h>
#include <stdint.h>
#include <time.h>

static void pause_us(long us) { nanosleep(&(struct timespec){.tv_nsec = us * 1000}, NULL); }

static void* nested(void* size) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads((int)(intptr_t)size)
  use_openmp(2);
  return NULL;
}

static void* plain(void* size) {
  use_openmp((int)(intptr_t)size);
  return NULL;
}

static void together(int count, void* (*what)(void*), int size) {
  pthread_t threads[64];
  for (int i = 0; i < count; i++) CHECK_EQ(pthread_create(&threads[i], NULL, what, (void*)(intptr_t)(size + i % 2)), 0);
  for (int i = 0; i < count; i++) CHECK_EQ(pthread_join(threads[i], NULL), 0);
}

static void wait_for_end_of_pool(void) {
  while (thread_count() > 1) pause_us(1000);
}

static void leave(int count, int returns) {
  together(count, plain, 3);
  if (count % 2) pause_us(20000); // they fall asleep
  if (returns) exit(0);
  pthread_exit(NULL);
}

int main(int argc, char** argv) {
  (void)argc, (void)argv;
  int count = atoi(getenv("OMP_NUM_THREADS")); // main() itself uses no OpenMP
  together(count, plain, 2);
  wait_for_end_of_pool();
  together(count < 8 ? count : 8, nested, 2);
  wait_for_end_of_pool();
  for (int i = 0; i < 40; i++) together(1, plain, 4);
  wait_for_end_of_pool();
  for (int round = 0; round < 6; round++) {
    together(1, round % 3 ? plain : nested, 3);
    pause_us(250000 - 60 * (round % 6));
    together(2, plain, 3);
  }
  for (int returns = 0; returns < 2; returns++)
    for (int i = 0; i < 2; i++) {
      pid_t child = fork_checked();
      if (child == 0) leave(count + i, returns);
      expect_status(child, 0);
    }
  wait_for_end_of_pool();
  return 0;
}
