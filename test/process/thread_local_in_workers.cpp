// thread_local objects with constructors and destructors in the threads of a team: made once per thread, alive from one
// region to the next, destroyed at most once; a thread of the program destroys its own while it still may use OpenMP.
// RUN: %clangxx-openmp %s -o %t && %for-threads %t
// RUN: %if gomp-cxx %{ %gxx-openmp %s -o %t.gcc && %for-threads %t.gcc %}
#include "support/regions.h"
#include <atomic>
#include <string>
#include <thread>

static std::atomic<int> made{0}, destroyed{0};

struct Object {
  std::string text = "a text that is too long to lie inside the string object";
  int uses = 0;
  Object() { made++; }
  ~Object() {
    CHECK(text.size() > 20);
    text.clear();
    destroyed++;
  }
};

static thread_local Object object;

int main() {
  int threads = omp_get_max_threads();
  for (int round = 1; round <= 20; round++) {
#pragma omp parallel
    {
      object.uses++;
      CHECK_EQ(object.uses, round);
    }
    CHECK_EQ(made, threads);
    CHECK_EQ(destroyed, 0);
  }
  std::thread other([threads] {
    object.uses = 1;
    CHECK_EQ(made, threads + 1);
    use_openmp(0);
  });
  other.join();
  CHECK_EQ(destroyed, 1);
  CHECK(made <= 2 * threads);
  return 0;
}
