// An exception thrown and caught inside one task passes through nothing of the runtime, wherever the task runs; also
// from functions that created tasks of their own.
// RUN: %clangxx-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <atomic>
#include <stdexcept>

static std::atomic<long> caught{0}, alive{0};

struct Guard {
  Guard() { alive++; }
  ~Guard() { alive--; }
};

static void thrower(int depth) {
  Guard guard;
  int child = 0;
#pragma omp task shared(child)
  child = 1;
#pragma omp taskwait
  CHECK_EQ(child, 1);
  if (depth == 0) throw std::runtime_error("expected");
  thrower(depth - 1);
}

int main() {
  enum { kTasks = SCALED(1600) };
#pragma omp parallel
  {
    try {
      throw 1;
    } catch (int) {
    }
#pragma omp single
    for (int i = 0; i < kTasks; i++) {
#pragma omp task firstprivate(i)
      {
        try {
          thrower(i % 7);
        } catch (const std::runtime_error&) {
          caught++;
        }
      }
#pragma omp task untied
      {
        try {
          thrower(2);
        } catch (const std::exception&) {
          caught++;
        }
      }
    }
  }
  CHECK_EQ(caught, 2 * kTasks);
  CHECK_EQ(alive, 0);
  return 0;
}
