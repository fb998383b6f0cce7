// Tasks and taskloops that are cancelled before they begin destroy the objects that were copied for them. GCC's code
// destroys them in the task's body, so that has to run.
// REQUIRES: gomp-cxx
// RUN: %gxx-openmp %s -o %t && env OMP_CANCELLATION=true %for-threads %t
// RUN: %clangxx-openmp %s -o %t.clang && env OMP_CANCELLATION=true %for-threads %t.clang
#include "support/check.h"
#include <memory>
#include <omp.h>

static int alive;

struct Object {
  Object() { ATOMIC_ADD(alive, 1); }
  Object(const Object&) { ATOMIC_ADD(alive, 1); }
  ~Object() { ATOMIC_ADD(alive, -1); }
};

enum { kTasks = 60 };

static void tasks(std::shared_ptr<int> shared, int cancels_at) {
  Object object;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  for (int i = 0; i < kTasks; i++) {
#pragma omp task firstprivate(shared, object, i)
    {
      CHECK_EQ(*shared, 3);
      (void)&object;
      if (i == cancels_at) {
#pragma omp cancel taskgroup
      }
    }
  }
  CHECK_EQ(shared.use_count(), 2);
  CHECK_EQ(ATOMIC_LOAD(alive), 1);
}

static void dependent_tasks(std::shared_ptr<int> shared) {
  Object object;
  int order = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  for (int i = 0; i < kTasks; i++) {
#pragma omp task firstprivate(shared, object, i) depend(inout : order)
    {
      CHECK_EQ(*shared, 3);
      (void)&object;
      if (i == 2) {
#pragma omp cancel taskgroup
      }
    }
  }
  CHECK_EQ(shared.use_count(), 2);
  CHECK_EQ(ATOMIC_LOAD(alive), 1);
}

static void taskloops(std::shared_ptr<int> shared, bool deferred) {
  Object object;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  {
#pragma omp task
    {
#pragma omp cancel taskgroup
    }
#pragma omp taskloop firstprivate(shared, object) num_tasks(kTasks) nogroup if (deferred)
    for (int i = 0; i < kTasks; i++) {
      CHECK_EQ(*shared, 3);
      (void)&object;
    }
  }
  CHECK_EQ(shared.use_count(), 2);
  CHECK_EQ(ATOMIC_LOAD(alive), 1);
}

int main() {
  CHECK(omp_get_cancellation());
  auto shared = std::make_shared<int>(3);
  for (int round = 0; round < 20; round++) {
    tasks(shared, round);
    dependent_tasks(shared);
    taskloops(shared, true);
    taskloops(shared, false);
  }
  CHECK_EQ(shared.use_count(), 1);
  return 0;
}
