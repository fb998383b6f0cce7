// REQUIRES: inlined
// RUN: %clang -O2 -DCOUNTS -c %s -o %t.o
// RUN: %build/bin/chomp cc --inline %clang -O2 -Wall -Werror -I%S/.. %s %t.o -o %t && %for-threads %t inlined
// RUN: %clang-openmp -fPIE -pie %s %t.o %inlined -o %t && %for-threads -t 2 %t inlined
// RUN: %clang-openmp -fno-pie -no-pie %s %t.o %inlined -o %t && %for-threads -t 2 %t inlined
// RUN: %clang-openmp -O3 -march=native -fuse-ld=lld -flto %s %t.o %inlined -o %t && %for-threads -t 2 %t inlined
// RUN: %clang-openmp -O0 %s %t.o %inlined -o %t && %for-threads -t 2 %t called
// RUN: %clang-openmp -fsanitize=address %s %t.o %inlined -o %t && %for-threads -t 2 %t called
// RUN: %if static-library %{ %clang -O2 -DALONE -fopenmp -static -I%S/.. %s %inlined -L%lib -o %t && %for-threads -t 2 %t %}
// A program with inlined tasks is right however it is compiled and linked. Without optimisation, and where a sanitizer
// looks on, it calls the entry points.
//
// RUN: %clang-openmp %s %t.o %inlined -o %t && env OMP_NUM_THREADS=1 %t called
// RUN: rm -rf %t.other && mkdir %t.other && sed s/chomp_inline_abi_4/chomp_inline_abi_0/g %library > %t.other/libomp.so.5
// RUN: env LD_LIBRARY_PATH=%t.other OMP_NUM_THREADS=2 %t called
// RUN: %build/bin/chomp doctor %t | grep "has inlined tasks .*as this library's"
// RUN: sed s/chomp_inline_abi_4/chomp_inline_abi_1/g %t > %t.older && %build/bin/chomp doctor %t.older | grep "! has inlined tasks of number 1"
// RUN: %build/bin/chomp cc --inline %clang -O2 -I%S/.. %s %t.o -o %t && env LD_PRELOAD=%t.other/libomp.so.5 OMP_NUM_THREADS=2 %t called
// RUN: %clang-openmp %s %t.o %inlined -o %t && %for-threads env OMP_CANCELLATION=true %t watched && %for-threads env CHOMP_STATS=%t.txt %t watched
// RUN: %if archer %{ env LD_PRELOAD=%archer-folder/libomp.so.5 OMP_NUM_THREADS=1 %t called %}
// RUN: %if archer %{ env LD_LIBRARY_PATH=%archer-folder OMP_NUM_THREADS=1 %t called %}
// On libomp, and on a chomp with another table, it calls them, too. (Two threads of libomp 19 may yield for minutes.)
// So it calls those of loops and locks where somebody observes them.
//
// RUN: %build/bin/chomp cc --inline %clang -fcf-protection=none %s %t.o -I%S/.. -o %t
// RUN: ! %build/bin/chomp cc --inline %clang -fcf-protection %s %t.o -I%S/.. -o %t
// RUN: ! %build/bin/chomp cc --inline %clang -fopenmp-targets=x86_64 %s %t.o -I%S/.. -o %t
// RUN: %if gcc %{ ! %build/bin/chomp cc --inline gcc %s %t.o -I%S/.. -o %t %}
// What the inlined code would spoil, and compilers that cannot read it, are refused.
//
// RUN: %if inlined-pass %{ %build/bin/chomp cc --inline %clang -O2 -Wall -Werror -I%S/.. %s %t.o -o %t && env OMP_NUM_THREADS=1 %t direct %}
// RUN: %if inlined-pass %{ %clangxx-openmp -x c++ %s -x none %t.o %inlined-pass -o %t && %for-threads %t inlined && %for-threads -t 1 %t direct %}
// RUN: %if inlined-pass %{ %clang-openmp -O3 -fuse-ld=lld -flto %s %t.o %inlined-pass -o %t && %for-threads -t 2 %t inlined %}
// RUN: %if inlined-pass %{ %clang-openmp -g -O1 %s %t.o %inlined-pass -o %t && %for-threads -t 2 %t inlined %}
// RUN: %if inlined-pass %{ %clang-openmp -O0 %s %t.o %inlined-pass -o %t && %for-threads -t 2 %t called %}
// RUN: %if inlined-pass %{ %clang-openmp -fsanitize=address %s %t.o %inlined-pass -o %t && %for-threads -t 2 %t called %}
// RUN: %if inlined-pass %{ %clang-openmp %s %t.o %inlined-pass -o %t && env LD_LIBRARY_PATH=%t.other OMP_NUM_THREADS=2 %t called %}
// RUN: %if inlined-pass && archer %{ env LD_LIBRARY_PATH=%archer-folder OMP_NUM_THREADS=1 %t called %}
// RUN: %if inlined-pass %{ %clang-openmp -S -emit-llvm %s %inlined-pass -o %t.ll && ! grep -E 'call.*@chomp_inline_[tw]' %t.ll %}
// With the pass a task's code becomes part of the function that makes the task. All else is as without it.
//
// RUN: %clang-openmp -DMODULE -shared -fPIC %s %inlined -o %t.inlined.so
// RUN: %clang-openmp -DMODULE -shared -fPIC %s -o %t.called.so
// RUN: %clang-openmp %s %t.o %inlined -rdynamic -o %t && %for-threads %t inlined %t.inlined.so %t.inlined.so
// RUN: %for-threads %t mixed %t.inlined.so %t.called.so
// RUN: %if gomp %{ %gcc-openmp -DMODULE -shared -fPIC %s -o %t.gcc.so && %for-threads %t inlined %t.gcc.so %t.inlined.so %}
// Modules with inlined tasks, with calls, and of GCC's make tasks in one process.
//
// RUN: %S/inlined_code %build %S/inlined_code.txt
// What is put into programs is what is recorded. It stands last: where another compiler builds, nothing is compared.
#ifdef COUNTS
// Before the library's: whoever calls it is counted.
#include <dlfcn.h>
#include <stddef.h>
int made_by_calls, constructs_by_calls;
#define COUNTED(result, name, parameters, arguments, count)                                                            \
  result name parameters {                                                                                             \
    static void* next;                                                                                                 \
    void* found = __atomic_load_n(&next, __ATOMIC_RELAXED);                                                            \
    if (found == NULL) __atomic_store_n(&next, found = dlsym(RTLD_NEXT, #name), __ATOMIC_RELAXED);                     \
    __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);                                                                   \
    return ((result(*) parameters)found)arguments;                                                                     \
  }
COUNTED(void*, __kmpc_omp_task_alloc, (void* location, int gtid, int flags, size_t bytes, size_t shareds, void* entry),
        (location, gtid, flags, bytes, shareds, entry), made_by_calls)
COUNTED(void, __kmpc_for_static_init_4,
        (void* location, int gtid, int kind, int* last, int* lower, int* upper, int* stride, int step, int chunk),
        (location, gtid, kind, last, lower, upper, stride, step, chunk), constructs_by_calls)
COUNTED(int, __kmpc_single, (void* location, int gtid), (location, gtid), constructs_by_calls)
#else
#include <dlfcn.h>
#include <omp.h>
#include <string.h>

#include "support/check.h"

enum { kDepth = 10, kTasks = 2 * ((1 << kDepth) - 1) };

static long in_frame_of_creator; // so many tasks were part of the function that had made them

static long tree(int depth) {
  long left = 0, right = 0;
  void* frame = __builtin_frame_address(0);
  if (depth == 0) return 1;
#pragma omp task shared(right) untied
  {
    right = tree(depth - 1);
#pragma omp taskyield
  }
#pragma omp task shared(left)
  {
    if (frame == __builtin_frame_address(0)) {
#pragma omp atomic
      ++in_frame_of_creator;
    }
    left = tree(depth - 1);
  }
#pragma omp taskwait
  return left + right;
}

long module(void) {
  long result = 0;
#pragma omp taskgroup
  {
#pragma omp task shared(result)
    result = tree(kDepth);
  }
  return result;
}

#ifndef MODULE
#ifdef ALONE
static int made_by_calls, constructs_by_calls;
#else
extern int made_by_calls, constructs_by_calls;
#endif

enum { kRounds = 8, kIterations = 7 };
static int rounds, singles, threads; // plain, but for a critical section, a lock, a barrier
static int had[kIterations];

/// Leaves the number of calls by which the threads came to loops and single.
static void constructs(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel
  {
#pragma omp barrier
    constructs_by_calls = 0;
#pragma omp barrier
    for (int round = 0; round < kRounds; ++round) {
#pragma omp for nowait
      for (int i = 0; i < kIterations; ++i) ++had[i];
#pragma omp critical
      ++rounds;
#pragma omp single nowait
      {
#pragma omp atomic
        ++singles;
      }
#pragma omp barrier
      CHECK_EQ(rounds, (round + 1) * omp_get_num_threads());
#pragma omp barrier
    }
    omp_set_lock(&lock);
    ++threads;
    omp_unset_lock(&lock);
  }
  CHECK_EQ(rounds, kRounds * threads);
  CHECK_EQ(singles, kRounds);
  for (int i = 0; i < kIterations; ++i) CHECK_EQ(had[i], kRounds);
}

int main(int count, char** arguments) {
  long (*modules[4])(void) = {module};
  long sum = 0;
  int used = 1;
#ifndef ALONE
  for (int i = 2; i < count; ++i) {
    modules[used] = (long (*)(void))dlsym(dlopen(arguments[i], RTLD_NOW), "module");
    CHECK(modules[used++] != NULL);
  }
#endif
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < used; ++i) {
    long (*one)(void) = modules[i];
#pragma omp task shared(sum) firstprivate(one)
    {
      long mine = one();
#pragma omp atomic
      sum += mine;
    }
  }
  CHECK_EQ(sum, used << kDepth);
  constructs();
  // An inlined one is made by a call where its thread has no block for it, or is new to the library.
  if (count > 1 && strcmp(arguments[1], "inlined") == 0) CHECK(made_by_calls < kTasks / 2);
  if (count > 1 && strcmp(arguments[1], "called") == 0) CHECK_EQ(made_by_calls, kTasks + 2);
  if (count > 1 && strcmp(arguments[1], "inlined") == 0) CHECK_EQ(constructs_by_calls, 0);
  if (count > 1 && (strcmp(arguments[1], "called") == 0 || strcmp(arguments[1], "watched") == 0))
    CHECK_EQ(constructs_by_calls, 2 * kRounds * threads);
  if (count > 1 && strcmp(arguments[1], "direct") == 0) CHECK_EQ(in_frame_of_creator, kTasks / 2);
  return 0;
}
#endif
#endif
