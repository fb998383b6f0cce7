// taskloop's lastprivate takes the value of the last iteration, and of no other; firstprivate and lastprivate objects
// are copied to every task, and each copy is destroyed once.
// RUN: %clangxx-openmp %s -o %t && %for-threads %t
// RUN: %clangxx-openmp -O0 %s -o %t && %for-threads %t
#include "support/check.h"
#include <atomic>
#include <memory>

static std::atomic<long> alive{0}, copies{0};

struct Object {
  std::unique_ptr<long> value;
  explicit Object(long v) : value(new long(v)) { alive++; }
  Object() : Object(0) {}
  Object(const Object& other) : Object(*other.value) { copies++; }
  Object& operator=(const Object& other) {
    *value = *other.value;
    return *this;
  }
  ~Object() { alive--; }
};

int main() {
  {
    Object first(5), last(-1), both(7);
    long plain = -1;
    int index = -1;
#pragma omp parallel
#pragma omp single
    for (int round = 0; round < SCALED(80); round++) {
      copies = 0;
#pragma omp taskloop num_tasks(9) firstprivate(first, both) lastprivate(last, both, plain, index)
      for (int i = 0; i < 100; i++) {
        index = i;
        CHECK(*both.value == 7 || *both.value >= 1000);
        *last.value = i + *first.value;
        *both.value = 1000 + i;
        plain = 2 * i;
      }
      CHECK_EQ(*last.value, 104);
      CHECK_EQ(*both.value, 1099);
      CHECK_EQ(plain, 198);
      CHECK_EQ(index, 99);
      CHECK(copies >= 18);
      *both.value = 7;
#pragma omp taskloop nogroup firstprivate(first)
      for (int i = 0; i < 50; i++) CHECK_EQ(*first.value, 5);
    }
  }
  CHECK_EQ(alive, 0);
  return 0;
}
