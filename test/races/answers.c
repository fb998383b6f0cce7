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
// Times, rates and numbers of threads decide nothing by their looks.
// RUN: %chomp-explore --runs 50 %t looks like > %t.looks 2>&1
// RUN: FileCheck --check-prefix=LOOKS %s < %t.looks
// LOOKS: not judged: line
// LOOKS: here: 4 tasks, Elapsed_time = {{.*}} or 7 in
// LOOKS: --strict-output judges that, too
// LOOKS: nothing found
// RUN: sh -c '%chomp-explore --runs 50 --strict-output %t looks like; test $? = 4' 2>&1 | grep 'It asks for the time'
// RUN: %chomp-explore --runs 50 %t looks like threads 2>&1 | grep 'nothing found'
// RUN: sh -c '%chomp-explore --runs 50 --strict-output %t looks like threads; test $? = 4' 2>&1 | grep 'It asks for the thread'
// RUN: not %chomp-explore --runs 50 %t looks like other numbers 2>&1 | grep 'wrong output'
// Results are judged though the program asks for the time and for threads, by whatever word they are named.
// RUN: sh -c 'for word in "second largest" "max id" "error rate" speed efficiency date; do %chomp-explore --runs 50 %t result "$word"; test $? = 4 || exit 1; done' 2>&1 | grep 'It asks for the time'
// RUN: %chomp-explore --runs 50 %t result 'thread id' 2>&1 | grep 'nothing found'
// RUN: %chomp-explore --runs 50 %t result 'Rate (MB/s)' 2>&1 | grep 'nothing found'
// RUN: not %chomp-explore --junit %t.xml --sarif %t.sarif %t
// RUN: %python -c "import sys, xml.dom.minidom as x; x.parse(sys.argv[1])" %t.xml
// RUN: %python -c "import sys, json; print(json.load(open(sys.argv[1]))['runs'][0]['results'][0]['ruleId'])" %t.sarif | grep 'wrong output'
#include <omp.h>
#include <stdio.h>
#include <string.h>

int main(int count, char** arguments) {
  int last = -1, thread = 0, is_result = count == 3 && strcmp(arguments[1], "result") == 0;
  double begun = count == 3 ? omp_get_wtime() : 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 4; ++i) {
#pragma omp task firstprivate(i) shared(last, thread)
    {
#pragma omp critical
      last = i, thread = count == 3 || count == 4 ? omp_get_thread_num() : 0;
    }
  }
  if (is_result) return printf("%s: %d\n", arguments[2], last) < 0;
  if (count == 3) {
    double time = omp_get_wtime() - begun;
    printf("4 tasks, Elapsed_time = %9.1f (us), or 7 in %e s\n%.2f MB/s\n", time * 1e6, time, 1 / time);
  }
  if (count == 3 || count == 4) return printf("last on thread %d, at %p\n", thread, (void*)&last) < 0;
  printf("last %d\n", last);
  return count > 1 ? last : 0;
}
