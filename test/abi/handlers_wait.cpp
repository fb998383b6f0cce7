// What a handler has caught stays its own while it waits: a task that stops in a handler, or a member of a light region
// that waits at a barrier there, finds it afterwards, whatever others on its thread throw and catch meanwhile. `throw;`
// and std::current_exception() speak of the handler's own, and no exception is on its way where none was thrown.
// RUN: %clangxx-openmp -I%root %s -o %t -L%lib && %for-threads %t
// RUN: env CHOMP_NESTED=light %for-threads %t 2>/dev/null
#include <atomic>
#include <exception>
#include <omp.h>

#include "abi/chomp.h"
#include "support/check.h"

enum { kTasks = 12, kMembers = 5 };
static std::atomic<chomp_task_t*> stopped[kTasks];

// Calls wait() in a handler, and in a destructor that runs while an exception is on its way.
template <typename Wait> static void catch_and_wait(int number, Wait wait) {
  struct Waits {
    Wait& wait;
    int number;
    ~Waits() {
      CHECK_EQ(std::uncaught_exceptions(), 1);
      wait();
      CHECK_EQ(std::uncaught_exceptions(), 1);
    }
  };
  CHECK(std::current_exception() == nullptr);
  CHECK_EQ(std::uncaught_exceptions(), 0);
  try {
    try {
      Waits waits{wait, number};
      throw number;
    } catch (int caught) {
      CHECK_EQ(caught, number);
      wait();
      CHECK_EQ(caught, number);
      throw;
    }
  } catch (int caught) {
    CHECK_EQ(caught, number);
  }
  CHECK(std::current_exception() == nullptr);
}

static void stop(int number) {
  chomp_task_t* self = chomp_task_self();
  stopped[number] = self;
  CHECK_EQ(chomp_task_suspend(self), 0);
}

static void tasks() {
#pragma omp parallel
#pragma omp single
  {
    for (int number = 0; number < kTasks; ++number) {
#pragma omp task
      catch_and_wait(number, [number] { stop(number); });
    }
    for (int each = 0; each < 2 * kTasks; ++each) {
      chomp_task_t* task;
      while ((task = stopped[each % kTasks].exchange(nullptr)) == nullptr) {
#pragma omp taskyield
      }
      CHECK_EQ(chomp_task_resume(task), 0);
    }
  }
}

static void inner_regions() {
#pragma omp parallel
#pragma omp parallel num_threads(kMembers)
  catch_and_wait(omp_get_thread_num(), [] {
#pragma omp barrier
  });
}

int main() {
  omp_set_max_active_levels(2);
  chomp_task_self(); // tasks may stop from here on
  for (int round = 0; round < SCALED(32); ++round) {
    tasks();
    inner_regions();
  }
  return 0;
}
