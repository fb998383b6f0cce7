// In a process that uses no OpenMP the library does nothing: no thread, no hwloc, no message, no file left open; also
// if settings are wrong, since nothing has asked for them to be read.
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang -std=gnu11 -I%root/test %s -o %t
// RUN: env LD_PRELOAD=%library OMP_NUM_THREADS=abc OMP_DISPLAY_ENV=TRUE %t preloaded > %t.said 2>&1
// RUN: test ! -s %t.said
// RUN: env LD_PRELOAD=%library /bin/true
#include "support/process.h"
#include <dirent.h>

int main(int argc, char** argv) {
  CHECK_EQ(argc, 2);
  CHECK_EQ(mapped_files("libomp", 0, 0), 1);
  CHECK_EQ(mapped_files("libhwloc", 0, 0), 0);
  CHECK_EQ(mapped_files("libstdc++", 0, 0), 0);
  CHECK_EQ(thread_count(), 1);
  int open_files = 0;
  DIR* directory = opendir("/proc/self/fd");
  CHECK(directory);
  for (struct dirent* entry; (entry = readdir(directory));)
    if (entry->d_name[0] != '.' && atoi(entry->d_name) > 2 && atoi(entry->d_name) != dirfd(directory)) {
      char link[300], target[300] = "";
      snprintf(link, sizeof link, "/proc/self/fd/%s", entry->d_name);
      if (readlink(link, target, sizeof target - 1) > 0 && strstr(target, "/proc/self")) open_files++;
    }
  closedir(directory);
  CHECK_EQ(open_files, 0);
  return 0;
}
