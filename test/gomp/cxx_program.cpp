// C++ compiled by GCC: classes as private, lastprivate and reduced variables, iterators, exceptions that stay inside
// their region, threadprivate variables.
// REQUIRES: gomp-cxx
// RUN: %gxx-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>
#include <stdexcept>
#include <vector>

struct Counted {
  static int alive;
  long value = 0;
  Counted() { ATOMIC_ADD(alive, 1); }
  explicit Counted(long v) : value(v) { ATOMIC_ADD(alive, 1); }
  Counted(const Counted& other) : value(other.value) { ATOMIC_ADD(alive, 1); }
  Counted& operator=(const Counted&) = default;
  Counted& operator+=(const Counted& other) {
    value += other.value;
    return *this;
  }
  ~Counted() { ATOMIC_ADD(alive, -1); }
};
int Counted::alive = 0;
#pragma omp declare reduction(+ : Counted : omp_out += omp_in)

static long per_thread;
#pragma omp threadprivate(per_thread)

static void objects() {
  Counted sum, last, first(5);
#pragma omp parallel for schedule(dynamic, 3) reduction(+ : sum) lastprivate(last) firstprivate(first)
  for (int i = 0; i < 1000; i++) {
    CHECK_EQ(first.value, 5);
    sum += Counted(i);
    last.value = i;
  }
  CHECK_EQ(sum.value, 499500);
  CHECK_EQ(last.value, 999);
  Counted given;
#pragma omp parallel private(given)
  {
#pragma omp single copyprivate(given)
    given.value = 42;
    CHECK_EQ(given.value, 42);
  }
}

static void iterators() {
  std::vector<int> numbers(1000);
  for (int i = 0; i < 1000; i++) numbers[static_cast<size_t>(i)] = i;
  long sum = 0;
#pragma omp parallel for schedule(guided) reduction(+ : sum)
  for (auto it = numbers.rbegin(); it < numbers.rend(); it += 2) sum += *it;
  CHECK_EQ(sum, 250000);
#pragma omp parallel for schedule(dynamic, 7) reduction(+ : sum) collapse(2)
  for (auto it = numbers.begin(); it != numbers.end(); ++it)
    for (size_t j = 0; j < 3; j++) sum += *it;
  CHECK_EQ(sum, 250000 + 3 * 499500);
}

static void exceptions() {
  int caught = 0, threads = 0;
#pragma omp parallel reduction(+ : caught, threads)
  {
    threads++;
    try {
      if (omp_get_thread_num() % 2 == 0) throw std::runtime_error("even");
    } catch (const std::runtime_error&) {
      caught++;
    }
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 100; i++) {
      try {
        if (i % 10 == 0) throw i;
      } catch (int) {
        caught++;
      }
    }
  }
  CHECK_EQ(caught, (threads + 1) / 2 + 10);
}

int main() {
  for (int round = 0; round < 20; round++) {
#pragma omp parallel
    per_thread = omp_get_thread_num() + round;
    objects();
    iterators();
    exceptions();
#pragma omp parallel
    CHECK_EQ(per_thread, omp_get_thread_num() + round);
  }
  CHECK_EQ(Counted::alive, 0);
  return 0;
}
