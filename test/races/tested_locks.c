// What tests a lock or a semaphore comes before or after the other takes it or gives it back: all outcomes are found.
// RUN: %chomp-cc %s -o %t
// RUN: %python %S/outcomes.py %chomp-explore --exhaustive %t semaphore = "0" "-1"
// RUN: %python %S/outcomes.py %chomp-explore --exhaustive %t value = "0" "1"
// RUN: %python %S/outcomes.py %chomp-explore --exhaustive %t omp = "0" "1"
// RUN: %python %S/outcomes.py %chomp-explore --exhaustive %t nest = "0" "1"
// RUN: %python %S/outcomes.py %chomp-explore --exhaustive %t mutex = "0" "1"
// RUN: %python %S/outcomes.py %chomp-explore --exhaustive %t c11 = "0" "1"
// RUN: %python %S/outcomes.py %chomp-explore --exhaustive %t again = "1"
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <threads.h>

static sem_t semaphore;
static omp_lock_t lock;
static omp_nest_lock_t nest;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static mtx_t c11;

static void hold(const char* what) {
  if (strcmp(what, "semaphore") == 0 || strcmp(what, "value") == 0) sem_post(&semaphore);
  if (strcmp(what, "omp") == 0 || strcmp(what, "again") == 0) omp_set_lock(&lock), omp_unset_lock(&lock);
  if (strcmp(what, "nest") == 0) omp_set_nest_lock(&nest), omp_unset_nest_lock(&nest);
  if (strcmp(what, "mutex") == 0) pthread_mutex_lock(&mutex), pthread_mutex_unlock(&mutex);
  if (strcmp(what, "c11") == 0) mtx_lock(&c11), mtx_unlock(&c11);
}

static int test(const char* what) {
  int value = 0, got = 1;
  if (strcmp(what, "semaphore") == 0) return sem_trywait(&semaphore);
  if (strcmp(what, "value") == 0) return sem_getvalue(&semaphore, &value), value;
  if (strcmp(what, "nest") == 0) {
    if ((got = omp_test_nest_lock(&nest)) != 0) omp_unset_nest_lock(&nest);
  } else if (strcmp(what, "mutex") == 0) {
    if ((got = pthread_mutex_trylock(&mutex) == 0)) pthread_mutex_unlock(&mutex);
  } else if (strcmp(what, "c11") == 0) {
    if ((got = mtx_trylock(&c11) == thrd_success)) mtx_unlock(&c11);
  } else if (strcmp(what, "omp") == 0) {
    if ((got = omp_test_lock(&lock))) omp_unset_lock(&lock);
  } else {
    while (!omp_test_lock(&lock)) {
    }
    omp_unset_lock(&lock);
  }
  return got;
}

int main(int count, char** arguments) {
  (void)count;
  int got = 9;
  sem_init(&semaphore, 0, 0);
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
  mtx_init(&c11, mtx_plain);
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    hold(arguments[1]);
#pragma omp section
    got = test(arguments[1]);
  }
  printf("%d\n", got);
}
