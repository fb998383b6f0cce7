// Where the process may have only so much address space (RLIMIT_AS) a team has the threads for which there is room, and
// there is room left for its tasks: at no limit does the process end for want of memory that stacks and libc's arenas
// have taken.
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp %s -o %t
// RUN: %chomp-run env KMP_WARNINGS=0 OMP_STACKSIZE=8M %t
#include <omp.h>
#include <stdio.h>
#include <sys/resource.h>

#include "support/check.h"
#include "support/children.h"

static int fib(int n) {
  int a, b;
  if (n < 2) return n;
#pragma omp task shared(a)
  a = fib(n - 1);
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

static long address_space(void) {
  long pages = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  CHECK_EQ(fscanf(file, "%ld", &pages), 1);
  fclose(file);
  return pages * 4096;
}

static void regions(void) {
  for (int i = 0; i < 3; i++) {
    int result = 0, members = 0, size = 0;
#pragma omp parallel num_threads(40) reduction(+ : members)
    {
      members++;
#pragma omp single
      {
        size = omp_get_num_threads();
        result = fib(16);
      }
    }
    CHECK_EQ(result, 987);
    CHECK_EQ(members, size);
  }
}

int main(void) {
  int ended_badly = 0;
  for (long more = 12; more < 400; more += 5) {
    pid_t child = fork();
    if (child == 0) {
      struct rlimit limit = {(rlim_t)(address_space() + (more << 20)), RLIM_INFINITY};
      CHECK_EQ(setrlimit(RLIMIT_AS, &limit), 0);
      regions();
      _exit(0);
    }
    int status = -1;
    CHECK_EQ(waitpid(child, &status, 0), child);
    if (status != 0) printf("with %ld MiB more: status %x\n", more, (unsigned)status);
    ended_badly += status != 0;
  }
  CHECK_EQ(ended_badly, 0);
  return 0;
}
