// What is not one binary. A C program, or Python, opens a C++ module (RTLD_LOCAL) that uses OpenMP and initialises a
// variable of a function: explored from there on, and what comes before is done once, if it has one thread then (numpy
// has). Of a script the programs that do not use OpenMP run as they are. A rank of an MPI job is refused.
// RUN: g++ -O1 -fopenmp -shared -fPIC %s -o %t.so
// RUN: gcc -x c -DHOST %s -o %t.host -ldl
// RUN: %chomp-explore --runs 20 %t.host %t.so 2>&1 | FileCheck --check-prefix=MODULE %s
// RUN: %chomp-explore --runs 20 %python -c "import ctypes; print('before', flush=True); print(ctypes.CDLL('%t.so').answer())" 2>&1 | FileCheck --check-prefix=MODULE %s
// RUN: sh -c '%chomp-explore %python -c "import ctypes, threading, time; threading.Thread(target=time.sleep, args=[9], daemon=True).start(); ctypes.CDLL(\"%t.so\").answer()"; test $? = 2' 2>&1 | grep 'cannot be explored: the process has 2 threads'
// RUN: %chomp-explore %python -c "import os; os.environ['OPENBLAS_NUM_THREADS'] == '1' or os._exit(3)"
// MODULE: before
// MODULE-NOT: before
// MODULE: chomp explore: 20 runs in {{.*}}: nothing found
// RUN: %chomp-cc -x c -DPROGRAM %s -o %t
// RUN: sh -c '%chomp-explore sh -c "basename /usr/lib/where; grep -c processor /proc/cpuinfo >%t.count && exec %t"; test $? = 1' 2>&1 | FileCheck --check-prefix=SCRIPT %s
// RUN: grep -x '[0-9]*' %t.count
// SCRIPT: where
// SCRIPT: data race: `shared`
// RUN: sh -c 'PMIX_RANK=1 %chomp-explore %t; test $? = 2' 2>&1 | grep 'rank 1 of an MPI job cannot be explored'
#if defined(PROGRAM)
static int shared;
int main() {
#pragma omp parallel num_threads(2)
  shared++;
  return shared < 0;
}
#elif defined(HOST)
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char** arguments) {
  void* module = dlopen(arguments[count - 1], RTLD_NOW | RTLD_LOCAL);
  if (module == NULL) return puts(dlerror()), 2;
  puts("before");
  return ((int (*)(void))dlsym(module, "answer"))() != 7;
}
#else
#include <string>
static int length() {
  static std::string text(7, 'x');
  return static_cast<int>(text.size());
}
extern "C" int answer() {
  int sum = 0;
#pragma omp parallel num_threads(2) reduction(max : sum)
  sum = length();
  return sum;
}
#endif
