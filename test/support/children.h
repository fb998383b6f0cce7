// Processes made and judged by a test.
#pragma once

#include "support/check.h"
#include <sys/wait.h>

/// fork(); what was printed before is not printed twice.
static inline pid_t fork_checked(void) {
  fflush(NULL);
  pid_t child = fork();
  CHECK(child >= 0);
  return child;
}

/// Waits for the child and checks that it left with this status.
static inline void expect_status(pid_t child, int expected) {
  int status;
  CHECK_EQ(waitpid(child, &status, 0), child);
  if (WIFSIGNALED(status)) fprintf(stderr, "the child was ended by signal %d\n", WTERMSIG(status));
  CHECK(WIFEXITED(status));
  CHECK_EQ(WEXITSTATUS(status), expected);
}
