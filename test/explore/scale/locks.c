// All threads want one lock, again and again: how long do sections take, how often does the lock change its owner, and
// how long does a thread go without it at most? tools/scale --check compares with runtime/sync/README.md, "Locks of
// programs". A clock is read only where the lock has changed its owner: reading it takes longer than a section.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kMostThreads = 1024 };

static omp_lock_t lock;
static int owner = -1;
static long sections, changes;
static double lost_at[kMostThreads],
    longest; // when a thread lost the lock to another; the longest time until it was back

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// A basic block for each step.
static void work(int steps) {
  for (int i = 0; i < steps; i++) __asm__ volatile("" ::: "memory");
}

static void change_owner(int me) {
  double now = now_s();
  if (owner >= 0) lost_at[owner] = now;
  if (now - lost_at[me] > longest) longest = now - lost_at[me];
  owner = me;
  changes++;
}

// Arguments: how many sections each thread enters, steps inside, steps before the next one.
int main(int argc, char** argv) {
  if (argc < 4) return 2;
  int rounds = atoi(argv[1]), inside = atoi(argv[2]), outside = atoi(argv[3]);
  double took = 0;
  omp_init_lock(&lock);
#pragma omp parallel reduction(max : took)
  {
    int me = omp_get_thread_num();
#pragma omp barrier
    double began = lost_at[me] = now_s();
    for (int i = 0; i < rounds; i++) {
      omp_set_lock(&lock);
      if (owner != me) change_owner(me);
      sections++;
      work(inside);
      omp_unset_lock(&lock);
      work(outside);
    }
    took = now_s() - began;
  }
  omp_destroy_lock(&lock);
  printf("Time Program = %.9f seconds\n", took);
  printf("Sections = %ld, changes = %ld, longest = %.9f\n", sections, changes, longest);
  return sections != (long)rounds * omp_get_max_threads();
}
