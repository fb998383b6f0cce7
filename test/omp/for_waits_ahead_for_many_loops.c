// In a team with more threads than CPUs a thread that has run ahead of a late one, from nowait loop to nowait loop,
// sleeps until the late one has left many loops. If it were woken for each of them, it would sleep for each: 18 loops
// in a region of eight threads took 2.5 times as long as with libgomp.
// RUN: %clang-openmp %s -o %t && %chomp-run env -u KMP_BLOCKTIME OMP_NUM_THREADS=4 %t
#include "support/check.h"
#include <omp.h>
#include <sys/resource.h>

enum { kLoops = 1000, kCpus = 2 };
static int done[kLoops];

static long sleeps(void) {
  struct rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

static void keep_cpus(int count) {
  cpu_set_t all, kept;
  CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
  CPU_ZERO(&kept);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&kept) < count; cpu++)
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &kept);
  CHECK(sched_setaffinity(0, sizeof kept, &kept) == 0);
}

int main(void) {
  keep_cpus(kCpus);
  long slept = 0;
#pragma omp parallel reduction(+ : slept)
  {
    long before = sleeps();
    for (int loop = 0; loop < kLoops; loop++) {
      if (omp_get_thread_num() == 0) burn(20000);
#pragma omp for schedule(dynamic) nowait
      for (int i = 0; i < 4; i++) ATOMIC_ADD(done[loop], 1);
    }
    if (omp_get_thread_num() != 0) slept += sleeps() - before;
  }
  for (int loop = 0; loop < kLoops; loop++) CHECK_EQ(done[loop], 4);
  fprintf(stderr, "three threads slept %ld times in %d loops\n", slept, kLoops);
#ifdef CHOMP_SANITIZED
  CHECK(slept < kLoops); // here each loop takes longer
#else
  CHECK(slept < kLoops / 2);
#endif
  return 0;
}
