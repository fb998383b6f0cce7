// Without a fault: threads, mutexes, conditions of C11, and a function that is called once.
// RUN: %chomp-cc -O2 %s -o %t
// RUN: %chomp-explore --runs 100 --seconds 0 %t 2>&1 | FileCheck %s
// CHECK: nothing found
#include <stdio.h>
#include <threads.h>

static mtx_t lock;
static cnd_t changed;
static once_flag once = ONCE_FLAG_INIT;
static int ready, sum, filled;

static void fill(void) { filled = 1; }

static int thread(void* argument) {
  int own = 0;
  call_once(&once, fill);
  mtx_lock(&lock);
  while (!ready) cnd_wait(&changed, &lock);
  mtx_unlock(&lock);
#pragma omp parallel for num_threads(2) reduction(+ : own)
  for (int i = 0; i < 4; ++i) own += i + ready;
  while (mtx_trylock(&lock) != thrd_success) thrd_yield();
  sum += own + filled;
  mtx_unlock(&lock);
  if (argument == NULL) thrd_exit(3);
  return 4;
}

int main(void) {
  thrd_t threads[2];
  mtx_init(&lock, mtx_plain);
  cnd_init(&changed);
  for (int i = 0; i < 2; ++i)
    if (thrd_create(&threads[i], thread, i == 0 ? NULL : &sum) != thrd_success) return 1;
  thrd_sleep(&(struct timespec){.tv_sec = 60}, NULL); // which costs nothing
  mtx_lock(&lock);
  ready = 1;
  cnd_broadcast(&changed);
  mtx_unlock(&lock);
  int results[2];
  for (int i = 0; i < 2; ++i) thrd_join(threads[i], &results[i]);
  printf("%d %d %d\n", sum, results[0], results[1]);
}
