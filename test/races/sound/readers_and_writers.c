// Without a fault: tasks and threads under locks of readers and writers, spin locks, a function that runs once.
// RUN: %chomp-cc -O2 %s -o %t
// RUN: %chomp-explore --runs 100 --seconds 0 %t 2>&1 | FileCheck %s
// CHECK: nothing found
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t given;
static int table[4], sum, late, ready;

static void fill(void) { ready = 1; }

static struct timespec soon(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  time.tv_nsec += 1000;
  if (time.tv_nsec >= 1000000000) ++time.tv_sec, time.tv_nsec -= 1000000000;
  return time;
}

static void* thread(void* argument) {
  (void)argument;
  pthread_once(&once, fill);
  pthread_rwlock_rdlock(&lock);
  int own = table[0] + ready;
  pthread_rwlock_unlock(&lock);
  pthread_spin_lock(&spin);
  sum += own >= 1;
  pthread_spin_unlock(&spin);
  struct timespec until = soon();
  pthread_mutex_lock(&mutex);
  while (pthread_cond_clockwait(&never, &mutex, CLOCK_MONOTONIC, &until) != ETIMEDOUT) {
  }
  ++late;
  pthread_mutex_unlock(&mutex);
  while (sem_clockwait(&given, CLOCK_MONOTONIC, &until) != 0) until = soon();
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  pthread_spin_init(&spin, 0);
  sem_init(&given, 0, 0);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, thread, NULL);
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 4; ++i) {
#pragma omp task firstprivate(i)
    {
      pthread_once(&once, fill);
      pthread_rwlock_wrlock(&lock);
      table[i] += ready;
      table[0] += i;
      pthread_rwlock_unlock(&lock);
      while (pthread_rwlock_tryrdlock(&lock) != 0) {
      }
      int own = table[i];
      pthread_rwlock_unlock(&lock);
      pthread_spin_lock(&spin);
      sum += own > 0;
      pthread_spin_unlock(&spin);
    }
  }
  for (int i = 0; i < 2; ++i) sem_post(&given);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  printf("%d %d %d\n", table[0], sum, late);
}
