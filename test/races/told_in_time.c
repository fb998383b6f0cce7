// What is found is told when it is found, though the run has no end; on a terminal a line says how far the search has
// got; the last line says what ended it; and no exploration keeps to the CPU of another one.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore --seconds 5 %t endless 2>&1 | grep 'data race: `shared`'
// RUN: %chomp-explore --runs 100000000 --seconds 1 %t 2>&1 | grep 'nothing found; --seconds 1 ended it'
// RUN: %python -c "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]))" %chomp-explore --seconds 1 --runs 100000000 %t | grep 'run [0-9]*, [0-9]* different'
// RUN: %chomp-explore --seconds 1 --runs 100000000 %t 2>&1 | not grep 'run [0-9]*, [0-9]* different'
// RUN: %chomp-explore --seed 1 --runs 1 --check 'grep Cpus_allowed_list /proc/$PPID/status > %t.cpus' %t
// RUN: grep Cpus_allowed_list /proc/self/status | cmp - %t.cpus
#include <stdio.h>

int shared;

int main(int count, char** arguments) {
  (void)arguments;
  if (count > 1) {
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
