// The fewest switches of a failing order: of an update that gets lost one, of locks in two orders one, of a race
// none. What is left is told in words, can be replayed, and fails each time; a part of it does not.
// RUN: %chomp-cc %s -o %t
// RUN: sh -c '%chomp-explore --seed 1 --runs 5000 --seconds 60 --threads 2 --expect 2 %t 2>&1 | sed -n "s/^Again.*--replay \([0-9]*\) .*/\1/p" > %t.seed'
// RUN: sh -c 'not %chomp-explore --reduce $(cat %t.seed) --threads 2 --expect 2 %t' > %t.said 2>&1
// RUN: FileCheck %s < %t.said
// CHECK: chomp explore: 1 of {{[0-9]+}} switches are left, and none can be left out
// CHECK-NEXT: 1. thread {{[01]}} of the parallel region at reduced.c:36, at reduced.c:41 (store) stops, and on goes
// CHECK-NEXT: wrong output: line 1
// CHECK: Again: chomp explore --replay {{[0-9]+}}:{{[0-9]+\.[0-9]+=[0-9]+}} --threads 2
// RUN: sh -c '%chomp-explore --threads 2 --replay $(sed -n "s/^Again.*--replay \([^ ]*\) .*/\1/p" %t.said) %t' | grep -x 1
// RUN: sh -c '%chomp-explore --threads 2 --replay $(cat %t.seed): %t' | grep -x 2
// RUN: %chomp-cc -DRACY -DONLY=lock_order %S/kinds/locks.c -o %t.locks
// RUN: sh -c '%chomp-explore --seed 1 --seconds 60 %t.locks 2>&1 | sed -n "s/^Again.*--replay \([0-9]*\) .*/\1/p" > %t.seed'
// RUN: sh -c 'not %chomp-explore --reduce $(cat %t.seed) %t.locks' 2>&1 | FileCheck --check-prefix=LOCKS %s
// LOCKS: 1 of {{[0-9]+}} switches are left, and none can be left out
// LOCKS: deadlock: every thread waits
// RUN: %chomp-cc -DRACY -DONLY=depend_wrong_element %S/kinds/tasks.c -o %t.race
// RUN: not %chomp-explore --reduce 1 %t.race 2>&1 | FileCheck --check-prefix=RACE %s
// RACE: no switch is needed
// RACE-NEXT: data race: `u[2]`
// RUN: not %chomp-explore --replay 1: %t.race 2>&1 | FileCheck --check-prefix=AGAIN %s
// AGAIN: data race: `u[2]`
// RUN: not %chomp-explore --replay 1:0-3 %t.race 2>&1 | grep 'not an order: 0-3'
// RUN: not %chomp-explore --reduce 1 --any-output --threads 1 %t 2>&1 | grep 'nothing is found in that order'
// An order of a search for all, too.
// RUN: sh -c '%chomp-explore --exhaustive --threads 2 --expect 2 %t 2>&1 | sed -n "s/^Again.*--replay \(x[^ ]*\) .*/\1/p" > %t.order'
// RUN: sh -c 'not %chomp-explore --reduce $(cat %t.order),9=1 --threads 2 --expect 2 %t' 2>&1 | FileCheck --check-prefix=ALL %s
// ALL: chomp explore: 1 of 2 switches are left, and none can be left out
// ALL-NEXT: 1. thread {{[01]}} of the parallel region at reduced.c:36, at reduced.c:41 (store) stops, and on goes
// ALL-NEXT: wrong output: line 1
// ALL: Again: chomp explore --replay x2:{{[0-9]+=[0-9]+}} --threads 2
#include <stdio.h>
int main(void) {
  int n = 0, got;
#pragma omp parallel private(got)
  {
#pragma omp atomic read seq_cst
    got = n;
#pragma omp atomic write seq_cst
    n = got + 1;
  }
  printf("%d\n", n);
}
