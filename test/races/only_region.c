// Only the region that is named is explored: what the other one does is not seen, costs no steps, and the seeds mean the
// same again. A region that is not met is said.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore --runs 20 --only-region only_region.c:22 %t 2>&1 | FileCheck --check-prefix=FIRST %s
// FIRST: data race: `first`
// FIRST-NOT: data race: `second`
// FIRST: Again: chomp explore --replay {{[0-9]+}} --only-region only_region.c:22
// RUN: not %chomp-explore --all --runs 20 --only-region %s:24 %t 2>&1 | FileCheck --check-prefix=SECOND %s
// SECOND-NOT: data race: `first`
// SECOND: data race: `second`
// RUN: not %chomp-explore --replay 2 --only-region only_region.c:24 %t 2>&1 | grep 'data race: `second`'
// RUN: not %chomp-explore --exhaustive --only-region only_region.c:22 %t 2>&1 | grep 'data race: `first`'
// RUN: %chomp-explore --runs 5 --any-output --only-region only_region.c:1 %t 2>&1 | grep 'nothing found; no parallel region begins at that line'
// RUN: not %chomp-explore --only-region only_region.c %t 2>&1 | grep 'not FILE:LINE: only_region.c'
// RUN: %chomp-explore --runs 3 --seconds 0 --steps 100000 --any-output --only-region only_region.c:1 %t long 2>&1 | grep 'nothing found'
#include <stdio.h>

int first, second, length = 1000;

int main(int count, char** arguments) {
  (void)arguments;
#pragma omp parallel num_threads(2)
  first++;
#pragma omp parallel num_threads(2)
  for (int i = 0; i < (count > 1 ? 1000 : 1) * length; ++i) second++;
  printf("%d\n", (first > 0) + (second > 0));
}
