// One trace of waiting: `waiting TRACE US [ROUNDS]`. How long a thread that waits should spin before it sleeps depends
// on what comes next, and on who else wants its CPU. Each trace is one way in which programs wait; US is the length of
// what is waited for, in microseconds. Prints the time of all rounds after some that a runtime may learn from. To
// compare: tools/scale with --env OMP_WAIT_POLICY=active, with passive, and without.
#include "support/check.h"
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kMostThreads = 64, kCallers = 4, kTurns = 8 };

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static volatile struct {
  _Alignas(64) uint64_t value;
} result[kMostThreads];

static void steps(int who, long count) {
  uint64_t seed = (uint64_t)who;
  for (long i = 0; i < count; i++) seed = seed * 6364136223846793005u + (seed & 1 ? 1442695040888963407u : 1);
  result[who % kMostThreads].value = seed;
}

static double steps_per_us = 100;

static void work(int who, double us) { steps(who, (long)(us * steps_per_us)); }

static void measure_steps(void) {
  double best = 1;
  for (int i = 0; i < 10; i++) {
    double began = now_s();
    steps(0, 2000);
    double took = now_s() - began;
    best = took < best ? took : best;
  }
  steps_per_us = 2000 / (best * 1e6);
}

static void region(double us) {
#pragma omp parallel
  work(omp_get_thread_num(), us);
}

static double us;

static void back_to_back(void) { region(us); }

static void serial_phase(void) {
  work(0, us);
  region(20);
}

// Two phases in turn: a short one after one region, a long one after the other.
static void two_phases(void) {
  work(0, us / 100);
#pragma omp parallel
  work(omp_get_thread_num(), 20);
  work(0, us);
#pragma omp parallel
  work(omp_get_thread_num(), 20);
}

static void unbalanced(void) {
#pragma omp parallel
  work(omp_get_thread_num(), omp_get_thread_num() == 0 ? us : 1);
}

static void ordered(void) {
#pragma omp parallel for ordered schedule(static, 1)
  for (int i = 0; i < kTurns; i++) {
    work(omp_get_thread_num(), 1);
#pragma omp ordered
    work(omp_get_thread_num(), us);
  }
}

// Another library's threads, which wait by sched_yield() as OpenBLAS's do.
static int calls, working, ended;

static void* pool_thread(void* number) {
  for (int seen = 0;; seen++) {
    while (__atomic_load_n(&calls, __ATOMIC_ACQUIRE) == seen) {
      if (__atomic_load_n(&ended, __ATOMIC_RELAXED)) return NULL;
      sched_yield();
    }
    work((int)(intptr_t)number, us);
    __atomic_fetch_sub(&working, 1, __ATOMIC_RELEASE);
  }
}

static void other_pool(void) {
  __atomic_store_n(&working, omp_get_max_threads() - 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&calls, 1, __ATOMIC_RELEASE);
  work(0, us);
  while (__atomic_load_n(&working, __ATOMIC_ACQUIRE) != 0) sched_yield();
  region(20);
}

static long rounds = 100;

static void* caller(void* unused) {
  (void)unused;
  for (long i = 0; i < rounds; i++) {
    region(us);
    work(0, us);
  }
  return NULL;
}

static void callers(void) {
  pthread_t threads[kCallers];
  for (int i = 0; i < kCallers; i++) CHECK_EQ(pthread_create(&threads[i], NULL, caller, NULL), 0);
  for (int i = 0; i < kCallers; i++) CHECK_EQ(pthread_join(threads[i], NULL), 0);
}

static const struct {
  const char* name;
  void (*round)(void);
} traces[] = {{"back", back_to_back}, {"serial", serial_phase}, {"two", two_phases}, {"unbalanced", unbalanced},
              {"ordered", ordered},   {"pool", other_pool},     {"callers", callers}};

int main(int argc, char** argv) {
  CHECK(argc >= 3);
  us = atof(argv[2]);
  if (argc > 3) rounds = atol(argv[3]);
  void (*round)(void) = NULL;
  for (size_t i = 0; i < sizeof traces / sizeof traces[0]; i++)
    if (strcmp(traces[i].name, argv[1]) == 0) round = traces[i].round;
  CHECK(round != NULL);
  measure_steps();
  pthread_t pool[kMostThreads];
  int pool_threads = round == other_pool ? omp_get_max_threads() - 1 : 0;
  for (int i = 0; i < pool_threads; i++)
    CHECK_EQ(pthread_create(&pool[i], NULL, pool_thread, (void*)(intptr_t)(i + 1)), 0);
  region(1);
  double began;
  if (round == callers) {
    began = now_s();
    callers();
  } else {
    for (long i = 0; i < rounds / 4; i++) round();
    began = now_s();
    for (long i = 0; i < rounds; i++) round();
  }
  printf("Time Program = %.9f seconds\n", now_s() - began);
  __atomic_store_n(&ended, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < pool_threads; i++) CHECK_EQ(pthread_join(pool[i], NULL), 0);
  return 0;
}
