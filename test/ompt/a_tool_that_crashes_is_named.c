// A tool that crashes, in a callback, in a function that it calls, or where it starts or ends: one message names it,
// and the program dies of the signal. Crashes of the program itself are not said to be the tool's, and a handler of the
// program's is left alone.
// REQUIRES: omp-tools
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp %s -o %t
// RUN: %clang -O1 -shared -fPIC %S/support/crashes.c -o %t.so
// RUN: %library-path %S/support/run_crashes %t %t.so
#include <omp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void on_signal(int number) { _exit(5); }

int main(int count, char** words) {
  const char* mode = count > 1 ? words[1] : "";
  int sum = 0;
  if (strcmp(mode, "handler") == 0) signal(SIGSEGV, on_signal);
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task shared(sum)
    {
      if (strcmp(mode, "program") == 0) *(volatile int*)NULL = 1;
      sum++;
    }
  }
  return sum != 1;
}
