// A thread that waits long for a lock (in its queue, asleep) gets it in the end: sections are longer than any thread
// spins, with and without the hint that says so, for threads of a team and for threads that the runtime does not know.
// A thread that takes the lock again and again does not keep the others out.
// RUN: %clang-openmp %s -o %t -lpthread && %for-threads %t
#include "support/check.h"
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

enum { kRounds = SCALED(60), kForeign = 3 };
static omp_lock_t plain, contended;
static omp_nest_lock_t nest;
static int inside, passed;

static void hold(void) {
  CHECK_EQ(inside++, 0);
  if (passed++ % 4 == 0) usleep(100); // the holder sleeps: the threads that wait stop spinning
  CHECK_EQ(--inside, 0);
}

static void visit_all(void) {
  for (int i = 0; i < kRounds; i++) {
    omp_set_lock(&plain);
    hold();
    omp_unset_lock(&plain);
  }
}

static void* foreign(void* unused) {
  visit_all();
  return unused;
}

int main(void) {
  omp_init_lock(&plain);
  omp_init_lock_with_hint(&contended, omp_sync_hint_contended);
  omp_init_nest_lock_with_hint(&nest, omp_sync_hint_contended);
  int threads = 0;

  pthread_t others[kForeign];
  for (int i = 0; i < kForeign; i++) CHECK_EQ(pthread_create(&others[i], NULL, foreign, NULL), 0);
#pragma omp parallel reduction(+ : threads)
  {
    threads++;
    visit_all();
  }
  for (int i = 0; i < kForeign; i++) pthread_join(others[i], NULL);
  CHECK_EQ(passed, (threads + kForeign) * kRounds);

  passed = 0;
#pragma omp parallel
  for (int i = 0; i < kRounds; i++) {
    omp_set_lock(&contended);
    hold();
    omp_unset_lock(&contended);
  }
  CHECK_EQ(passed, threads * kRounds);
  CHECK(omp_test_lock(&contended));
  CHECK(!omp_test_lock(&contended));
  omp_unset_lock(&contended);

  passed = 0;
#pragma omp parallel
  for (int i = 0; i < kRounds; i++) {
    omp_set_nest_lock(&nest);
    CHECK_EQ(omp_test_nest_lock(&nest), 2);
    hold();
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
  }
  CHECK_EQ(passed, threads * kRounds);

  passed = 0;
#pragma omp parallel
  for (int i = 0; i < kRounds; i++)
#pragma omp critical(hinted) hint(omp_sync_hint_contended)
    hold();
  CHECK_EQ(passed, threads * kRounds);

  // One thread holds the lock nearly always: the others get their turns all the same.
  int stop = 0, turns = 0;
#pragma omp parallel
  {
    int primary = omp_get_thread_num() == 0, over = 0;
    while (!over) {
      omp_set_lock(&plain);
      if (primary)
        over = turns == threads - 1;
      else
        over = ++turns > 0;
      omp_unset_lock(&plain);
    }
    if (primary) stop++;
  }
  CHECK_EQ(stop, 1);
  omp_destroy_lock(&plain);
  omp_destroy_lock(&contended);
  omp_destroy_nest_lock(&nest);
  return 0;
}
