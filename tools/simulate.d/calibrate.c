// What chomp's operations cost on this machine, for tools/simulate --calibrate. Prints one line "name nanoseconds" for
// each thing the mode measures. Every figure is the best of many short repetitions: the machine may be busy.
//
//   calibrate serial     run with OMP_NUM_THREADS=1
//   calibrate team       with 2 threads: the private path, while the other member sits in one long task
//   calibrate handover   with 2 threads: from the creation of a task to its start on the other member
//   calibrate sleeper    the same, the other member asleep (KMP_BLOCKTIME=0)
//   calibrate lines      with 2 threads: a cache line's way from core to core; a buffer that another core has written
//   calibrate tree N     a tree of empty tasks, to be recorded
#define _GNU_SOURCE
#include <linux/membarrier.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { DEPTH = 10, TREE_TASKS = (1 << (DEPTH + 1)) - 2, ROUNDS = 200, FLAT = 1024, BUFFER = 64 << 10 };

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static void pause_briefly(void) { __asm__ volatile("" ::: "memory"); }

static void tree(int depth) {
  if (depth == 0) return;
#pragma omp task
  tree(depth - 1);
#pragma omp task
  tree(depth - 1);
#pragma omp taskwait
}

static void group_tree(int depth) {
  if (depth == 0) return;
#pragma omp taskgroup
  {
#pragma omp task
    group_tree(depth - 1);
#pragma omp task
    group_tree(depth - 1);
  }
}

static char cells[64];

static void flat(void) {
  for (int i = 0; i < FLAT; ++i)
#pragma omp task
    pause_briefly();
#pragma omp taskwait
}

static void dependent(void) {
  for (int i = 0; i < FLAT; ++i)
#pragma omp task depend(inout : cells[i % 64])
    pause_briefly();
#pragma omp taskwait
}

static double best(void (*work)(void)) {
  double least = 1e18;
  for (int round = 0; round < ROUNDS; ++round) {
    double began = now_ns();
    work();
    double took = now_ns() - began;
    if (took < least) least = took;
  }
  return least;
}

static void run_tree(void) { tree(DEPTH); }
static void run_group_tree(void) { group_tree(DEPTH); }

static void print(const char* name, double ns) { printf("%s %.3f\n", name, ns); }

static void measure_tasks(const char* suffix) {
  char name[64];
  double plain = best(run_tree) / TREE_TASKS;
  snprintf(name, sizeof name, "task%s", suffix);
  print(name, plain);
  // A group for every two tasks.
  snprintf(name, sizeof name, "group%s", suffix);
  print(name, 2 * (best(run_group_tree) / TREE_TASKS - plain));
  double unordered = best(flat) / FLAT;
  snprintf(name, sizeof name, "depend%s", suffix);
  print(name, best(dependent) / FLAT - unordered);
}

static void serial(void) {
#pragma omp parallel num_threads(1)
#pragma omp task if (0)
  measure_tasks("_serial");
}

// The other member executes one task until this one ends it.
static void team(void) {
  atomic_int started = 0, stop = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    int here = omp_get_thread_num();
#pragma omp task shared(started, stop)
    {
      if (omp_get_thread_num() != here) atomic_store(&started, 1);
      while (omp_get_thread_num() != here && !atomic_load(&stop)) pause_briefly();
    }
    while (!atomic_load(&started)) pause_briefly();
    // In a task of its own, whose taskwaits do not wait for the long one.
#pragma omp task if (0)
    measure_tasks("");
    atomic_store(&stop, 1);
  }
}

static int compare(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return x < y ? -1 : x > y;
}

// The lower quartile: what the machine does when nobody disturbs it, but not the luckiest case.
static double quartile(double* values, int count) {
  qsort(values, (size_t)count, sizeof *values, compare);
  return values[count / 4];
}

static void handover(int rounds, int sleep_us, const char* suffix) {
  double* latency = calloc((size_t)rounds, sizeof *latency);
  double* call = calloc((size_t)rounds, sizeof *call);
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int round = 0; round < rounds; ++round) {
    atomic_int done = 0;
    double began, started = 0;
    if (sleep_us > 0) usleep((unsigned)sleep_us);
    for (double until = now_ns() + 5000; now_ns() < until;) pause_briefly();
    began = now_ns();
#pragma omp task shared(done, started)
    {
      started = now_ns();
      atomic_store(&done, 1);
    }
    call[round] = now_ns() - began;
    while (!atomic_load(&done)) pause_briefly();
    latency[round] = started - began;
#pragma omp taskwait
  }
  char name[64];
  snprintf(name, sizeof name, "handover%s", suffix);
  print(name, quartile(latency, rounds));
  snprintf(name, sizeof name, "handover_call%s", suffix);
  print(name, quartile(call, rounds));
  free(latency);
  free(call);
}

static void barriers(void) {
  double least_fork = 1e18, least_barrier = 1e18;
  for (int round = 0; round < ROUNDS; ++round) {
    double began = now_ns();
    for (int i = 0; i < 20; ++i) {
#pragma omp parallel num_threads(2)
      pause_briefly();
    }
    double took = (now_ns() - began) / 20;
    if (took < least_fork) least_fork = took;
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
      double inside = now_ns();
      for (int i = 0; i < 20; ++i) {
#pragma omp barrier
      }
      inside = (now_ns() - inside) / 20;
#pragma omp critical
      if (inside < least_barrier) least_barrier = inside;
    }
  }
  print("fork_join", least_fork);
  print("barrier", least_barrier);
}

static void membarrier(void) {
  double least = 1e18;
  syscall(__NR_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
  for (int round = 0; round < ROUNDS; ++round) {
    double began = now_ns();
    syscall(__NR_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
    double took = now_ns() - began;
    if (took < least) least = took;
  }
  print("membarrier", least);
}

static _Alignas(64) atomic_int ball;
static char buffer[BUFFER];

static long walk(void) {
  long sum = 0;
  for (int i = 0; i < BUFFER; i += 64) sum += *(volatile char*)&buffer[i];
  return sum;
}

static void lines(void) {
  enum { THROWS = 1000 };
  double least = 1e18, own = 1e18, foreign = 1e18;
#pragma omp parallel num_threads(2)
  for (int round = 0; round < ROUNDS; ++round) {
    int me = omp_get_thread_num();
#pragma omp barrier
    double began = now_ns();
    for (int i = 0; i < THROWS; ++i) {
      while (atomic_load(&ball) != me) pause_briefly();
      atomic_store(&ball, 1 - me);
    }
    double took = (now_ns() - began) / (2 * THROWS);
#pragma omp barrier
    if (me == 0) memset(buffer, round, BUFFER);
#pragma omp barrier
    if (me == 1) {
      double first = now_ns();
      walk();
      double second = now_ns();
      walk();
      double third = now_ns();
      if (second - first < foreign) foreign = second - first;
      if (third - second < own) own = third - second;
    }
#pragma omp critical
    if (took < least) least = took;
  }
  print("line", least);
  print("memory_bound_per_us", 1000 * (foreign - own) / own);
}

int main(int count, char** words) {
  const char* mode = count > 1 ? words[1] : "";
  if (strcmp(mode, "serial") == 0) {
    serial();
  } else if (strcmp(mode, "team") == 0) {
    team();
  } else if (strcmp(mode, "handover") == 0) {
    handover(2000, 0, "");
  } else if (strcmp(mode, "sleeper") == 0) {
    handover(100, 2000, "_sleeper");
  } else if (strcmp(mode, "lines") == 0) {
    lines();
    barriers();
    membarrier();
  } else if (strcmp(mode, "tree") == 0 && count > 2) {
#pragma omp parallel num_threads(1)
    for (int i = 0; i < 8; ++i) {
      tree(atoi(words[2]));
      group_tree(atoi(words[2]));
      dependent();
    }
  } else {
    fprintf(stderr, "usage: calibrate serial|team|handover|sleeper|lines|tree N\n");
    return 1;
  }
  return 0;
}
