// Many callers, one machine: threads of a program that each call a parallel region, one after the other, as the threads
// of a server do that call a library for each request. Prints one line: regions a second, then the median and the 99th
// percentile of a region's time in microseconds. callers_tbb.cpp has the same region in oneTBB.
//
// usage: callers [callers [seconds [microseconds of work in a region]]]
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kChunks = 16 }; // of a region's work
enum { kMostCallers = 256, kCalibrations = 5, kCalibrationSteps = 2000000 };

struct caller {
  pthread_t thread;
  double* times; // of its regions, in seconds
  size_t count, room;
  double sum;
};

static int callers = 8;
static double seconds = 2, work_us = 80;
static long steps; // of a chunk
static pthread_barrier_t ready;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double run(long count) {
  double value = 1;
  for (long i = 0; i < count; i++) value = value * 1.0000001 + 1e-9;
  return value;
}

// About as long as one region's work divided by kChunks. The result depends on every step.
double callers_chunk(void) { return run(steps); }

// All chunks, by as many threads as the library likes; their sum.
double callers_region(void);
#ifdef _OPENMP
double callers_region(void) {
  double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (int i = 0; i < kChunks; i++) sum += callers_chunk();
  return sum;
}
#endif

// The best of several: other programs may have the CPU meanwhile.
static void calibrate(void) {
  double best = 1;
  volatile double keep;
  for (int i = 0; i < kCalibrations; i++) {
    double began = now();
    keep = run(kCalibrationSteps);
    double took = now() - began;
    if (took < best) best = took;
  }
  (void)keep;
  steps = (long)(work_us * 1e-6 / kChunks * kCalibrationSteps / best);
}

static void* call(void* argument) {
  struct caller* self = argument;
  pthread_barrier_wait(&ready);
  for (double began = now(), end = began + seconds; began < end;) {
    self->sum += callers_region();
    double ended = now();
    if (self->count == self->room) {
      self->room = self->room == 0 ? 4096 : self->room * 2;
      self->times = realloc(self->times, self->room * sizeof(double));
      if (self->times == NULL) abort();
    }
    self->times[self->count++] = ended - began;
    began = ended;
  }
  return NULL;
}

static int shorter(const void* a, const void* b) {
  double left = *(const double*)a, right = *(const double*)b;
  return left < right ? -1 : left > right;
}

int main(int count, char** arguments) {
  if (count > 1) callers = atoi(arguments[1]);
  if (count > 2) seconds = atof(arguments[2]);
  if (count > 3) work_us = atof(arguments[3]);
  if (callers < 1 || callers > kMostCallers || seconds <= 0 || work_us <= 0) {
    fprintf(stderr, "usage: callers [callers [seconds [microseconds of work in a region]]]\n");
    return 2;
  }
  calibrate();
  static struct caller all[kMostCallers];
  pthread_barrier_init(&ready, NULL, (unsigned)callers);
  for (int i = 0; i < callers; i++)
    if (pthread_create(&all[i].thread, NULL, call, &all[i]) != 0) return 1;
  size_t regions = 0;
  for (int i = 0; i < callers; i++) {
    pthread_join(all[i].thread, NULL);
    regions += all[i].count;
    double right = (double)all[i].count * kChunks * callers_chunk();
    if (all[i].sum < right * (1 - 1e-9) || all[i].sum > right * (1 + 1e-9)) {
      fprintf(stderr, "callers: wrong result\n");
      return 1;
    }
  }
  double* times = malloc(regions * sizeof(double));
  if (times == NULL) return 1;
  size_t next = 0;
  for (int i = 0; i < callers; i++)
    for (size_t j = 0; j < all[i].count; j++) times[next++] = all[i].times[j];
  qsort(times, regions, sizeof(double), shorter);
  printf("%.0f %.1f %.1f\n", (double)regions / seconds, times[regions / 2] * 1e6, times[regions * 99 / 100] * 1e6);
  return 0;
}
