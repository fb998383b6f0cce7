// A signal that ends `chomp trace`, `report` or `bench` ends the program, too: what was done until then is said, no
// file is left behind, and the status is the shell's. Of an interrupted run the report's figures agree.
// LOOKS AT: tools/shipped/chomp tools/shipped/analyse
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp %s -o %t && %python %S/signals_end_commands %build %t
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void compute(double seconds) {
  double end = omp_get_wtime() + seconds;
  while (omp_get_wtime() < end) {
  }
}

// With an argument it appends a line to that file, and runs as many rounds as the second says; else for ever.
int main(int argc, char** argv) {
  FILE* file = fopen(argv[1], "a");
  int x = 0;
  fprintf(file, "%d\n", (int)getpid());
  fclose(file);
#pragma omp parallel num_threads(4)
#pragma omp single
  for (long round = 0; argc < 3 || round < atol(argv[2]); round++) {
    for (int i = 0; i < 20; i++) {
#pragma omp task depend(inout : x)
      compute(50e-6);
#pragma omp task untied
      compute(50e-6);
    }
#pragma omp taskwait
  }
  return 0;
}
