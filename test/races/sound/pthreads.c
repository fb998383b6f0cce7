// Without a fault: threads of the program, mutexes, conditions and semaphores, each thread with regions of its own.
// RUN: %chomp-cc -O2 %s -o %t
// RUN: %chomp-explore --runs 100 --seconds 0 %t 2>&1 | FileCheck %s
// CHECK: nothing found
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t given;
static int ready, sum, handed;

static void* thread(void* argument) {
  (void)argument;
  int own = 0;
  pthread_mutex_lock(&lock);
  while (!ready) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
#pragma omp parallel for num_threads(2) reduction(+ : own)
  for (int i = 0; i < 4; ++i) own += i + ready;
  pthread_mutex_lock(&lock);
  sum += own;
  pthread_mutex_unlock(&lock);
  sem_wait(&given);
  return (void*)(long)handed;
}

int main(void) {
  pthread_t threads[2];
  sem_init(&given, 0, 0);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, thread, NULL);
  pthread_mutex_lock(&lock);
  ready = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  handed = 7;
  sem_post(&given);
  sem_post(&given);
  long results = 0;
  for (int i = 0; i < 2; ++i) {
    void* result;
    pthread_join(threads[i], &result);
    results += (long)result;
  }
  printf("%d %ld\n", sum, results);
}
