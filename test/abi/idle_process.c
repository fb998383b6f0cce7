// In a process that uses no OpenMP the library does nothing: no thread, no hwloc, no message, no file left open; also
// if settings are wrong, since nothing has asked for them to be read.
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang -std=gnu11 -I%root/test %s -o %t
// RUN: env OMP_NUM_THREADS=abc OMP_DISPLAY_ENV=TRUE %t %library > %t.said 2>&1
// RUN: test ! -s %t.said
// RUN: env LD_PRELOAD=%library /bin/true
#include "support/process.h"
#include <fcntl.h>

/// Without descriptors but the first three, so that what is open later was left open by the library.
static void become_preloaded(const char* library) {
  CHECK_EQ(close_range(3, ~0U, 0), 0);
  setenv("LD_PRELOAD", library, 1);
  execl("/proc/self/exe", "idle_process", NULL);
  CHECK(!"executed");
}

int main(int argc, char** argv) {
  if (argc == 2) become_preloaded(argv[1]);
  CHECK_EQ(mapped_files("libomp", 0, 0), 1);
  CHECK_EQ(mapped_files("libhwloc", 0, 0), 0);
  CHECK_EQ(mapped_files("libstdc++", 0, 0), 0);
  CHECK_EQ(thread_count(), 1);
  int next = open("/dev/null", O_RDONLY); // takes the first number that is free
  CHECK_EQ(next, 3);
  for (int descriptor = 4; descriptor < 1024; descriptor++) CHECK_EQ(fcntl(descriptor, F_GETFD), -1);
  return 0;
}
