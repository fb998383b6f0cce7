// Status 1 means a fault of the program. What nobody has to answer for has status 4, with the option that decides it:
// outputs that name the number of threads, the thread that happened to come, the time, a process; the same lines in
// another order; rounding; a run that is too long. With that option the status is 0. (What looks like a time or the
// number of a thread is compared with --strict-output alone.)
// RUN: %chomp-cxx -std=c++17 %s -o %t
// RUN: sh -c '%chomp-explore --runs 60 --seconds 60 %t threads; test $? = 4' 2>&1 | FileCheck --check-prefix=THREADS %s
// THREADS: not decided: line 1 of the output
// THREADS-NEXT: with 2 threads: 2
// THREADS-NEXT: here: 3
// THREADS-NEXT: That is with 3. --threads N tries one number
// THREADS: 60 runs in {{.*}}: nothing found; {{.*}}not decided
// RUN: %chomp-explore --runs 60 --threads 3 %t threads
// RUN: %chomp-explore --runs 60 --any-output %t threads
// RUN: %chomp-explore --runs 60 --check 'grep -x "[0-9]*"' %t threads
// RUN: sh -c '%chomp-explore --runs 60 --threads 2 --strict-output %t order; test $? = 4' 2>&1 | FileCheck --check-prefix=ORDER %s
// ORDER: It prints the same, in another order
// RUN: sh -c '%chomp-explore --exhaustive --strict-output %t order; test $? = 4' 2>&1 | grep 'orders explored: none fails, but see above'
// RUN: sh -c '%chomp-explore --runs 60 --threads 2 --strict-output %t cout; test $? = 4' 2>&1 | grep 'It prints the same, in another order'
// RUN: sh -c '%chomp-explore --runs 60 --threads 2 --strict-output %t single; test $? = 4' 2>&1 | grep 'It asks for the thread that happens to run it'
// RUN: sh -c '%chomp-explore --runs 60 --threads 2 --strict-output %t task; test $? = 4' 2>&1 | grep 'It asks for the thread that happens to run it'
// RUN: sh -c '%chomp-explore --runs 60 --threads 2 --strict-output %t getpid; test $? = 4' 2>&1 | grep 'It asks for getpid()'
// RUN: sh -c '%chomp-explore --runs 60 --threads 3 %t sum; test $? = 4' 2>&1 | grep 'The numbers differ by rounding alone'
// RUN: sh -c '%chomp-explore --runs 60 --threads 2 --strict-output %t time; test $? = 4' 2>&1 | grep 'It asks for the time'
// RUN: sh -c '%chomp-explore --runs 60 --threads 2 %t random; test $? = 4' 2>&1 | grep 'It asks for std::random_device'
// RUN: sh -c '%chomp-explore --replay 7 %t random > %t.first; %chomp-explore --replay 7 %t random | cmp - %t.first'
// RUN: sh -c '%chomp-explore --runs 60 --steps 1800 %t long; test $? = 4' 2>&1 | FileCheck --check-prefix=LONG %s
// LONG: not decided: too long: a run had 1801 steps
// LONG-NEXT: thread 0 of the parallel region at whose_fault.cpp:{{.*}} is at
// LONG: --steps N allows more
// RUN: %chomp-explore --runs 20 %t long
// RUN: sh -c '%chomp-explore --threads 2 %t last; test $? = 1' 2>&1 | grep 'wrong output'
#include <cstdio>
#include <cstring>
#include <ctime>
#include <iostream>
#include <omp.h>
#include <random>
#include <unistd.h>

int main(int, char** arguments) {
  const char* what = arguments[1];
  auto is = [what](const char* name) { return strcmp(what, name) == 0; };
  int last = 0, thread = 0;
  static int counted;
#pragma omp parallel
  {
    if (is("order")) printf("thread %d\n", omp_get_thread_num());
    if (is("cout")) std::cout << 7 * omp_get_thread_num() << '\n';
#pragma omp single
    if (is("single")) thread = omp_get_thread_num();
#pragma omp single
    {
#pragma omp task
      if (is("task")) thread = omp_get_thread_num();
    }
#pragma omp critical
    last = is("last") ? omp_get_thread_num() : 0;
    if (is("long") && omp_get_thread_num() == 0)
      for (int i = 0; i < 1000; ++i) ++counted;
  }
  double sum = 0;
#pragma omp parallel
  {
#pragma omp critical
    sum += 0.1 * (omp_get_thread_num() + 1);
  }
  if (is("sum")) printf("%.17g\n", sum);
  if (is("threads")) printf("%d\n", omp_get_max_threads());
  if (is("getpid")) printf("%d\n", getpid());
  if (is("time")) printf("%ld\n", static_cast<long>(time(nullptr)));
  if (is("random")) printf("%u\n", std::random_device()());
  printf("%d\n", last + thread);
}
