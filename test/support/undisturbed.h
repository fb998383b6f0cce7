// For what comes true on a machine that is left alone, and not in each try on one that is not: tries in which a thread
// of this process was ready and had no CPU say nothing; of the others a share must find the property. A
// member that fell asleep may stay so for dozens of tries, so that the share is small.
#pragma once

#include "support/check.h"
#include <dirent.h>
#include <string.h>
#include <time.h>

/// What the threads of this process have had until now.
struct CpuTimes {
  long long now_ns, ran_ns, waited_ns; // the clock; on CPUs, and ready without one, all threads together
  int ready;                           // threads that run or could
};

static inline long long clock_ns(clockid_t clock) {
  struct timespec time;
  return clock_gettime(clock, &time) == 0 ? time.tv_sec * 1000000000LL + time.tv_nsec : 0;
}

static inline struct CpuTimes cpu_times(void) {
  struct CpuTimes times = {clock_ns(CLOCK_MONOTONIC), clock_ns(CLOCK_PROCESS_CPUTIME_ID), 0, 0};
  DIR* threads = opendir("/proc/self/task");
  CHECK(threads);
  for (struct dirent* entry; (entry = readdir(threads));) {
    char name[300], text[512] = "";
    long long waited = 0;
    if (entry->d_name[0] == '.') continue;
    snprintf(name, sizeof name, "/proc/self/task/%s/schedstat", entry->d_name);
    FILE* file = fopen(name, "r");
    if (!file) _exit(77); // this kernel does not say
    if (fscanf(file, "%*lld %lld", &waited) == 1) times.waited_ns += waited;
    fclose(file);
    snprintf(name, sizeof name, "/proc/self/task/%s/stat", entry->d_name);
    file = fopen(name, "r");
    CHECK(file && fgets(text, sizeof text, file) && strrchr(text, ')'));
    fclose(file);
    times.ready += strrchr(text, ')')[2] == 'R';
  }
  closedir(threads);
  return times;
}

/// Whether no thread had to wait for a CPU in between. One that still waits is ready and has not run.
static inline int undisturbed(const struct CpuTimes* begin, const struct CpuTimes* end) {
  enum { kLittle = 200000 }; // nanoseconds: what waking takes
  return end->waited_ns - begin->waited_ns <= kLittle &&
         (end->ran_ns - begin->ran_ns) * 10 >= (end->now_ns - begin->now_ns) * 8 * end->ready;
}

/// Tries until `enough` of those that say something have held, or `most` have been counted; returns how many have held.
/// `try_once` says 1: it holds; 0: it does not; -1: this try says nothing.
static inline int held_when_undisturbed(int (*try_once)(void), int enough, int most) {
  enum { kMostDisturbed = 1000 };
  int counted = 0, held = 0, disturbed = 0;
  while (counted < most && held < enough) {
    struct CpuTimes begin = cpu_times();
    int holds = try_once();
    struct CpuTimes end = cpu_times();
#ifndef CHOMP_SANITIZED // its threads take other times: it is run for what the sanitizer sees
    if (!undisturbed(&begin, &end)) {
      if (++disturbed > kMostDisturbed) _exit(77); // a machine that is never left alone
      continue;
    }
    if (holds < 0) continue;
    counted++;
#endif
    held += holds > 0;
  }
  if (held < enough) fprintf(stderr, "it held in %d of %d tries\n", held, counted);
  return held;
}

static inline void holds_in_a_share(int (*try_once)(void)) { CHECK_EQ(held_when_undisturbed(try_once, 10, 300), 10); }

/// For what a member that fell asleep cannot spoil.
static inline void holds_nearly_always(int (*try_once)(void)) { CHECK_EQ(held_when_undisturbed(try_once, 57, 60), 57); }
