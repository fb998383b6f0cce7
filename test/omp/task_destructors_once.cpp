// The privates of a task are destroyed once, before a thread that waits for the task goes on: deferred, undeferred,
// included, untied, with dependences, in taskloops. (Not locals of an untied task: Clang 19 itself destroys those too
// early.)
// RUN: %clangxx-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <atomic>
#include <string>
#include <vector>

static std::atomic<long> alive{0};

struct Object {
  std::string text;
  Object() : text(100, 'a') { alive++; }
  Object(const Object& other) : text(other.text) { alive++; }
  ~Object() {
    CHECK_EQ(text.size(), 100);
    text.clear();
    alive--;
  }
};

static void all_kinds(const Object& model, int depth) {
  Object object(model);
  int x = 0;
#pragma omp task firstprivate(object)
  CHECK_EQ(object.text[99], 'a');
#pragma omp task untied firstprivate(object)
  {
#pragma omp taskyield
    CHECK_EQ(object.text[99], 'a');
  }
#pragma omp task if (0) firstprivate(object)
  object.text[0] = 'b';
#pragma omp task final(1) firstprivate(object)
  {
#pragma omp task firstprivate(object)
    object.text[0] = 'c';
  }
#pragma omp task depend(out : x) firstprivate(object)
  object.text[0] = 'd';
#pragma omp task depend(in : x) firstprivate(object)
  object.text[0] = 'e';
#pragma omp task private(object)
  object.text[0] = 'f';
  std::vector<int> numbers(100, 1);
#pragma omp task firstprivate(numbers)
  CHECK_EQ(numbers.at(99), 1);
#pragma omp taskloop firstprivate(object) num_tasks(4)
  for (int i = 0; i < 8; i++) CHECK_EQ(object.text[0], 'a');
  if (depth > 0)
#pragma omp task firstprivate(object)
    all_kinds(object, depth - 1);
#pragma omp taskwait
}

int main() {
  {
    Object model;
#pragma omp parallel
#pragma omp single
    for (int round = 0; round < SCALED(160); round++) {
      all_kinds(model, 3);
      CHECK_EQ(alive, 1);
    }
    all_kinds(model, 2);
    CHECK_EQ(alive, 1);
  }
  CHECK_EQ(alive, 0);
  return 0;
}
