// The field %A of an affinity format names the CPUs that the calling thread may use, and no other: each one alone, all,
// and all but one, in the initial thread and in each member of a team.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>
#include <stdlib.h>

static void read_list(const char* text, cpu_set_t* list) {
  CPU_ZERO(list);
  for (char* end; *text; text = *end == ',' ? end + 1 : end) {
    long first = strtol(text, &end, 10), last = first;
    CHECK(end != text);
    if (*end == '-') last = strtol(end + 1, &end, 10);
    CHECK(first <= last && last < CPU_SETSIZE);
    for (long cpu = first; cpu <= last; cpu++) CPU_SET(cpu, list);
  }
}

static void with_mask(const cpu_set_t* mask) {
  char text[4 * CPU_SETSIZE];
  cpu_set_t shown;
  if (sched_setaffinity(0, sizeof *mask, mask) != 0) return; // another mask than this system lets it have
  CHECK(omp_capture_affinity(text, sizeof text, "%A") < sizeof text);
  read_list(text, &shown);
  CHECK(CPU_EQUAL(&shown, mask));
  CHECK(omp_capture_affinity(text, sizeof text, "%{thread_affinity}") < sizeof text);
  read_list(text, &shown);
  CHECK(CPU_EQUAL(&shown, mask));
}

static void with_each_mask(const cpu_set_t* all) {
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
    if (!CPU_ISSET(cpu, all)) continue;
    cpu_set_t alone, others = *all;
    CPU_ZERO(&alone);
    CPU_SET(cpu, &alone);
    CPU_CLR(cpu, &others);
    with_mask(&alone);
    if (CPU_COUNT(&others) > 0) with_mask(&others);
  }
  with_mask(all);
}

int main(void) {
  cpu_set_t all;
  CHECK_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  with_each_mask(&all);
#pragma omp parallel
  with_each_mask(&all);
  return 0;
}
