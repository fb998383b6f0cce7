// Blocks of tasks that others have run come back to the thread that makes tasks, and blocks of parents are freed by
// their last children. Archer sees neither, but is told (base/race_detector.h): it reports nothing about what tasks
// own. Races between tasks whose blocks go from thread to thread are reported all the same: -DRACE=1, tasks that add to
// a plain variable. (A race between a task and its creator is hidden if a block has come back in between: tools.md.)
// REQUIRES: archer
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang -fopenmp -fsanitize=thread -O1 -g -I%root/test %s -o %t
// RUN: %chomp-run env %archer TSAN_OPTIONS=ignore_noninstrumented_modules=1 OMP_NUM_THREADS=4 %t
// RUN: %chomp-run env %archer OMP_NUM_THREADS=4 %python -IS %S/support/archer_on_races.py --races 1 %s %clang -I%root/test
#include "support/check.h"
#include <omp.h>
#include <string.h>

#ifndef RACE
#define RACE 0
#endif

enum { kAtOneTime = 600, kRounds = 60 };

struct Large {
  long words[20];
};

static long sum;
#if RACE == 1
static long unprotected;
#endif

static void use(struct Large own, int turns) {
  for (int i = 0; i < turns; i++) __asm__ volatile("" : "+r"(i));
#if RACE == 1
  unprotected += own.words[0];
#endif
  __atomic_fetch_add(&sum, own.words[0] + own.words[19], __ATOMIC_RELAXED);
}

// Nobody waits for the tasks of a round before those of the next are made: nothing but the blocks orders them.
static void make_many(void) {
  for (int i = 0; i < kAtOneTime * kRounds; i++) {
    struct Large own = {{i % 2}};
    own.words[19] = 1;
#pragma omp task firstprivate(own)
    use(own, 300);
  }
}

static void make_parents(void) {
  for (int i = 0; i < 3000; i++) {
    struct Large own = {{1}};
#pragma omp task firstprivate(own)
    {
#pragma omp task firstprivate(own)
      use(own, 2000);
      own.words[0]++;
    }
  }
}

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    make_many();
    make_parents();
  }
  CHECK_EQ(sum, kAtOneTime * kRounds * 3 / 2 + 3000);
  return 0;
}
