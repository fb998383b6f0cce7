// What is found is told when it is found, though the run has no end; a first run that is cut says where it was; more
// seconds allow more steps; a run without end that is repeated ends, too; on a terminal a line says how far the search
// has got; the last line says what ended it; and no exploration keeps to the CPU of another one.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore --seconds 60 %t endless > %t.endless 2>&1
// RUN: grep 'data race: `shared`' %t.endless
// RUN: grep 'Again: chomp explore --replay [0-9]* --seconds 60 /' %t.endless
// RUN: sh -c '%chomp-explore --replay 1 --seconds 1 %t endless; test $? = 1' 2>&1 | grep 'data race: `shared`'
// RUN: sh -c '%chomp-explore --replay 1 --seconds 1 %t for ever; test $? = 4' 2>&1 | grep 'not decided: too long'
// RUN: sh -c '%chomp-explore --seconds 5 %t for ever; test $? = 4' > %t.cut 2>&1
// RUN: grep 'not decided: too long: the first run has not ended within --seconds 5' %t.cut
// RUN: grep 'the main program, outside of parallel regions is at told_in_time.c:[23][0-9]' %t.cut
// RUN: grep '0 runs .* not decided: 1 run$' %t.cut
// RUN: %chomp-explore --threads 2 --runs 1 --seconds 300 %t a long loop 2>&1 | grep 'nothing found'
// RUN: %chomp-explore --runs 100000000 --seconds 5 %t 2>&1 | grep 'nothing found; --seconds 5 ended it'
// RUN: %python -c "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]))" %chomp-explore --seconds 1 --runs 100000000 %t | grep 'run [0-9]*, [0-9]* different'
// RUN: %chomp-explore --seconds 1 --runs 100000000 %t 2>&1 | not grep 'run [0-9]*, [0-9]* different'
// RUN: %chomp-explore --seed 1 --runs 1 --check 'grep Cpus_allowed_list /proc/$PPID/status > %t.cpus' %t
// RUN: grep Cpus_allowed_list /proc/self/status | cmp - %t.cpus
#include <stdio.h>

int shared;

int main(int count, char** arguments) {
  (void)arguments;
  if (count == 3)
    for (;;) __asm__ volatile("");
  for (volatile int i = 0; count == 4 && i < 8000000;) ++i; // more steps than a run has without --seconds
  if (count == 2) {
#pragma omp parallel num_threads(2)
    shared++;
    for (;;) {
    }
  }
#pragma omp parallel num_threads(2)
  {
#pragma omp critical
    shared++;
  }
  puts("done");
}
