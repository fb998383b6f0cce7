// Exceptions that do not leave the construct they are thrown in: in every member of a region, in loops, sections,
// single, critical (the lock is released, since the exception is caught inside), nested regions, tasks in tasks,
// taskloops, reductions, and through the frames of other functions; nothing is lost and nobody is unwound twice.
// RUN: %clangxx-openmp %s -o %t && %for-threads %t
// RUN: %if gomp-cxx %{ %gxx-openmp %s -o %t.gcc && %for-threads %t.gcc %}
#include "support/check.h"
#include <omp.h>
#include <stdexcept>
#include <vector>

static long alive;

struct Guard {
  Guard() { ATOMIC_ADD(alive, 1); }
  ~Guard() { ATOMIC_ADD(alive, -1); }
};

__attribute__((noinline)) static void thrower(int depth, int value) {
  Guard guard;
  std::vector<int> memory(16, value);
  if (depth == 0) throw std::runtime_error(std::to_string(value));
  thrower(depth - 1, memory[3]);
}

static int caught(int value) {
  try {
    Guard guard;
    thrower(value % 9, value);
  } catch (const std::exception& error) {
    return std::stoi(error.what()) == value;
  }
  return 0;
}

static long tree(int depth) {
  long left = 0, right = 0;
  if (depth == 0) return caught(depth);
  try {
#pragma omp task shared(left) firstprivate(depth)
    left = tree(depth - 1);
#pragma omp task shared(right) firstprivate(depth) untied
    right = tree(depth - 1);
#pragma omp taskwait
    throw depth;
  } catch (int value) {
    CHECK_EQ(value, depth);
  }
  return left + right;
}

int main() {
  omp_set_max_active_levels(2);
  for (int round = 0; round < SCALED(20); round++) {
    int threads = omp_get_max_threads(), members = 0, iterations = 0, sections = 0, singles = 0, critical = 0,
        nested = 0;
    long leaves = 0, loop = 0;
#pragma omp parallel reduction(+ : members)
    {
      members += caught(omp_get_thread_num());
#pragma omp for reduction(+ : iterations) schedule(guided)
      for (int i = 0; i < 100; i++) iterations += caught(i);
#pragma omp sections reduction(+ : sections)
      {
#pragma omp section
        sections += caught(1);
#pragma omp section
        sections += caught(2);
      }
#pragma omp single
      singles += caught(3);
#pragma omp critical
      critical += caught(4);
#pragma omp single
      {
#pragma omp taskgroup
        leaves = tree(5);
#pragma omp taskloop reduction(+ : loop) grainsize(3)
        for (int i = 0; i < 40; i++) loop += caught(i);
      }
#pragma omp single
      {
#pragma omp parallel num_threads(3) reduction(+ : nested)
        nested += caught(5);
        CHECK(nested >= 1);
      }
    }
    CHECK_EQ(members, threads);
    CHECK_EQ(iterations, 100);
    CHECK_EQ(sections, 2);
    CHECK_EQ(singles, 1);
    CHECK_EQ(critical, threads);
    CHECK_EQ(leaves, 32);
    CHECK_EQ(loop, 40);
    CHECK_EQ(alive, 0);
  }
  return 0;
}
