// The assertion of the unit tests: says what failed and where, counts, and makes the program's exit status.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>

inline int failures = 0;

#define THAT(condition)                                                                                                \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                        \
      failures++;                                                                                                      \
    }                                                                                                                  \
  } while (0)

/// The exit status for main().
inline int result() {
  if (failures) fprintf(stderr, "%d checks failed\n", failures);
  return failures ? 1 : 0;
}
