// What chomp.h promises: names, the machine, sizes and errors; and that a program with weak references runs where there
// is no chomp.
// REQUIRES: hwloc
// RUN: %clang-openmp -I%root/abi %s -o %t && env HWLOC_SYNTHETIC="package:3 core:2 pu:2" CHOMP_SCHEDULER=ws %chomp-run %t chomp
// RUN: %if sanitizer-address || sanitizer-thread %{ true %} %else %{ env -u LD_LIBRARY_PATH %t other %}
#include "support/check.h"
#include <errno.h>
#include <omp.h>
#include <stddef.h>
#include <string.h>

#define CHOMP_WEAK
#include "chomp.h"

static void check_names(void) {
  int chosen = 0, count = 0;
  CHECK(strchr(chomp_version(), '.'));
  CHECK(strcmp(chomp_scheduler(), "steal") == 0); // not the alias
  for (; chomp_scheduler_name(count); count++) {
    chosen += strcmp(chomp_scheduler_name(count), chomp_scheduler()) == 0;
    if (strcmp(chomp_scheduler_name(count), "steal") == 0) CHECK(strcmp(chomp_scheduler_alias(count), "ws") == 0);
    for (int before = 0; before < count; before++)
      CHECK(strcmp(chomp_scheduler_name(before), chomp_scheduler_name(count)) != 0);
  }
  CHECK(count >= 3);
  CHECK_EQ(chosen, 1);
  CHECK(!chomp_scheduler_name(-1) && !chomp_scheduler_name(1000) && !chomp_scheduler_alias(1000));
}

static void check_machine(void) {
  CHECK_EQ(chomp_domains(), 3);
  CHECK(strcmp(chomp_topology(), "synthetic") == 0);
  for (int domain = 0; domain < 3; domain++) {
    CHECK_EQ(chomp_domain_units(domain), 4);
    for (int other = 0; other < 3; other++) CHECK((chomp_domain_distance(domain, other) == 0) == (domain == other));
  }
  CHECK_EQ(chomp_domain_units(3), 0);
  CHECK_EQ(chomp_domain_units(-1), 0);
  CHECK_EQ(chomp_domain_distance(0, 3), -1);
  CHECK_EQ(chomp_domain_distance(-1, 0), -1);
}

static void check_sizes(void) {
  struct {
    chomp_counters_t counters;
    uint64_t newer[2];
  } larger;
  memset(&larger, 0xff, sizeof larger);
  larger.counters.size = sizeof larger; // of a program made for a newer chomp
  CHECK_EQ(chomp_read_total(&larger.counters), 0);
  CHECK_EQ(larger.newer[0] | larger.newer[1], 0);
  CHECK_EQ(larger.counters.size, sizeof larger);

  chomp_counters_t smaller;
  memset(&smaller, 0xff, sizeof smaller);
  smaller.size = offsetof(chomp_counters_t, run_inline); // of a program made for an older one
  CHECK_EQ(chomp_read_total(&smaller), 0);
  CHECK_EQ(smaller.run, 0);
  CHECK(smaller.run_inline == UINT64_MAX);

  smaller.size = 3;
  CHECK_EQ(chomp_read_total(&smaller), EINVAL);
  smaller.size = sizeof smaller;
  CHECK_EQ(chomp_read_worker(-1, &smaller), ENOENT);
  CHECK_EQ(chomp_read_worker(1 << 20, &smaller), ENOENT);
  CHECK_EQ(chomp_read_domain(3, &smaller), ENOENT);
  CHECK_EQ(chomp_read_domain(-1, &smaller), ENOENT);
}

static void check_workers(void) {
  int seen[6] = {0}, domains[3] = {0};
#pragma omp parallel num_threads(6)
  {
    int number = chomp_worker();
    CHECK(number >= 0 && number < 6);
    ATOMIC_ADD(seen[number], 1);
    ATOMIC_ADD(domains[chomp_worker_domain()], 1);
  }
  CHECK_EQ(chomp_workers(), 6);
  for (int worker = 0; worker < 6; worker++) CHECK_EQ(seen[worker], 1);
  // Members are dealt to processing units in order: four in the first package, two in the second.
  CHECK_EQ(domains[0], 4);
  CHECK_EQ(domains[1], 2);
}

int main(int count, char** arguments) {
  CHECK(count == 2);
  if (strcmp(arguments[1], "other") == 0) {
    CHECK(!chomp_version && !chomp_read_total);
#pragma omp parallel
    CHECK(omp_get_num_threads() >= 1);
    return 0;
  }
  check_sizes(); // before the first construct
  check_names();
  check_machine();
  check_workers();
  check_sizes();
  return 0;
}
