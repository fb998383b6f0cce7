// User-defined reductions over C++ objects: every private copy is initialised, combined once and destroyed, in regions,
// loops, taskgroups and taskloops.
// RUN: %clangxx-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <atomic>
#include <initializer_list>

static std::atomic<long> alive{0};

struct Counter {
  long value = 0;
  long* heap;
  Counter() : heap(new long(0)) { alive++; }
  Counter(const Counter& other) : value(other.value), heap(new long(*other.heap)) { alive++; }
  ~Counter() {
    delete heap;
    alive--;
  }
  void add(const Counter& other) {
    value += other.value;
    *heap += *other.heap;
  }
};
#pragma omp declare reduction(plus:Counter : omp_out.add(omp_in)) initializer(omp_priv = Counter())

int main() {
  {
    Counter a, b, c, d;
#pragma omp parallel for reduction(plus : a) schedule(dynamic, 3)
    for (int i = 0; i < 1000; i++) a.value += i, ++*a.heap;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup task_reduction(plus : b)
      for (int i = 0; i < 1000; i++)
#pragma omp task in_reduction(plus : b) firstprivate(i)
        b.value += i, ++*b.heap;
#pragma omp taskloop reduction(plus : c) grainsize(10)
      for (int i = 0; i < 1000; i++) c.value += i, ++*c.heap;
    }
#pragma omp parallel reduction(task, plus : d)
#pragma omp for
    for (int i = 0; i < 1000; i++)
#pragma omp task in_reduction(plus : d) firstprivate(i)
      d.value += i, ++*d.heap;
    for (Counter* counter : {&a, &b, &c, &d}) {
      CHECK_EQ(counter->value, 499500);
      CHECK_EQ(*counter->heap, 1000);
    }
  }
  CHECK_EQ(alive, 0);
  return 0;
}
