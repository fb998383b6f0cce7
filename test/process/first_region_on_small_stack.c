// A thread with the smallest stack that the system allows may be the one that starts the runtime: reading the machine's
// files happens on a stack with room.
// RUN: %clang-openmp %s -o %t && %for-threads %t
// UNSUPPORTED: sanitizer-address, sanitizer-thread
#include "support/check.h"
#include <limits.h>
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

static int visits;

static void* start(void* argument) {
#pragma omp parallel reduction(+ : visits)
  visits++;
  return argument;
}

int main(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  CHECK_EQ(pthread_attr_setstacksize(&attributes, (size_t)sysconf(_SC_THREAD_STACK_MIN)), 0);
  pthread_t thread;
  CHECK_EQ(pthread_create(&thread, &attributes, start, NULL), 0);
  CHECK_EQ(pthread_join(thread, NULL), 0);
  CHECK(visits >= 1);
  return 0;
}
