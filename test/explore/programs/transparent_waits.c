// For tools/explore: transparent tasks that wait inside for tasks made before them, in regions whose other threads are
// busy. Such a task runs what it waits for itself, but not a task that waits for it in turn.
#include <omp.h>
#include <stddef.h>

#include "support/check.h"
#include "support/newer_tasks.h"

static int data[4]; // plain

static void first(void* unused) { data[0] = 1; }
static void beside(void* unused) { data[3] = 1; }

static void second(void* unused) {
#pragma omp taskwait depend(in : data[0], data[3])
  data[1] = data[0] + data[3];
}

// Released by the first, perhaps while the second still waits for what is beside that; waits for the second.
static void third(void* unused) {
#pragma omp taskwait depend(in : data[1])
  data[2] = data[1] + 1;
}

int main(void) {
  omp_lock_t busy;
  omp_init_lock(&busy);
  for (int round = 0; round < 8; round++) {
    for (int i = 0; i < 4; i++) data[i] = 0;
#pragma omp parallel num_threads(2)
    {
      const int primary = omp_get_thread_num() == 0;
      if (primary) omp_set_lock(&busy);
#pragma omp barrier
      if (primary) {
        newer_spawn_after(kTied, first, NULL, kOut, &data[0]);
        newer_spawn_after(kTied, beside, NULL, kOut, &data[3]);
        newer_spawn_after(kTied | kTransparent, second, NULL, kOut, &data[1]);
        newer_spawn_after(kTied | kTransparent, third, NULL, kIn, &data[0]);
#pragma omp taskwait
        CHECK_EQ(data[2], 3);
        omp_unset_lock(&busy);
      } else if (round % 2 == 1) {
        omp_set_lock(&busy);
        omp_unset_lock(&busy);
      }
    }
  }
  omp_destroy_lock(&busy);
  return 0;
}
