// In a set-gid program no environment variable makes the runtime open a file that it names: neither hwloc, whose own
// variables name files and plug-ins, nor any other is used, and the program runs. No report is written, although its
// user may write there, and no file is opened for one. (A set-uid program of another user could not enter a home that
// only its owner may enter, and would run on the system's library.)
// REQUIRES: root, hwloc
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp %s -o %t -rdynamic -ldl -L%lib -Wl,-rpath,%lib && %t make-secure
// RUN: %clang-openmp %s -o %t.usual -rdynamic -ldl && %library-path HWLOC_SYNTHETIC="package:2 core:2 pu:1" OMP_NUM_THREADS=3 CHOMP_STATS=%t.stats %t.usual usual
// RUN: test -s %t.stats && rm %t.stats
// RUN: env CHOMP_STATS=%t.stats HWLOC_SYNTHETIC="package:2 core:2 pu:1" HWLOC_XMLFILE=/nonexistent HWLOC_PLUGINS_PATH=/nonexistent OMP_NUM_THREADS=3 %t secure 2> %t.errors
// RUN: test ! -e %t.stats && test ! -s %t.errors
#include "support/regions.h"
#include <dlfcn.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

static int opened;

// Called by the runtime in place of libc's. Without a name it means the program itself.
void* dlopen(const char* name, int unused) {
  opened += name != NULL;
  return NULL;
}

int main(int argc, char** argv) {
  CHECK_EQ(argc, 2);
  if (strcmp(argv[1], "make-secure") == 0) {
    CHECK_EQ(chown(argv[0], -1, 65534), 0);
    CHECK_EQ(chmod(argv[0], 02755), 0);
    return 0;
  }
  int secure = strcmp(argv[1], "secure") == 0;
  CHECK_EQ(getauxval(AT_SECURE) != 0, secure);
  use_openmp(0);
  CHECK_EQ(opened > 0, !secure);
  return 0;
}
