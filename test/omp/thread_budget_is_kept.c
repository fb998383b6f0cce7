// CHOMP_THREAD_BUDGET=N: the regions of several threads of the program, nested ones too, have together no more than N
// threads, and one for each caller that found none left; a caller that is alone has all N, also after the others, after
// regions that ask for one thread, and in a forked child. num_threads asks for no more. OMP_DYNAMIC=false, or
// omp_set_dynamic(0), takes no part.
// RUN: %clang-openmp %s -o %t && %chomp-run env OMP_NUM_THREADS=8 CHOMP_THREAD_BUDGET=6 %t 6
// RUN: %chomp-run env OMP_NUM_THREADS=8 CHOMP_THREAD_BUDGET=6 OMP_THREAD_LIMIT=3 %t 3
// RUN: %chomp-run env OMP_NUM_THREADS=8 CHOMP_THREAD_BUDGET=6 OMP_DYNAMIC=false %t 8
#include "support/check.h"
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kCallers = 4, kBudget = 6 };
static atomic_int running, most;

static void count(int threads) {
  int now = atomic_fetch_add(&running, threads) + threads, seen = atomic_load(&most);
  while (seen < now && !atomic_compare_exchange_weak(&most, &seen, now)) {
  }
}

static void nested_region(void) {
#pragma omp parallel num_threads(4)
  {
#pragma omp single
    count(omp_get_num_threads() - 1); // the caller's thread is counted
#pragma omp single
    atomic_fetch_sub(&running, omp_get_num_threads() - 1);
  }
}

static void* caller(void* unused) {
  omp_set_max_active_levels(2);
  for (int round = 0; round < SCALED(400); round++) {
#pragma omp parallel num_threads(round % 9 + 1)
    {
#pragma omp single
      count(omp_get_num_threads());
      nested_region();
#pragma omp barrier
#pragma omp single
      atomic_fetch_sub(&running, omp_get_num_threads());
    }
  }
  return unused;
}

static int lone_region(void) {
  int threads = 0;
#pragma omp parallel
#pragma omp single
  {
    usleep(1000); // too long for fewer threads to be tried
    threads = omp_get_num_threads();
  }
  return threads;
}

static int region_in_one_of_one_thread(void) {
  int threads = 0;
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(1)
  threads = lone_region();
  omp_set_max_active_levels(1);
  return threads;
}

int main(int argc, char** argv) {
  CHECK_EQ(argc, 2);
  int alone = atoi(argv[1]);
  CHECK_EQ(lone_region(), alone);
  CHECK_EQ(lone_region(), alone);
  CHECK_EQ(region_in_one_of_one_thread(), alone);
  if (omp_get_dynamic() && alone == kBudget) {
    pthread_t threads[kCallers];
    for (int i = 0; i < kCallers; i++) CHECK(pthread_create(&threads[i], NULL, caller, NULL) == 0);
    for (int i = 0; i < kCallers; i++) pthread_join(threads[i], NULL);
    CHECK(atomic_load(&most) <= kBudget + kCallers - 1);
    CHECK(atomic_load(&most) >= kBudget); // a caller found enough left
    CHECK_EQ(lone_region(), kBudget);
    omp_set_dynamic(0);
    CHECK_EQ(lone_region(), 8);
    omp_set_dynamic(1);
  }
#if !defined(__has_feature) || !__has_feature(thread_sanitizer)
  int status = 0;
#pragma omp parallel
#pragma omp single
  {
    pid_t child = fork();
    if (child == 0) _exit(lone_region() == 1 ? 0 : 1); // nested, one level: a serial region
    CHECK(waitpid(child, &status, 0) > 0);
  }
  CHECK_EQ(status, 0);
  pid_t child = fork();
  if (child == 0) _exit(lone_region() == alone ? 0 : 1);
  CHECK(waitpid(child, &status, 0) > 0);
  CHECK_EQ(status, 0);
#endif
  CHECK_EQ(lone_region(), alone);
  return 0;
}
