// The library can be opened at run time by a program that knows nothing of OpenMP (little static TLS), also by
// RTLD_LOCAL, and closing it does not unmap it under its threads.
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang -std=gnu11 -I%root/test %s -o %t -ldl && %t %library
#include "support/process.h"
#include <dlfcn.h>

int main(int argc, char** argv) {
  CHECK_EQ(argc, 2);
  for (int i = 0; i < 3; i++) {
    void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) fprintf(stderr, "%s\n", dlerror());
    CHECK(library);
    int (*max_threads)(void) = (int (*)(void))dlsym(library, "omp_get_max_threads");
    int (*kmp_block)(void) = (int (*)(void))dlsym(library, "kmp_get_blocktime");
    CHECK(max_threads && kmp_block);
    CHECK(max_threads() >= 1);
    CHECK(kmp_block() >= 0);
    dlclose(library);
    CHECK(mapped_files("libomp", 0, 0) == 1);
  }
  return 0;
}
