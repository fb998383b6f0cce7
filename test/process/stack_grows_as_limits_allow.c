// The initial thread's stack grows while it is used, so limits count that are in force then. RLIMIT_STACK may be
// lowered after the first region: deep tasks go to segments earlier. Where the address space is used up (RLIMIT_AS),
// the program is right, or ends with a line that says why: never by a bare SIGSEGV.
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp %s -o %t && sh -c 'ulimit -s 8192; exec "$@"' - %chomp-run %t
#include "support/children.h"
#include "support/process.h"
#include <errno.h>
#include <omp.h>
#include <sys/resource.h>

static long depth(int n) {
  volatile char frame[400];
  long a = 0;
  frame[n % 400] = 1;
  if (n == 0) return 1;
#pragma omp task shared(a)
  a = depth(n - 1);
#pragma omp taskwait
  return a + frame[n % 400];
}

/// Recursion of tasks on the initial thread.
static void nest(int levels) {
  long reached = 0;
#pragma omp parallel num_threads(2)
#pragma omp masked
  reached = depth(levels);
  CHECK_EQ(reached, levels + 1);
}

static void set_limit(int which, size_t bytes) {
  struct rlimit limit;
  CHECK_EQ(getrlimit(which, &limit), 0);
  limit.rlim_cur = bytes;
  CHECK_EQ(setrlimit(which, &limit), 0);
}

/// In a child: `before` levels, then the lower limit, then many.
static void lowered(size_t bytes, int before) {
  pid_t child = fork_checked();
  if (child == 0) {
    nest(before);
    set_limit(RLIMIT_STACK, bytes);
    nest(20000);
    _exit(0);
  }
  expect_status(child, 0);
}

/// In a child with so much address space left. Returns whether the answer was right.
static int with_room(size_t bytes, int before) {
  char said[4096];
  size_t length = 0;
  int pipes[2], status;
  CHECK_EQ(pipe(pipes), 0);
  pid_t child = fork_checked();
  if (child == 0) {
    set_limit(RLIMIT_CORE, 0);
    dup2(pipes[1], 2);
    close(pipes[0]);
    close(pipes[1]);
    if (before) nest(before);
    set_limit(RLIMIT_AS, (size_t)process_status("VmSize:") * 1024 + bytes);
    nest(20000);
    _exit(0);
  }
  close(pipes[1]);
  for (ssize_t got; (got = read(pipes[0], said + length, sizeof said - 1 - length)) > 0;) length += (size_t)got;
  close(pipes[0]);
  said[length] = 0;
  while (waitpid(child, &status, 0) < 0) CHECK_EQ(errno, EINTR);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 1;
  fprintf(stderr, "%zu KB left: status %x, %s\n", bytes / 1024, status, said);
  CHECK(strstr(said, "chomp: ")); // a warning of OpenMP's may come before it
  return 0;
}

int main(void) {
  lowered(2 << 20, 1);
  lowered(1 << 20, 1);
  lowered(1 << 20, 2000); // as deep as the new limit, before it
  lowered(1 << 20, 9000); // deeper
  int right = 0, wrong = 0;
  for (int before = 0; before <= 2; before++)
    for (size_t kilobytes = 0; kilobytes < 48 * 1024; kilobytes += 3 * 256 + 64) {
      int good = with_room(kilobytes * 1024, before);
      right += good;
      wrong += !good;
    }
  CHECK(right > 0 && wrong > 0); // the room went from too little to enough
  return 0;
}
