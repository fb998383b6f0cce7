// One thread makes tasks, the other runs them all: what moves between two caches for each task.
// tools/laboratory/scale/results.md has the count on paper beside it. usage: hand_overs one|chain TASKS
//   one    a task is made, taken and run before the next is made
//   chain  each task depends on the one before, which has not finished when it is made
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <omp.h>

// Basic blocks take time in the virtual machine; nothing is read or written.
static void work(long blocks) {
  for (long i = 0; i < blocks; ++i) __asm__ volatile("");
}

static atomic_int ran;
static int ran_elsewhere;

static void run_here(int creator) {
  work(4000);
  ran_elsewhere += omp_get_thread_num() != creator; // one task runs at a time
  atomic_fetch_add(&ran, 1);
}

// The creator helps nobody while it waits.
static void wait_until_ran(int tasks) {
  while (atomic_load(&ran) < tasks) work(500);
}

int main(int argc, char** argv) {
  int tasks = argc > 2 ? atoi(argv[2]) : 0;
  int chain = argc > 1 && strcmp(argv[1], "chain") == 0;
  if (tasks <= 0) return 2;
#pragma omp parallel num_threads(2)
  {
#pragma omp single
    {
      int creator = omp_get_thread_num();
      static char place;
      work(100000); // the other one is requesting by then
      for (int i = 0; i < tasks; ++i) {
        if (chain) {
#pragma omp task depend(inout : place) firstprivate(creator)
          run_here(creator);
          wait_until_ran(i - 3);
        } else {
#pragma omp task firstprivate(creator)
          run_here(creator);
          wait_until_ran(i + 1);
          work(4000);
        }
      }
      wait_until_ran(tasks);
    }
  }
  printf("%d of %d tasks ran elsewhere\n", ran_elsewhere, tasks);
  return ran_elsewhere < tasks - 2;
}
