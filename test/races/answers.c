// Answers are compared with those of the first order, with a text, or by a command; the exit status says what came out;
// a seed repeats its run; results also come as JUnit and SARIF.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore %t > %t.said 2>&1
// RUN: FileCheck --check-prefix=SAID %s < %t.said
// SAID: wrong output: line 1 of the output
// SAID-NEXT: in the order {{.*}}: last {{[0-9]}}
// SAID-NEXT: here: last {{[0-9]}}
// SAID: Again: chomp explore --replay {{[0-9x:=,]+}}
// RUN: sh -c '%chomp-explore --replay 5 %t > %t.a; %chomp-explore --replay 5 %t > %t.b'
// RUN: grep last %t.a
// RUN: cmp %t.a %t.b
// RUN: sh -c '%chomp-explore --expect "last 7" --replay 5 %t; test $? = 1' 2>&1 | grep 'wrong output'
// RUN: sh -c '%chomp-explore --check "grep -q nothing" --replay 5 %t; test $? = 1' 2>&1 | grep 'the check says so'
// RUN: %chomp-explore --check "grep -q last" --replay 5 %t | cmp - %t.a
// RUN: %chomp-explore --runs 50 --any-output %t 2>&1 | grep 'nothing found'
// RUN: not %chomp-explore --runs 200 --seconds 0 --expect 'last 7' %t 2>&1 | grep 'expected: last 7'
// RUN: not %chomp-explore --runs 200 --seconds 0 --check 'grep -q "last 0"' %t 2>&1 | grep 'the check says so'
// RUN: %chomp-explore --runs 50 --check 'grep -q last' %t 2>&1 | grep 'nothing found'
// RUN: not %chomp-explore --runs 200 --seconds 0 --any-output %t status 2>&1 | grep 'exit status: the program ends with'
// RUN: not %chomp-explore --junit %t.xml --sarif %t.sarif %t
// RUN: %python -c "import sys, xml.dom.minidom as x; x.parse(sys.argv[1])" %t.xml
// RUN: %python -c "import sys, json; print(json.load(open(sys.argv[1]))['runs'][0]['results'][0]['ruleId'])" %t.sarif | grep 'wrong output'
#include <stdio.h>

int main(int count, char** arguments) {
  (void)arguments;
  int last = -1;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 4; ++i) {
#pragma omp task firstprivate(i) shared(last)
    {
#pragma omp critical
      last = i;
    }
  }
  printf("last %d\n", last);
  return count > 1 ? last : 0;
}
