// A planted fault: tasks write under a lock of readers and writers that they hold for reading.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore --seconds 60 %t 2>&1 | FileCheck %s
// CHECK: data race: `count`
// CHECK: written_under_read_lock.c:[[#@LINE+13]]
#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int count;

int main(void) {
#pragma omp parallel for
  for (int i = 0; i < 4; ++i) {
#pragma omp task
    {
      pthread_rwlock_rdlock(&lock);
      ++count;
      pthread_rwlock_unlock(&lock);
    }
  }
  puts("done");
}
