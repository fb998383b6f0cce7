// One thread is in dlopen(), whose plug-in runs its first region from a constructor, under the loader's lock, while
// another thread runs the first region of the program: neither waits for the other, and where a container has no /sys
// nothing is said about that.
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp -DPLUGIN -shared -fPIC %s -o %t.so
// RUN: %clang-openmp -rdynamic %s -o %t -ldl && %for-threads -t "1 2 8" %t %t.so
// RUN: %if mounts %{ %without-sys %chomp-run env OMP_NUM_THREADS=2 %t %t.so 2>&1 | not grep . %}
#include "support/regions.h"
#include <time.h>

extern int in_constructor, region_begun;

#ifdef PLUGIN
__attribute__((constructor)) static void opened(void) {
  ATOMIC_STORE(in_constructor, 1);
  SPIN_UNTIL(ATOMIC_LOAD(region_begun));
  nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL); // the other is now in its first region, or waits in it
  use_openmp(0);
}
#else
#include <dlfcn.h>
#include <pthread.h>

int in_constructor, region_begun;

static void* first_region(void* unused) {
  SPIN_UNTIL(ATOMIC_LOAD(in_constructor));
  ATOMIC_STORE(region_begun, 1);
  use_openmp(0);
  return unused;
}

int main(int argc, char** argv) {
  pthread_t thread;
  CHECK_EQ(pthread_create(&thread, NULL, first_region, NULL), 0);
  CHECK(dlopen(argv[1], RTLD_NOW));
  CHECK_EQ(pthread_join(thread, NULL), 0);
  return 0;
}
#endif
