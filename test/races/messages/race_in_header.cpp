// RUN: %each-message %t %s
// clang-format off
// SAYS: chomp explore: data race: `bank::list`
// SAYS:     race_in_header.cpp:14 (reads|writes) it \(in std::vector::emplace_back, (stl_vector.h|vector.tcc|stl_construct.h|new_allocator.h):\d+\), in the task made at race_in_header.cpp:20
// SAYS:     race_in_header.cpp:14 (reads|writes) it \(in std::vector::emplace_back, (stl_vector.h|vector.tcc|stl_construct.h|new_allocator.h):\d+\), in the task made at race_in_header.cpp:22
// SAYS:     Nothing orders the two tasks: no `depend` clauses of both name it, and no `taskwait` stands between.
// clang-format on
#include <cstdio>
#include <vector>
namespace bank {
std::vector<long> list;
}

static void add(long value) { bank::list.emplace_back(value); }

int main() {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    add(1);
#pragma omp task
    add(2);
  }
  std::printf("%d\n", !bank::list.empty());
}
