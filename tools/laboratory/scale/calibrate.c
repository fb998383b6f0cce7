// What the operations of tools/laboratory/virtual/scale.h cost on this machine, for tools/scale --calibrate. Prints one
// line "name picoseconds" for each. Every figure is the best of many short repetitions: the machine may be busy.
//   calibrate A B     transfers, wakes and membarriers are measured between the CPUs A and B
#define _GNU_SOURCE
#include <limits.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { kRounds = 200, kInner = 1000 };

static int cpus[2];
static _Alignas(64) atomic_int turn;
static _Alignas(64) atomic_int word;
static _Alignas(64) atomic_bool stop;
static _Alignas(64) _Atomic double woken_ns;

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static void bind(int cpu) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  sched_setaffinity(0, sizeof one, &one);
}

static void print(const char* name, double ns) { printf("%s %.0f\n", name, ns * 1000); }

// The best time of one operation, in nanoseconds.
#define BEST(operation)                                                                                                \
  ({                                                                                                                   \
    double best = 1e18;                                                                                                \
    for (int round = 0; round < kRounds; round++) {                                                                    \
      const double began = now_ns();                                                                                   \
      for (int i = 0; i < kInner; i++) operation;                                                                      \
      const double took = (now_ns() - began) / kInner;                                                                 \
      if (took < best) best = took;                                                                                    \
    }                                                                                                                  \
    best;                                                                                                              \
  })

static void* answer(void* unused) {
  bind(cpus[1]);
  for (int i = 1;; i += 2) {
    while (atomic_load_explicit(&turn, memory_order_acquire) != i)
      if (atomic_load_explicit(&stop, memory_order_relaxed)) return unused;
    atomic_store_explicit(&turn, i + 1, memory_order_release);
  }
}

// A turn is two transfers: to the reader, and to the writer.
static double transfer_ns(void) {
  pthread_t other;
  atomic_store(&turn, 0);
  atomic_store(&stop, false);
  pthread_create(&other, NULL, answer, NULL);
  double best = 1e18;
  int at = 0;
  for (int round = 0; round < kRounds; round++) {
    const double began = now_ns();
    for (int i = 0; i < kInner; i++, at += 2) {
      while (atomic_load_explicit(&turn, memory_order_acquire) != at) {
      }
      atomic_store_explicit(&turn, at + 1, memory_order_release);
    }
    const double took = (now_ns() - began) / kInner / 4;
    if (took < best) best = took;
  }
  atomic_store(&stop, true);
  pthread_join(other, NULL);
  return best;
}

static void* spin(void* unused) {
  bind(cpus[1]);
  while (!atomic_load_explicit(&stop, memory_order_relaxed)) __builtin_ia32_pause();
  return unused;
}

static double membarrier_ns(void) {
  syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
  double best = 1e18;
  for (int i = 0; i < kInner; i++) {
    const double began = now_ns();
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
    const double took = now_ns() - began;
    if (took < best) best = took;
  }
  return best;
}

static void* sleeper(void* unused) {
  bind(cpus[1]);
  for (int i = 0; i < kRounds; i++) {
    while (atomic_load(&word) == 0) syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    atomic_store(&woken_ns, now_ns());
    atomic_store(&word, 0);
  }
  return unused;
}

static void measure_wakes(void) {
  pthread_t other;
  pthread_create(&other, NULL, sleeper, NULL);
  double wake = 1e18, latency = 1e18;
  for (int i = 0; i < kRounds; i++) {
    usleep(300); // the other one sleeps by now
    const double began = now_ns();
    atomic_store(&word, 1);
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    const double called = now_ns() - began;
    while (atomic_load(&word) != 0) {
    }
    const double until = atomic_load(&woken_ns) - began;
    if (called < wake) wake = called;
    if (until < latency) latency = until;
  }
  pthread_join(other, NULL);
  print("wake", wake);
  print("wake_latency", latency > wake ? latency - wake : 0);
}

static void* nothing(void* began) {
  *(double*)began = now_ns() - *(double*)began;
  return NULL;
}

static void measure_threads(void) {
  double make = 1e18, latency = 1e18;
  for (int i = 0; i < kRounds; i++) {
    pthread_t other;
    double since = now_ns();
    const double began = since;
    pthread_create(&other, NULL, nothing, &since);
    const double called = now_ns() - began;
    pthread_join(other, NULL);
    if (called < make) make = called;
    if (since < latency) latency = since;
  }
  print("thread", make);
  print("thread_latency", latency > make ? latency - make : 0);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  for (int i = 0; i < 2; i++) cpus[i] = atoi(argv[i + 1]);
  measure_threads(); // unbound
  bind(cpus[0]);
  print("update", BEST(atomic_fetch_add_explicit(&word, 1, memory_order_relaxed)));
  atomic_store(&word, 0);
  print("fence", BEST(({
          atomic_thread_fence(memory_order_seq_cst);
          __asm__ volatile("" ::: "memory"); // or the compiler makes one fence of many
        })));
  print("pause", BEST(__builtin_ia32_pause()));
  print("clock", BEST(now_ns()));
  print("counter", BEST(__builtin_ia32_rdtsc()));
  print("heap", BEST(({
                  void* block = malloc(200);
                  __asm__ volatile("" ::"r"(block) : "memory"); // or the compiler makes none
                  free(block);
                })) /
                    2);
  print("yield", BEST(sched_yield()));
  print("system_call", BEST(syscall(SYS_getppid)));
  if (cpus[0] == cpus[1]) return 0;
  print("transfer", transfer_ns());
  const double alone = membarrier_ns();
  print("membarrier", alone);
  pthread_t other;
  atomic_store(&stop, false);
  pthread_create(&other, NULL, spin, NULL);
  usleep(1000);
  const double beside = membarrier_ns();
  atomic_store(&stop, true);
  pthread_join(other, NULL);
  print("membarrier_cpu", beside > alone ? beside - alone : 0);
  measure_wakes();
  return 0;
}
