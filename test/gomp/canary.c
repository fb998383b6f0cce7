// A program linked with libgomp runs on the library under test: by LD_PRELOAD, and where that is found as libgomp.so.1.
// The entry points that it calls are in the file in the build directory. If this fails, no other result here means
// anything.
// REQUIRES: gomp
// RUN: %gcc-openmp %s -o %t -ldl
// RUN: %chomp-run %t %lib replaced
// RUN: %chomp-preload %t %lib preloaded
// RUN: %t %lib stock
#include "support/process.h"
#include <dlfcn.h>
#include <limits.h>
#include <omp.h>
#include <string.h>

extern void GOMP_parallel(void (*)(void*), void*, unsigned, unsigned);
extern void GOMP_barrier(void);

static int is_at_home(void* function, const char* folder) {
  Dl_info info;
  char path[PATH_MAX];
  CHECK(dladdr(function, &info) && realpath(info.dli_fname, path));
  return strncmp(path, folder, strlen(folder)) == 0 && path[strlen(folder)] == '/';
}

int main(int argc, char** argv) {
  char folder[PATH_MAX];
  int members = 0;
  CHECK(argc == 3 && realpath(argv[1], folder));
#pragma omp parallel num_threads(3) reduction(+ : members)
  {
#pragma omp barrier
    members++;
  }
  CHECK_EQ(members, 3);
  // The last run proves that the program needs libgomp, and that these checks can fail.
  int stock = strcmp(argv[2], "stock") == 0;
  CHECK_EQ(mapped_files("libomp", 0, 0), !stock);
  CHECK_EQ(mapped_files("libgomp", 0, 0), strcmp(argv[2], "replaced") != 0); // preloaded: mapped, and not called
  CHECK_EQ(is_at_home((void*)GOMP_parallel, folder), !stock);
  CHECK_EQ(is_at_home((void*)GOMP_barrier, folder), !stock);
  CHECK_EQ(is_at_home((void*)omp_get_thread_num, folder), !stock);
  return 0;
}
