// Catches what a piece of code writes to standard error, and how it ends: runs it in a forked child. For messages,
// settings that are read once per process, and code that aborts.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

struct Captured {
  char text[65536];
  int status; // as from waitpid
};

/// The child runs `body` and exits with its result.
template <class Body> Captured capture(Body body) {
  static Captured captured;
  int ends[2];
  if (pipe(ends) != 0) abort();
  pid_t child = fork();
  if (child < 0) abort();
  if (child == 0) {
    dup2(ends[1], 2);
    close(ends[0]);
    close(ends[1]);
    _exit(body());
  }
  close(ends[1]);
  size_t length = 0;
  for (;;) {
    ssize_t got = read(ends[0], captured.text + length, sizeof captured.text - 1 - length);
    if (got <= 0) break;
    length += static_cast<size_t>(got);
  }
  captured.text[length] = 0;
  close(ends[0]);
  waitpid(child, &captured.status, 0);
  return captured;
}
