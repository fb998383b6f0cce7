// Locks exclude; test_lock says whether it got the lock; a nestable lock counts for its owner and belongs to a task;
// hints are accepted; a lock set by one thread of a team may be set by others later.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/at_a_time.h"
#include "support/check.h"
#include <omp.h>

int main(void) {
  enum { kRounds = SCALED(1600) };
  omp_lock_t lock, hinted;
  omp_nest_lock_t nest, nest_hinted;
  omp_init_lock(&lock);
  omp_init_lock_with_hint(&hinted, omp_sync_hint_speculative);
  omp_init_nest_lock(&nest);
  omp_init_nest_lock_with_hint(&nest_hinted, omp_sync_hint_uncontended);
  long a = 0, b = 0, c = 0, got = 0, tests = 0, threads, hints = 0, n = 0, careless = 0;
  int tries = 0;

  CHECK(omp_test_lock(&lock));
  CHECK(!omp_test_lock(&lock));
  omp_unset_lock(&lock);
  CHECK_EQ(omp_test_nest_lock(&nest), 1);
  CHECK_EQ(omp_test_nest_lock(&nest), 2);
  omp_unset_nest_lock(&nest);
  omp_unset_nest_lock(&nest);
  do {
    threads = 0;
#pragma omp parallel reduction(+ : got, threads)
    {
      threads++;
      for (int i = 0; i < kRounds; i++) {
        add_carelessly(&careless);
        omp_set_lock(&lock);
        a++;
        omp_unset_lock(&lock);
        omp_set_lock(&hinted);
        hints++;
        omp_unset_lock(&hinted);
        if (omp_test_lock(&lock)) {
          tests++;
          got++;
          omp_unset_lock(&lock);
        }
        omp_set_nest_lock(&nest);
        omp_set_nest_lock(&nest);
        CHECK_EQ(omp_test_nest_lock(&nest), 3);
        b++;
        omp_unset_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
        b++;
        omp_unset_nest_lock(&nest);
        if (omp_test_nest_lock(&nest_hinted)) {
          c++;
          omp_unset_nest_lock(&nest_hinted);
        }
      }
#pragma omp barrier
#pragma omp single
      {
        CHECK(omp_test_nest_lock(&nest_hinted));
        omp_unset_nest_lock(&nest_hinted);
      }
    }
    n += threads * kRounds;
  } while (have_to_run_at_a_time(n, careless, (int)threads, &tries));
  CHECK_EQ(a, n);
  CHECK_EQ(hints, n);
  CHECK_EQ(b, 2 * n);
  CHECK_EQ(tests, got);
  CHECK(c > 0 && c <= n);

  // Held by one thread: the others are refused until it is given back.
  omp_set_lock(&lock);
  int refused = 0;
#pragma omp parallel reduction(+ : refused)
  refused += !omp_test_lock(&lock);
  CHECK_EQ(refused, threads);
  omp_unset_lock(&lock);

  omp_destroy_lock(&lock);
  omp_destroy_lock(&hinted);
  omp_destroy_nest_lock(&nest);
  omp_destroy_nest_lock(&nest_hinted);
  // Many locks, made and destroyed.
  enum { kLocks = 1000 };
  static omp_lock_t locks[kLocks];
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < kLocks; i++) omp_init_lock(&locks[i]);
#pragma omp parallel for
    for (int i = 0; i < kLocks * 4; i++) {
      omp_set_lock(&locks[i % kLocks]);
      omp_unset_lock(&locks[i % kLocks]);
    }
    for (int i = 0; i < kLocks; i++) omp_destroy_lock(&locks[i]);
  }
  return 0;
}
