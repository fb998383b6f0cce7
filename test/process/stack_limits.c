// Small, unlimited and odd stacks: the program's own (ulimit -s) and those of the team's threads (OMP_STACKSIZE). Every
// team has the size it was asked for, whatever the setting, also when the program has much thread-local storage, which
// libc takes from the same stacks; the size of a thread's stack is at least the one set.
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp %s -o %t
// RUN: sh -c 'ulimit -s unlimited; exec "$@"' - %chomp-run env OMP_NUM_THREADS=4 %t 0
// RUN: sh -c 'ulimit -s 256; exec "$@"' - %chomp-run env OMP_NUM_THREADS=4 %t 0
// RUN: sh -c 'ulimit -s 1000000; exec "$@"' - %chomp-run env OMP_NUM_THREADS=4 %t 0
// RUN: %chomp-run env OMP_NUM_THREADS=4 OMP_STACKSIZE=1B %t 0
// RUN: %chomp-run env OMP_NUM_THREADS=4 OMP_STACKSIZE=1 %t 0
// RUN: %chomp-run env OMP_NUM_THREADS=4 OMP_STACKSIZE=20000B %t 20000
// RUN: %chomp-run env OMP_NUM_THREADS=4 OMP_STACKSIZE=64K %t 65536
// RUN: %chomp-run env OMP_NUM_THREADS=4 OMP_STACKSIZE=1G %t 1073741824
// RUN: %clang-openmp -DMUCH_THREAD_LOCAL_STORAGE %s -o %t.tls
// RUN: %chomp-run env OMP_NUM_THREADS=4 OMP_STACKSIZE=64K %t.tls 65536
// RUN: %chomp-run env OMP_NUM_THREADS=4 OMP_STACKSIZE=1B %t.tls 0
#include "support/regions.h"
#include <pthread.h>

#ifdef MUCH_THREAD_LOCAL_STORAGE
static __thread char much[1 << 20];
static void touch(void) {
  for (size_t i = 0; i < sizeof much; i += 4096) much[i]++;
}
#else
static void touch(void) {}
#endif

static size_t own_stack(void) {
  pthread_attr_t attributes;
  size_t bytes;
  CHECK_EQ(pthread_getattr_np(pthread_self(), &attributes), 0);
  CHECK_EQ(pthread_attr_getstacksize(&attributes, &bytes), 0);
  pthread_attr_destroy(&attributes);
  return bytes;
}

static long depth(int n) {
  long a = 0;
  if (n == 0) return 1;
#pragma omp task shared(a)
  a = depth(n - 1);
#pragma omp taskwait
  return a + 1;
}

int main(int argc, char** argv) {
  size_t least = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
  int threads = 0;
  long deep = 0;
#pragma omp parallel num_threads(4) reduction(+ : threads)
  {
    threads++;
    touch();
    if (omp_get_thread_num() > 0) CHECK(own_stack() >= least);
  }
  CHECK_EQ(threads, 4);
#pragma omp parallel num_threads(4)
#pragma omp single
  deep = depth(2000); // on segments, where the stacks are small
  CHECK_EQ(deep, 2001);
  use_openmp(0);
  return 0;
}
