// Two threads take turns with one word. On paper: each turn costs two transfers of its line, one to the thread that
// waits for its turn and reads, one more when it writes. tools/scale --check compares.
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

enum { kTurns = 10000 };

static _Alignas(64) atomic_int turn;

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(void) {
  double took = 0;
#pragma omp parallel num_threads(2) reduction(max : took)
  {
    int me = turn++ % 2; // whoever comes first
#pragma omp barrier
    double began = now_s();
#pragma omp single
    atomic_store(&turn, 0);
    for (int i = me; i < kTurns; i += 2) {
      while (atomic_load_explicit(&turn, memory_order_acquire) != i) {
      }
      atomic_store_explicit(&turn, i + 1, memory_order_release);
    }
    took = now_s() - began;
  }
  printf("Time Program = %.9f seconds\n", took);
  return turn != kTurns;
}
