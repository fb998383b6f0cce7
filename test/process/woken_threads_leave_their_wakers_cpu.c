// A new pool thread begins on another CPU than the thread that made it; one that has been woken, and finds itself on
// the CPU of the thread that woke it, goes to another one. Both have the process's mask afterwards. Threads of the
// program, bound ones, those of programs that want no affinity calls at all, and those that somebody has pinned stay
// where they are; so do, at first, all threads of a program that begins where the machine is crowded.
// The sanitizer has a pthread_create() of its own.
// UNSUPPORTED: sanitizer-thread
// RUN: %clang-openmp %s -o %t
// RUN: env KMP_BLOCKTIME=0 %library-path %t leave
// RUN: env KMP_BLOCKTIME=0 OMP_PROC_BIND=false %library-path %t leave
// RUN: env KMP_BLOCKTIME=0 KMP_AFFINITY=disabled %library-path %t stay
// RUN: env KMP_BLOCKTIME=0 %library-path %t pinned
// RUN: env KMP_BLOCKTIME=0 %library-path %t crowded
// RUN: env KMP_BLOCKTIME=0 OMP_PROC_BIND=close OMP_PLACES=threads %library-path %t bound
#include "support/check.h"
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>

static cpu_set_t all;
static int everybodys_cpu;
static atomic_int begun, returned, moves, bindings;
static _Thread_local int moving;

// The library's calls come here: all threads seem to run on one CPU.
int sched_getcpu(void) { return everybodys_cpu; }

int pthread_attr_setaffinity_np(pthread_attr_t* attributes, size_t size, const cpu_set_t* mask) {
  cpu_set_t others = all;
  CPU_CLR(everybodys_cpu, &others);
  CHECK(CPU_EQUAL(mask, &others));
  begun++;
  return ((int (*)(pthread_attr_t*, size_t, const cpu_set_t*))dlsym(RTLD_NEXT, "pthread_attr_setaffinity_np"))(
      attributes, size, mask);
}

int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t* mask) {
  CHECK(getpid() != (pid_t)syscall(SYS_gettid) || !moving); // never the program's own thread
  cpu_set_t others = all;
  CPU_CLR(everybodys_cpu, &others);
  if (moving) {
    CHECK(CPU_EQUAL(mask, &all));
    moving = 0;
  } else if (CPU_EQUAL(mask, &others)) {
    moving = 1;
    moves++;
  } else if (CPU_EQUAL(mask, &all)) {
    CHECK(++returned <= begun);
  } else {
    bindings++;
  }
  return (int)syscall(SYS_sched_setaffinity, pid, size, mask);
}

// The machine has so many CPUs that it is not crowded, or is so by threads that spin.
static volatile int machine_is_large = 1;
long sysconf(int name) {
  if (name == _SC_NPROCESSORS_ONLN && machine_is_large) return 16384;
  return ((long (*)(int))dlsym(RTLD_NEXT, "sysconf"))(name);
}

static void* spin(void* unused) {
  while (machine_is_large == 0) {
  }
  return unused;
}

static void begin_in_a_crowd(void) {
  pthread_t thread;
  machine_is_large = 0;
  long threads = 3 * sysconf(_SC_NPROCESSORS_ONLN) + 1;
  for (long i = 0; i < threads; i++) CHECK_EQ(pthread_create(&thread, NULL, spin, NULL), 0);
#pragma omp parallel num_threads(2)
  CHECK_EQ(begun + moves, 0);
}

// A tool pins each thread to one CPU when it is made, here by what the thread does first.
static int pins;
static cpu_set_t one;
static void* (*body_of_thread)(void*);

static void* pinned(void* argument) {
  CHECK_EQ(syscall(SYS_sched_setaffinity, 0, sizeof one, &one), 0);
  return body_of_thread(argument);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*), void* argument) {
  if (pins) body_of_thread = body, body = pinned;
  return ((int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*))dlsym(RTLD_NEXT, "pthread_create"))(
      thread, attributes, body, argument);
}

int main(int argc, char** argv) {
  CHECK_EQ(argc, 2);
  CHECK_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  while (!CPU_ISSET(everybodys_cpu, &all)) everybodys_cpu++;
  if (strcmp(argv[1], "crowded") == 0) return begin_in_a_crowd(), 0;
  CPU_SET(everybodys_cpu, &one);
  pins = strcmp(argv[1], "pinned") == 0;
  int leaves = strcmp(argv[1], "leave") == 0;
  int can_move = CPU_COUNT(&all) > 1 && omp_get_num_procs() > 1; // a CPU quota may leave one
  int threads = 0, region = 0;
  // On a oversubscribed machine the other thread may not have fallen asleep when the next region begins.
  enum { kMostRegions = 5000 };
  for (; region < 20 || (leaves && can_move && moves <= 10 && region < kMostRegions); region++) {
#pragma omp parallel num_threads(2) reduction(+ : threads)
    {
      threads++;
      cpu_set_t now;
      CHECK_EQ(sched_getaffinity(0, sizeof now, &now), 0);
      if (strcmp(argv[1], "bound") != 0) CHECK(CPU_EQUAL(&now, pins && omp_get_thread_num() == 1 ? &one : &all));
    }
    if (region == 0) CHECK_EQ(begun, (leaves || pins) && can_move);
    usleep(2000); // the other thread sleeps
  }
  CHECK_EQ(threads, 2 * region);
  CHECK_EQ(returned, pins ? 0 : begun);
  if (leaves && can_move) CHECK(moves > 10);
  if (strcmp(argv[1], "stay") == 0 || pins) CHECK_EQ(moves + bindings, 0);
  if (strcmp(argv[1], "bound") == 0) CHECK_EQ(moves + bindings, 2); // each thread, once
  return 0;
}
