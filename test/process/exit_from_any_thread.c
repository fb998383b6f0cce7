// exit(), quick_exit() and _exit() may be called by any thread, inside a region, a task or a nested region, while the
// others work, wait at a barrier or sleep; the process ends with that status. Exit handlers run, in the thread that
// called, and may use OpenMP themselves.
// UNSUPPORTED: sanitizer-thread
// RUN: %clang-openmp %s -o %t && %for-threads -t "1 2 3 8" %t
// RUN: %if gomp %{ %gcc-openmp %s -o %t.gcc && %for-threads -t "1 2 3 8" %t.gcc %}
#include "support/children.h"
#include "support/regions.h"
#include <time.h>

static int report; // the write end of a pipe: how far a process came

static void tell(char what) { CHECK_EQ(write(report, &what, 1), 1); }

static void handler(void) {
  use_openmp(0);
  tell('h');
}

static void quick_handler(void) {
  use_openmp(0);
  tell('q');
}

enum Place { kInRegion, kInTask, kInUndeferredTask, kInNestedRegion, kInSingle, kAfterRegion, kPlaces };
enum Way { kExit, kQuickExit, kUnderscoreExit, kWays };

static void end(enum Way way) {
  if (way == kExit) exit(41);
  if (way == kQuickExit) quick_exit(41);
  _exit(41);
}

static void run(enum Place place, enum Way way, int asleep) {
  atexit(handler);
  at_quick_exit(quick_handler);
#pragma omp parallel
  {
    int last = omp_get_thread_num() == omp_get_num_threads() - 1;
    if (last && asleep) nanosleep(&(struct timespec){.tv_nsec = 15000000}, NULL);
    if (place == kInRegion && last) end(way);
    if (place == kInTask && last) {
#pragma omp task
      end(way);
#pragma omp taskwait
    }
    if (place == kInUndeferredTask && last) {
#pragma omp task if (0)
      end(way);
    }
    if (place == kInNestedRegion && last) {
#pragma omp parallel num_threads(2)
      if (omp_get_thread_num() == omp_get_num_threads() - 1) end(way);
    }
    if (place == kInSingle) {
#pragma omp single
      end(way);
    }
#pragma omp barrier
  }
  if (place == kAfterRegion) end(way);
  _exit(99);
}

int main(void) {
  omp_set_max_active_levels(2);
  for (int place = 0; place < kPlaces; place++)
    for (int way = 0; way < kWays; way++)
      for (int asleep = 0; asleep < 2; asleep++) {
        int ends[2];
        char what = 0;
        CHECK_EQ(pipe(ends), 0);
        pid_t child = fork_checked();
        if (child == 0) {
          report = ends[1];
          run((enum Place)place, (enum Way)way, asleep);
        }
        close(ends[1]);
        expect_status(child, 41);
        CHECK_EQ(read(ends[0], &what, 1), way == kUnderscoreExit ? 0 : 1);
        CHECK_EQ(what, way == kExit ? 'h' : way == kQuickExit ? 'q' : 0);
        close(ends[0]);
      }
  return 0;
}
