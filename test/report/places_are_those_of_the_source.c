// Each place that `chomp report` and `chomp trace` name is a line of the program that has a construct of that kind, in
// the code of every compiler; and each such construct is named at its own line.
// LOOKS AT: tools/shipped/analyse tools/shipped/recording tools/shipped/chomp runtime/observe
// REQUIRES: perfetto
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp -g -O1 %s -o %t && %python %S/check_places %build %t %s
// RUN: %if gomp %{ %gcc-openmp -g -O1 %s -o %t.gcc && %python %S/check_places %build %t.gcc %s gcc %}
// RUN: %if gfortran %{ %gfortran-openmp -g %S/support/places.F90 -o %t.f && %python %S/check_places %build %t.f %S/support/places.F90 gcc %}
// A comment "is: KIND" stands on the line of each construct, or on the line after which a construct ends.
#include <omp.h>

static double sum;

static void work(void) {
  for (int i = 0; i < 300; i++) __asm__ volatile("" : : : "memory");
}

int main(int argc, char** argv) {
  int x __attribute__((unused)) = 0;
  static omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel // is: parallel, end of region
  {
#pragma omp single // is: single, barrier
    for (int i = 0; i < 20; i++) {
#pragma omp task // is: task
      work();
#pragma omp task depend(inout : x) // is: task
      work();
#pragma omp task priority(1) // is: task
      work();
#pragma omp task mergeable // is: task
      work();
#pragma omp task final(argc > 5) // is: task
      work();
#pragma omp task if (argc > 5) // is: task
      work();
#pragma omp task untied // is: task
      work();
#pragma omp taskwait depend(in : x) // is: wait for dependences
#pragma omp taskwait                // is: taskwait
    }
#pragma omp single // is: single, barrier
    {
#pragma omp taskgroup // is: end of taskgroup
      {
#pragma omp task // is: task
        work();
      } // is: end of taskgroup
#pragma omp taskloop num_tasks(4) // is: taskloop, task, end of taskgroup
      for (int i = 0; i < 100; i++) work();
#pragma omp taskloop grainsize(10) nogroup // is: taskloop, task
      for (int i = 0; i < 100; i++) work();
    }
#pragma omp for schedule(dynamic) // is: dynamic loop, barrier
    for (int i = 0; i < 20; i++) work();
#pragma omp for schedule(guided, 2) nowait // is: guided loop
    for (int i = 0; i < 20; i++) work();
#pragma omp sections // is: sections, barrier
    {
      work();
#pragma omp section
      work();
    }
    for (int i = 0; i < 20; i++) {
#pragma omp critical // is: wants critical
      work();
      omp_set_lock(&lock); // is: wants lock
      work();
      omp_unset_lock(&lock);
    }
#pragma omp barrier // is: barrier
    work();
  }
#pragma omp parallel for schedule(dynamic, 4) reduction(+ : sum) // is: parallel, end of region, dynamic loop, barrier
  for (int i = 0; i < 40; i++) work(), sum += i;
#pragma omp parallel for schedule(dynamic, 4) // is: parallel, end of region, dynamic loop, barrier
  for (int i = 0; i < 40; i++) work();
#pragma omp parallel sections // is: parallel, end of region, sections, barrier
  {
    work();
#pragma omp section
    work();
  }
  return sum != 780;
}
