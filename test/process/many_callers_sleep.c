// Where several threads of the program run regions that have together more threads than there are CPUs, a member that
// waits for its team sleeps after a few yields, since another team could use its CPU, however long threads may spin.
// RUN: %clang-openmp -I%root/abi %s -o %t && env -u KMP_BLOCKTIME %chomp-run %t
// RUN: %chomp-run env KMP_BLOCKTIME=infinite %t
#include "support/check.h"
#define CHOMP_WEAK
#include <chomp.h>
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

enum { kCallers = 4, kRegions = 50 };
static int together;
static pthread_barrier_t all_have_teams;

static uint64_t sleeps(void) {
  chomp_counters_t counters = {.size = sizeof counters};
  CHECK_EQ(chomp_read_total(&counters), 0);
  return counters.parks;
}

// The last to arrive is late by less than threads spin: the others wait for it, each in its team.
static void regions(int members, int* sum) {
  for (int i = 0; i < kRegions; i++) {
    int late = i % members;
#pragma omp parallel num_threads(members) reduction(+ : sum[ : 1])
    {
      if (omp_get_thread_num() == late) usleep(200);
      *sum += 1;
    }
  }
}

static void* caller(void* argument) {
  int* sum = argument;
  regions(together, sum); // makes the team
  pthread_barrier_wait(&all_have_teams);
  regions(together, sum);
  return 0;
}

int main(void) {
  int sum = 0;
  together = omp_get_num_procs() > 1 ? omp_get_num_procs() : 2;
  regions(2, &sum); // alone
  CHECK_EQ(sum, 2 * kRegions);
  pthread_t threads[kCallers];
  int sums[kCallers] = {0};
  pthread_barrier_init(&all_have_teams, 0, kCallers);
  uint64_t before = sleeps();
  for (int i = 0; i < kCallers; i++) pthread_create(&threads[i], 0, caller, &sums[i]);
  for (int i = 0; i < kCallers; i++) pthread_join(threads[i], 0);
  uint64_t slept = sleeps() - before;
  fprintf(stderr, "%d callers with %d threads each slept %llu times\n", kCallers, together, (unsigned long long)slept);
  for (int i = 0; i < kCallers; i++) CHECK_EQ(sums[i], 2 * kRegions * together);
  CHECK(slept > kCallers * kRegions / 2);
  return 0;
}
