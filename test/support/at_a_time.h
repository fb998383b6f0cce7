// For tests of exclusion: an update is lost only while threads run at a time, on CPUs of their own. On a loaded machine
// short tests run their threads one after the other, and would pass where nothing excludes anything.
#pragma once

/// A sum that loses updates, without a data race.
static inline void add_carelessly(long* sum) {
  __atomic_store_n(sum, __atomic_load_n(sum, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
}

/// Whether to go on, after `done` careless additions by `threads` threads; `*tries` begins with 0.
static inline int have_to_run_at_a_time(long done, long careless, int threads, int* tries) {
  enum { kEnough = 50, kMostTries = 100 };
  return threads > 1 && done - careless < kEnough && ++*tries < kMostTries;
}
