// The default team has a thread for each CPU of the process's affinity mask, not of the machine. (A cgroup's quota:
// test/unit/cgroup_quota_limits_cpus.cpp.)
// RUN: %clang-openmp %s -o %t && %chomp-run %t
#include "support/check.h"
#include <omp.h>

static void keep_first(int wanted) {
  cpu_set_t all, kept;
  CPU_ZERO(&kept);
  CHECK_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&kept) < wanted; cpu++)
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &kept);
  CHECK_EQ(sched_setaffinity(0, sizeof kept, &kept), 0);
}

int main(int argc, char** argv) {
  if (argc < 2) {
    keep_first(1);
    execl("/proc/self/exe", argv[0], "limited", (char*)0);
    CHECK(!"execl");
  }
  int members = 0;
#pragma omp parallel reduction(+ : members)
  members++;
  CHECK_EQ(members, 1);
  CHECK_EQ(omp_get_max_threads(), 1);
  CHECK_EQ(omp_get_num_procs(), 1);
  return 0;
}
