// A wait that gives up may do so after any number of looks: each is tried. One that does not give up has as many orders
// as it has outcomes. One that counts, and does so for long, is not tried with each count, and that is said.
// RUN: %chomp-cc -DGIVES_UP %s -o %t.gives_up
// RUN: not %chomp-explore --exhaustive --seconds 60 %t.gives_up 2>&1 | grep 'crash: the program ended by signal 6'
// RUN: %chomp-cc -O2 -DGIVES_UP %s -o %t.gives_up
// RUN: not %chomp-explore --exhaustive --seconds 60 %t.gives_up 2>&1 | grep 'crash: the program ended by signal 6'
// RUN: %chomp-cc -DGIVES_UP -DHARMLESS %s -o %t.harmless
// RUN: rm -f %t.outcomes
// RUN: %chomp-explore --exhaustive --seconds 60 --any-output --check 'cat >> %t.outcomes' %t.harmless 2>&1 | grep 'orders explored: none fails'
// RUN: sort -u %t.outcomes | wc -l | grep -x 6
// RUN: %chomp-cc -DCOUNTED_IN_MEMORY -DGIVES_UP %s -o %t.memory
// RUN: not %chomp-explore --exhaustive --seconds 60 %t.memory 2>&1 | grep 'crash: the program ended by signal 6'
// RUN: %chomp-cc %s -o %t.waits
// RUN: %chomp-explore --exhaustive --seconds 60 %t.waits 2>&1 | grep 'all 3 orders explored: none fails'
// RUN: %chomp-cc -O2 %s -o %t.waits
// RUN: %chomp-explore --exhaustive --seconds 60 %t.waits 2>&1 | grep 'all 3 orders explored: none fails'
// RUN: %chomp-cc -DCOUNTS %s -o %t.counts
// RUN: sh -c '%chomp-explore --exhaustive --seconds 60 %t.counts; test $? = 3' 2>&1 | grep 'not all: a loop that reads an atomic again'
// RUN: %chomp-cc -DNOBODY %s -o %t.nobody
// RUN: not %chomp-explore --steps 1000000 --exhaustive --seconds 60 %t.nobody 2>&1 | grep 'no end: livelock'
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

atomic_int flag;
int in_memory;

int main(void) {
  int looks = 0;
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
#if defined(GIVES_UP) && defined(COUNTED_IN_MEMORY)
      in_memory = 0;
      while (in_memory < 5 && !atomic_load(&flag)) ++in_memory;
      looks = in_memory;
#elif defined(GIVES_UP)
      int i = 0;
      while (i < 5 && !atomic_load(&flag)) i++;
      looks = i;
#elif defined(COUNTS)
      int i = 0;
      while (!atomic_load(&flag)) i++;
      looks = i > 1000000;
#else
      while (!atomic_load(&flag)) {
      }
#endif
#ifndef HARMLESS
      if (looks == 5) abort();
#endif
    }
#pragma omp section
#ifdef NOBODY
    atomic_store(&flag, 0);
#else
    atomic_store(&flag, 1);
#endif
  }
  printf("%d\n", looks);
}
