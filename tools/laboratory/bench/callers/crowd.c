// What waits in OpenMP programs, each for a while: regions, barriers, tasks, a dynamic loop. Prints a line for each:
// its name, the time and the CPU time of one, in microseconds, and how often in it a thread slept and lost its CPU.
//
// usage: crowd THREADS MILLISECONDS (of each kind) | crowd busy (for ever: one of those that take the CPUs)
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

enum { kBarriers = 20, kTasks = 100, kIterations = 200 };

static int threads;

static double read_clock(clockid_t which) {
  struct timespec time;
  clock_gettime(which, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

// By its steps, not by the clock, which goes on while another program has the CPU: about two nanoseconds each.
static void compute(int steps) {
  double value = 1;
  for (int i = 0; i < steps; i++) value = value * 1.0000001 + 1e-9;
  volatile double keep = value;
  (void)keep;
}

static void region(int steps) {
#pragma omp parallel num_threads(threads)
  compute(steps);
}

static void barriers(int count) {
#pragma omp parallel num_threads(threads)
  for (int i = 0; i < count; i++) {
#pragma omp barrier
  }
}

static void tasks(int count) {
#pragma omp parallel num_threads(threads)
#pragma omp single
  for (int i = 0; i < count; i++) {
#pragma omp task
    compute(1000);
  }
}

static void loop(int count) {
#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (int i = 0; i < count; i++) compute(500);
}

static const struct {
  const char* name;
  void (*run)(int);
  int argument;
} kKinds[] = {{"region-0", region, 0},           {"region-10us", region, 5000}, {"region-100us", region, 50000},
              {"barriers", barriers, kBarriers}, {"tasks", tasks, kTasks},      {"loop", loop, kIterations}};

int main(int count, char** arguments) {
  if (count == 2 && strcmp(arguments[1], "busy") == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) compute(1000000);
  }
  threads = count == 3 ? atoi(arguments[1]) : 0;
  double limit = count == 3 ? atof(arguments[2]) * 1000 : 0;
  if (threads < 1 || limit <= 0) return 2;
  region(0); // makes the threads
  for (size_t i = 0; i < sizeof kKinds / sizeof *kKinds; i++) {
    double began = read_clock(CLOCK_MONOTONIC), used = read_clock(CLOCK_PROCESS_CPUTIME_ID), now;
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    int done = 0;
    do {
      kKinds[i].run(kKinds[i].argument);
      done++;
    } while ((now = read_clock(CLOCK_MONOTONIC)) < began + limit);
    double cpu = read_clock(CLOCK_PROCESS_CPUTIME_ID) - used;
    getrusage(RUSAGE_SELF, &after);
    printf("%s %.3f %.3f %.3f %.3f\n", kKinds[i].name, (now - began) / done, cpu / done,
           (double)(after.ru_nvcsw - before.ru_nvcsw) / done, (double)(after.ru_nivcsw - before.ru_nivcsw) / done);
  }
  return 0;
}
