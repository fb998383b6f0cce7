// Firstprivate objects of a class are copied by their constructor, once per task, from the original itself (an object
// may point into itself), and destroyed once: task, undeferred task, included task, taskloop.
// REQUIRES: gomp-cxx
// RUN: %gxx-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <stdint.h>

static long alive, copies;

struct Counted {
  explicit Counted(int v) : value(v), self(this) { ATOMIC_ADD(alive, 1); }
  Counted(const Counted& other) : value(other.value), self(this) {
    CHECK(other.self == &other);
    ATOMIC_ADD(alive, 1);
    ATOMIC_ADD(copies, 1);
  }
  ~Counted() {
    CHECK(self == this);
    self = nullptr;
    ATOMIC_ADD(alive, -1);
  }
  int value;
  Counted* self;
};

struct alignas(128) Wide : Counted {
  using Counted::Counted;
};

static long sum;

static void make(int i, bool deferred, bool included) {
  Counted object(i);
  Wide wide(i + 1);
  long before = i;
#pragma omp task firstprivate(object, before) if (deferred) final(included)
  {
    CHECK(object.self == &object && object.value == before);
    ATOMIC_ADD(sum, 1);
  }
#pragma omp task firstprivate(wide, object, before) if (deferred) final(included)
  {
    CHECK(wide.self == &wide && reinterpret_cast<uintptr_t>(&wide) % 128 == 0 && wide.value == before + 1);
    ATOMIC_ADD(sum, 1);
  }
  object.value = wide.value = -1;
}

int main() {
  const int rounds = SCALED(320);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < rounds; i++) {
    make(i, true, false);
    make(i, false, false);
    make(i, true, true);
#pragma omp taskwait
    CHECK_EQ(alive, 0);
    CHECK_EQ(copies, 9);
    copies = 0;
    {
      Wide wide(i);
      Counted object(i);
#pragma omp taskloop firstprivate(wide, object) num_tasks(7)
      for (int k = 0; k < 50; k++) {
        CHECK(wide.self == &wide && wide.value == i && object.self == &object && object.value == i);
        ATOMIC_ADD(sum, 1);
      }
      CHECK_EQ(copies, 14);
      CHECK_EQ(alive, 2);
    }
    copies = 0;
  }
  CHECK_EQ(sum, rounds * 56L);
  CHECK_EQ(alive, 0);
  return 0;
}
