// A planted fault: two threads take two mutexes of C11 in two orders.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore --seconds 60 --threads 2 %t 2>&1 | FileCheck %s
// CHECK: deadlock: every thread waits
// CHECK: waits in mtx_lock at lock_order_c11.c:[[#@LINE+8]]
#include <stdio.h>
#include <threads.h>

static mtx_t locks[2];

static void work(int first) {
  mtx_lock(&locks[first]);
  mtx_lock(&locks[1 - first]);
  mtx_unlock(&locks[1 - first]);
  mtx_unlock(&locks[first]);
}

int main(void) {
  for (int i = 0; i < 2; ++i) mtx_init(&locks[i], mtx_plain);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < 2; ++i) work(i);
  puts("done");
}
