// A program that GCC linked with its own libgomp, on chomp by LD_PRELOAD: libgomp binds the first thread in its
// constructor, before anybody calls chomp. chomp takes the mask back that the process began with, and says so.
// REQUIRES: gomp
// RUN: %gcc-openmp %s -o %t && %chomp-preload %t 2>%t.said
// RUN: grep -c 'bound this process to 1 of its [0-9]* CPUs before its first OpenMP construct' %t.said | grep -qx 6
#include "support/children.h"
#include <omp.h>
#include <pthread.h>
#include <string.h>

static cpu_set_t mask_of(pid_t thread) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  CHECK_EQ(sched_getaffinity(thread, sizeof mask, &mask), 0);
  return mask;
}

/// What threads of a region may run on together.
static cpu_set_t mask_of_region(void) {
  cpu_set_t all;
  CPU_ZERO(&all);
#pragma omp parallel
#pragma omp critical
  {
    cpu_set_t own = mask_of(0);
    CPU_OR(&all, &all, &own);
  }
  return all;
}

static void* region_in_foreign_thread(void* unused) {
  cpu_set_t all = mask_of_region();
  CHECK_EQ(CPU_COUNT(&all), omp_get_num_procs());
  return NULL;
}

/// The process that libgomp has bound. `cpus`: how many it had; `covered`: how many the places of its threads have.
static void bound_process(int cpus, int covered, int in_thread) {
  cpu_set_t now = mask_of(0);
  if (cpus > 1) CHECK_EQ(CPU_COUNT(&now), 1); // else libgomp has not done what this test is about
  if (in_thread) {
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, region_in_foreign_thread, NULL), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    now = mask_of(getpid());
    CHECK_EQ(CPU_COUNT(&now), cpus); // the first thread, which has called nothing
  }
  CHECK_EQ(omp_get_num_procs(), cpus);
  CHECK_EQ(omp_get_max_threads(), cpus);
  now = mask_of_region();
  CHECK_EQ(CPU_COUNT(&now), covered);
}

/// Starts this program again with a setting that libgomp reads.
static void with(const char* name, const char* value, int cpus, int covered, int in_thread) {
  pid_t child = fork_checked();
  if (child == 0) {
    char texts[3][16];
    int numbers[] = {cpus, covered, in_thread};
    for (int i = 0; i < 3; i++) snprintf(texts[i], sizeof texts[i], "%d", numbers[i]);
    setenv(name, value, 1);
    execl("/proc/self/exe", "bound", texts[0], texts[1], texts[2], (char*)0);
    CHECK(!"execl");
  }
  expect_status(child, 0);
}

int main(int argc, char** argv) {
  if (argc == 4) {
    bound_process(atoi(argv[1]), atoi(argv[2]), atoi(argv[3]));
    return 0;
  }
  cpu_set_t all = mask_of(0);
  int cpus = CPU_COUNT(&all), last = 0;
  if (cpus < 2) return 77;
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, &all)) last = cpu;
  char one[32], place[32];
  snprintf(one, sizeof one, "%d", last);
  snprintf(place, sizeof place, "{%d}", last);
  with("OMP_PROC_BIND", "true", cpus, cpus, 0);
  with("OMP_PROC_BIND", "spread", cpus, cpus, 1);
  with("OMP_PROC_BIND", "primary", cpus, 1, 0);
  with("OMP_PLACES", "threads", cpus, cpus, 1);
  with("OMP_PLACES", place, cpus, 1, 0);
  with("GOMP_CPU_AFFINITY", one, cpus, 1, 0);
  return 0;
}
