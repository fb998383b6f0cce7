// A team never has so many threads that their stacks use up the mappings that the system grants a process: then there
// would be none for memory, and the process would end. It has fewer, and one warning says so. Here the system says that
// it grants few.
// RUN: %clang-openmp -rdynamic %s -o %t
// RUN: %chomp-run %t 40 2>%t.said && grep -c "Warning #96" %t.said | grep -x 1
// RUN: %chomp-run %t 65530 2>%t.said && test ! -s %t.said
#include "support/check.h"
#include <fcntl.h>
#include <omp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>

enum { kWanted = 12, kMappingsOfThread = 4 }; // its stack, its signal stack, and their guards

static int grants, asked;

// The library's calls come here.
int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  int mode = flags & O_CREAT ? va_arg(list, int) : 0;
  va_end(list);
  if (strcmp(path, "/proc/sys/vm/max_map_count") != 0) return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
  asked = 1;
  int ends[2];
  char text[32];
  int length = snprintf(text, sizeof text, "%d\n", grants);
  CHECK_EQ(pipe(ends), 0);
  CHECK_EQ(write(ends[1], text, (size_t)length), length);
  close(ends[1]);
  return ends[0];
}

int main(int argc, char** argv) {
  CHECK_EQ(argc, 2);
  grants = atoi(argv[1]);
  for (int i = 0; i < 3; i++) {
    int size = 0, members = 0;
#pragma omp parallel num_threads(kWanted) reduction(+ : members)
    {
      members++;
#pragma omp single
      size = omp_get_num_threads();
    }
    CHECK_EQ(members, size);
    CHECK(size <= kWanted);
    if (grants >= kWanted * 2 * kMappingsOfThread)
      CHECK_EQ(size, kWanted);
    else
      CHECK(size > 2 && size * kMappingsOfThread < grants);
  }
  CHECK(asked);
  return 0;
}
