// A program that lives for hours: each round runs regions of changing sizes, loops, tasks of every kind, groups,
// dependences, detached tasks, cancellation, nested regions, locks, and root threads that come and go, and checks what
// they did. It prints the number of the round once in a while and ends well at SIGTERM. tools/soak watches its memory,
// threads and files: after the first rounds, none may grow.
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(good)                                                                                                    \
  do {                                                                                                                 \
    if (!(good))                                                                                                       \
      fprintf(stderr, "endless: line %d: %s is wrong in round %ld\n", __LINE__, #good, round_number), exit(1);         \
  } while (0)

static long round_number;
static volatile sig_atomic_t stopped;

static void stop(int signal_number) {
  (void)signal_number;
  stopped = 1;
}

static uint64_t state;

static int random_below(int n) {
  state += 0x9e3779b97f4a7c15u;
  uint64_t x = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
  return (int)((x ^ (x >> 31)) % (uint64_t)n);
}

static void tree(int depth, long* count) {
#pragma omp atomic
  *count += 1;
  for (int i = 0; i < 3 && depth > 0; i++) {
#pragma omp task firstprivate(depth) untied final(depth < 2)
    tree(depth - 1, count);
  }
#pragma omp taskwait
}

static void loops(int threads) {
  long sum = 0, last = -1;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
  {
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < 100; i++) sum += i;
#pragma omp for schedule(guided, 2) lastprivate(last)
    for (int i = 0; i < 57; i++) last = i;
#pragma omp for ordered schedule(static, 1)
    for (int i = 0; i < 20; i++) {
#pragma omp ordered
      sum += 1;
    }
#pragma omp sections
    {
#pragma omp section
      sum += 1;
#pragma omp section
      sum += 1;
    }
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 64; i++) {
      if (i == 40) {
#pragma omp cancel for
      }
    }
  }
  CHECK(sum == 4950 + 22 && last == 56);
}

static void tasks(int threads) {
  long count = 0, ordered_ones = 0, detached = 0, reduced = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
  {
    tree(5, &count);
#pragma omp taskgroup task_reduction(+ : reduced)
    {
      for (int i = 0; i < 50; i++) {
#pragma omp task in_reduction(+ : reduced) priority(i % 4) mergeable
        reduced += 1;
      }
    }
    for (int i = 0; i < 60; i++) {
#pragma omp task depend(inout : ordered_ones)
      ordered_ones = ordered_ones * 2 % 1000003 + 1;
    }
    for (int i = 0; i < 10; i++) {
      omp_event_handle_t event;
#pragma omp task detach(event)
      {
#pragma omp atomic
        detached += 1;
      }
#pragma omp task firstprivate(event)
      omp_fulfill_event(event);
    }
#pragma omp taskloop num_tasks(7) reduction(+ : count)
    for (int i = 0; i < 100; i++) count += 1;
#pragma omp taskgroup
    for (int i = 0; i < 30; i++) {
#pragma omp task
      {
        if (i == 20) {
#pragma omp cancel taskgroup
        }
      }
    }
  }
  long expected = 0;
  for (int i = 0; i < 60; i++) expected = expected * 2 % 1000003 + 1;
  CHECK(count == 364 + 100 && ordered_ones == expected && detached == 10 && reduced == 50);
}

static void nested(int threads) {
  long count = 0, total = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(threads) reduction(+ : total)
  {
    int wanted = omp_get_thread_num() % 3 + 1;
#pragma omp parallel num_threads(wanted) reduction(+ : total)
    {
      total += omp_get_num_threads() > 0;
      omp_set_lock(&lock);
      count++;
      omp_unset_lock(&lock);
    }
  }
  omp_destroy_lock(&lock);
  CHECK(count == total && count >= threads / threads);
}

static void* root(void* argument) {
  loops((int)(intptr_t)argument);
  tasks((int)(intptr_t)argument);
  return 0;
}

static void root_threads(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; i++)
    if (pthread_create(&threads[i], 0, root, (void*)(intptr_t)(i + 1))) abort();
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
}

int main(int argc, char** argv) {
  long rounds = argc > 1 ? atol(argv[1]) : 0; // 0: until a signal comes
  state = argc > 2 ? strtoull(argv[2], 0, 10) : 1;
  signal(SIGTERM, stop);
  int most = omp_get_max_threads();
  for (; !stopped && (rounds == 0 || round_number < rounds); round_number++) {
    int threads = 1 + random_below(most);
    loops(threads);
    tasks(threads);
    if (round_number % 4 == 0) nested(1 + random_below(4));
    if (round_number % 16 == 0) root_threads();
    if (round_number % 256 == 0) printf("round %ld\n", round_number), fflush(stdout);
  }
  printf("round %ld\nend\n", round_number);
  return 0;
}
