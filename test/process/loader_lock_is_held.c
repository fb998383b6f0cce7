// Each call works while the thread holds the lock of the loader's list (in a callback of dl_iterate_phdr()), though a
// second thread, in dlopen(), holds the loader's other lock until the call has returned, and a third one is in its
// first region, or ends and makes threads. The call is the process's first, or OpenMP is in use.
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp -DPLUGIN -shared -fPIC %s -o %t.so
// RUN: %clang-openmp -rdynamic %s -o %t -ldl && %for-threads -t "1 2 8" %t %t.so
// RUN: %if mounts %{ %without-sys %chomp-run %t %t.so %}
// RUN: env OMP_PLACES=cores CHOMP_STATS=%t.stats %chomp-run %t %t.so
// RUN: %if gomp %{ %gcc-openmp -rdynamic %s -o %t.gcc -ldl && %for-threads -t "2" %t.gcc %t.so %}
// RUN: %if gomp %{ env OMP_PROC_BIND=true %chomp-preload %t.gcc %t.so beside_libgomp %}
#define _GNU_SOURCE
#include "support/check.h"

extern int in_constructor, call_returned;

#ifdef PLUGIN
__attribute__((constructor)) static void opened(void) {
  ATOMIC_STORE(in_constructor, 1);
  SPIN_UNTIL(ATOMIC_LOAD(call_returned));
}
#else
#include "support/children.h"
#include "support/regions.h"
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

int in_constructor, call_returned;
static int other_began;

static void ask(void) { CHECK(omp_get_max_threads() >= 1); }
static void set(void) {
  omp_set_num_threads(3);
  omp_set_dynamic(0);
  omp_set_schedule(omp_sched_dynamic, 4);
  omp_set_max_active_levels(2);
}
static void query(void) {
  CHECK_EQ(omp_get_thread_num(), 0);
  CHECK_EQ(omp_in_parallel(), 0);
  CHECK(omp_get_num_procs() >= 1);
  CHECK(omp_get_thread_limit() >= 1);
  CHECK(omp_get_num_places() >= 0);
  CHECK(omp_get_place_num() >= -1);
  CHECK(omp_get_wtime() >= 0);
}
static void devices(void) {
  CHECK_EQ(omp_get_num_devices(), 0);
  CHECK_EQ(omp_get_initial_device(), 0);
  CHECK(omp_get_default_device() <= 0);
}
static void memory(void) {
  void* block = omp_alloc(100, omp_default_mem_alloc);
  CHECK(block);
  omp_free(block, omp_default_mem_alloc);
}
static void locks(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  omp_set_lock(&lock);
  CHECK(!omp_test_lock(&lock));
  omp_unset_lock(&lock);
  omp_destroy_lock(&lock);
#pragma omp critical
  ;
}
static void tasks(void) {
  int count = 0;
#pragma omp taskgroup
  for (int i = 0; i < 10; i++)
#pragma omp task shared(count)
    ATOMIC_ADD(count, 1);
  CHECK_EQ(count, 10);
}
static void serial(void) { use_openmp(1); }
static void region(void) { use_openmp(3); }
static void pause_and_go_on(void) {
  omp_pause_resource_all(omp_pause_soft);
  use_openmp(2);
}

static void (*const kCalls[])(void) = {ask, set, query, devices, memory, locks, tasks, serial, region, pause_and_go_on};
enum { kCallCount = sizeof kCalls / sizeof *kCalls };

static int in_callback(struct dl_phdr_info* library, size_t size, void* call) {
  SPIN_UNTIL(ATOMIC_LOAD(other_began));
  usleep(2000); // the other waits for the loader now, or has come far
  kCalls[*(int*)call]();
  return 1;
}

static void* calls(void* call) {
  SPIN_UNTIL(ATOMIC_LOAD(in_constructor));
  CHECK_EQ(dl_iterate_phdr(in_callback, call), 1);
  ATOMIC_STORE(call_returned, 1);
  return NULL;
}

static void* other(void* unused) {
  SPIN_UNTIL(ATOMIC_LOAD(in_constructor));
  usleep(1000); // the list is locked
  ATOMIC_STORE(other_began, 1);
  use_openmp(5);
  return unused;
}

static void trial(int call, int in_use, const char* plugin) {
  if (in_use) use_openmp(2);
  pthread_t caller, second;
  CHECK_EQ(pthread_create(&caller, NULL, calls, &call), 0);
  CHECK_EQ(pthread_create(&second, NULL, other, NULL), 0);
  CHECK(dlopen(plugin, RTLD_NOW));
  CHECK_EQ(pthread_join(caller, NULL), 0);
  CHECK_EQ(pthread_join(second, NULL), 0);
  use_openmp(4);
  exit(0);
}

int main(int argc, char** argv) {
  for (int call = 0; call < kCallCount; call++) {
    if (argc == 3 && kCalls[call] == devices) continue; // the other runtime may have some: dlsym() is asked
    for (int in_use = 0; in_use < 2; in_use++) {
      pid_t child = fork_checked();
      if (child == 0) trial(call, in_use, argv[1]);
      expect_status(child, 0);
    }
  }
  return 0;
}
#endif
