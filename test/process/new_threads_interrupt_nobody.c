// A thread that is made for a large team sleeps at most once before its first region, until that begins, and no CPU is
// interrupted for that sleep: one interruption a thread is what the sleep at the end of the region costs. (1.0 and
// less. When new threads slept twice, and interrupted all CPUs each time, they were 2 to 4.)
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp -rdynamic %s -o %t -ldl && %for-threads -t "200" %t
#include "support/check.h"
#include <dlfcn.h>
#include <omp.h>
#include <stdarg.h>
#include <sys/syscall.h>

static int interruptions;
static long (*real_syscall)(long, ...);

// The library's calls come here.
long syscall(long number, ...) {
  long argument[6];
  va_list list;
  va_start(list, number);
  for (int i = 0; i < 6; i++) argument[i] = va_arg(list, long);
  va_end(list);
  if (number == SYS_membarrier) ATOMIC_ADD(interruptions, 1);
  return real_syscall(number, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
}

__attribute__((constructor)) static void find_syscall(void) { *(void**)&real_syscall = dlsym(RTLD_NEXT, "syscall"); }

int main(void) {
  omp_get_max_threads(); // the runtime starts
  int threads = 0;
  ATOMIC_STORE(interruptions, 0);
#pragma omp parallel
  ATOMIC_ADD(threads, 1);
  fprintf(stderr, "%d threads: %d interruptions\n", threads, ATOMIC_LOAD(interruptions));
  CHECK(2 * ATOMIC_LOAD(interruptions) <= 3 * threads);
  return 0;
}
