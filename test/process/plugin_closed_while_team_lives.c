// A plug-in with regions and tasks is opened, used and closed, again and again, by a program that uses OpenMP itself
// and by one that does not: the team made for the plug-in lives on when its code is gone, and serves the next one.
// Static objects of the plug-in are destroyed by regions.
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp -DPLUGIN -shared -fPIC %s -o %t.so
// RUN: %clang-openmp %s -o %t -ldl && %for-threads -t "1 2 3 8" %t %t.so
// RUN: %clang -std=gnu11 -O2 -DWITHOUT_OPENMP -I%root/test %s -o %t.plain -ldl && %for-threads -t "1 2 3 8" %t.plain %t.so
#ifndef WITHOUT_OPENMP
#include "support/regions.h"
#else
#include "support/check.h"
static void use_openmp(int unused) {}
#endif

#ifdef PLUGIN
static long runs;
long plugin_runs(void) {
  use_openmp(0);
  return ++runs;
}
__attribute__((constructor)) static void opened(void) { use_openmp(0); }
__attribute__((destructor)) static void closed(void) { use_openmp(0); }
#else
#include <dlfcn.h>
#include <time.h>
int main(int argc, char** argv) {
  CHECK_EQ(argc, 2);
  for (int round = 0; round < 30; round++) {
    void* plugin = dlopen(argv[1], (round % 2 ? RTLD_NOW : RTLD_LAZY) | (round % 3 ? RTLD_LOCAL : RTLD_GLOBAL));
    if (!plugin) fprintf(stderr, "%s\n", dlerror());
    CHECK(plugin);
    long (*plugin_runs)(void) = (long (*)(void))dlsym(plugin, "plugin_runs");
    CHECK(plugin_runs);
    CHECK_EQ(plugin_runs(), 1); // a fresh copy: the last one was really unmapped
    CHECK_EQ(plugin_runs(), 2);
    if (round % 4 == 0) nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL); // the team falls asleep
    CHECK_EQ(dlclose(plugin), 0);
    use_openmp(0);
  }
  return 0;
}
#endif
