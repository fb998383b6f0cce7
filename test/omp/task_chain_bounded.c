// A chain of tasks, each creating the next and waited for by nobody, runs in bounded memory however long it is: a
// finished parent does not stay for the sake of its children. (Not in a team of one, where a task runs inside its
// creator.) libomp 19 does not end within a minute.
// RUN: %clang-openmp %s -o %t && %for-threads -t 2 %t 10000000 && %for-threads -t "3 8" %t 1000000
#include "support/process.h"

static long ran;

static void chain(long left) {
  ran++; // plain: the links follow one another
  if (left > 1)
#pragma omp task firstprivate(left)
    chain(left - 1);
}

int main(int argc, char** argv) {
  CHECK_EQ(argc, 2);
  long length = SCALED(atol(argv[1]));
#pragma omp parallel
#pragma omp single
  burn(1);
  long before = peak_memory();
#pragma omp parallel
#pragma omp single nowait
#pragma omp task
  chain(length);
  CHECK_EQ(ran, length);
  CHECK(peak_memory() - before < 64 * 1024);
  return 0;
}
