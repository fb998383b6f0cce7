// tools/bench programs tells right from wrong, crash, hang and no answer, for any executables, on the library under
// test and no other; its exit status, JSON and JUnit's XML say the same.
// LOOKS AT: tools/bench tools/laboratory/regress tools/laboratory/harness tools/lib bots/common
// RUN: rm -rf %t && mkdir -p %t/bin
// RUN: %clang-openmp %s -o %t/bin/clang-program
// RUN: %if gomp %{ %gcc-openmp %s -o %t/bin/gcc-program %}
// RUN: mkdir -p %t/theirs && %clang-openmp %s -o %t/bin/own-path -Wl,--disable-new-dtags,-rpath,%t/theirs
// RUN: %S/regress_outcomes %root %library %t %clang
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// So that no compiler sees that nobody reads it.
static volatile char* much;

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "right";
  int sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100; i++) {
#pragma omp task shared(sum) firstprivate(i)
    {
#pragma omp atomic
      sum += i;
    }
  }
  if (strcmp(how, "crash") == 0) raise(SIGSEGV);
  if (strcmp(how, "hang") == 0) pause();
  if (strcmp(how, "status") == 0) return 3;
  if (strcmp(how, "silent") == 0) return 0;
  if (strcmp(how, "memory") == 0) {
    much = malloc(64 << 20);
    for (int i = 0; i < 64 << 20; i += 1024) much[i] = 1;
  }
  printf("sum = %d\nthreads = %d\nsetting = %s\ntook 0.25 s\n", strcmp(how, "wrong") == 0 ? sum + 1 : sum,
         omp_get_max_threads(), getenv("SETTING") != NULL ? getenv("SETTING") : "none");
  return 0;
}
