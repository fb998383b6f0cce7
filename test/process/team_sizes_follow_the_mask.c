// OMP_DYNAMIC=true: when the affinity mask of the process's threads changes from outside (taskset --all-tasks, a CPU
// set of its container), the next regions have as many threads as CPUs are left; more again when it is taken back. With
// dyn-var false sizes stay. A thread that binds itself changes nothing.
// RUN: %clang-openmp %s -o %t && %chomp-run env OMP_DYNAMIC=true %t
#define _GNU_SOURCE
#include "support/check.h"
#include <dirent.h>
#include <omp.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

// As taskset does it to a process that runs: thread by thread.
static void set_mask_of_all(const cpu_set_t* mask) {
  DIR* tasks = opendir("/proc/self/task");
  CHECK(tasks != NULL);
  for (struct dirent* entry; (entry = readdir(tasks)) != NULL;)
    if (atoi(entry->d_name) > 0) sched_setaffinity(atoi(entry->d_name), sizeof *mask, mask);
  closedir(tasks);
}

static int region(void) {
  int threads = 0;
#pragma omp parallel
  {
    usleep(2000); // too long to be small
    if (omp_get_thread_num() == 0) threads = omp_get_num_threads();
  }
  return threads;
}

int main(void) {
  cpu_set_t all, one;
  CHECK_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  int cpus = omp_get_num_procs(), first = 0;
  if (cpus < 2 || CPU_COUNT(&all) != cpus) return 77;
  while (!CPU_ISSET(first, &all)) first++;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  CHECK_EQ(region(), cpus);
  CHECK_EQ(sched_setaffinity(0, sizeof one, &one), 0); // its own: the others have the rest
  for (int i = 0; i < 200; i++) CHECK_EQ(region(), cpus);
  CHECK_EQ(sched_setaffinity(0, sizeof all, &all), 0);
  set_mask_of_all(&one);
  while (region() != 1) set_mask_of_all(&one); // a move off a CPU may undo it once (leave_cpu())
  omp_set_dynamic(0);
  CHECK_EQ(region(), cpus);
  omp_set_dynamic(1);
  set_mask_of_all(&all);
  while (region() != cpus) {
  }
  set_mask_of_all(&one);
  omp_set_num_threads(cpus); // at most so many
  while (region() != 1) set_mask_of_all(&one);
  return 0;
}
