// What a word takes from one CPU to another and back, in nanoseconds: the best of several series. usage: pingpong CPU
// CPU
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kSeries = 10, kTrips = 200 };

static _Alignas(128) atomic_int word;

static void bind(const char* cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(atoi(cpu), &set);
  sched_setaffinity(0, sizeof set, &set);
}

// Waits for a number, and answers with the next.
static void answer(int number) {
  while (atomic_load_explicit(&word, memory_order_acquire) != number) {
  }
  atomic_store_explicit(&word, number + 1, memory_order_release);
}

static void* second(void* cpu) {
  bind(cpu);
  for (int i = 0; i < kSeries * kTrips; ++i) answer(2 * i + 1);
  return NULL;
}

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

int main(int count, char** words) {
  pthread_t other;
  double best = 0;
  if (count != 3 || pthread_create(&other, NULL, second, words[2]) != 0) return 1;
  bind(words[1]);
  for (int series = 0; series < kSeries; ++series) {
    double begin = now_ns();
    for (int i = series * kTrips; i < (series + 1) * kTrips; ++i) answer(2 * i);
    double each = (now_ns() - begin) / kTrips;
    if (best == 0 || each < best) best = each;
  }
  pthread_join(other, NULL);
  printf("%.1f\n", best);
  return 0;
}
