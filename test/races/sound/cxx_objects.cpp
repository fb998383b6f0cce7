// Without a fault: objects that are copied into tasks and destroyed there.
// RUN: %chomp-cxx -O2 %s -o %t
// RUN: %chomp-explore --runs 100 --seconds 0 %t 2>&1 | FileCheck %s
// CHECK: nothing found
#include <cstdio>
#include <vector>

int main() {
  std::vector<int> source(8, 2);
  long sum = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 4; ++i) {
#pragma omp task firstprivate(source, i) shared(sum)
      {
        source[i] += i;
        std::vector<int> own(source);
        long part = 0;
        for (int value : own) part += value;
#pragma omp atomic
        sum += part;
      }
    }
#pragma omp taskloop firstprivate(source) shared(sum) num_tasks(3)
    for (int i = 0; i < 6; ++i) {
      source[i] = i;
#pragma omp atomic
      sum += source[i];
    }
  }
  std::printf("%ld\n", sum);
}
