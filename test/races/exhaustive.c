// All orders of programs that have so many on paper: four updates by two threads 4!/(2!2!), reads one, two locks that
// two threads take one after the other 2!2!, three tasks that exclude each other 3!. The same outcomes come out as when
// every interleaving is tried. A fault that one order of six shows is found, and its order can be replayed. What is not
// complete says so.
// RUN: %chomp-cc -DUPDATES %s -o %t.updates
// RUN: %chomp-explore --exhaustive --seconds 60 %t.updates 2>&1 | grep 'all 6 orders explored: none fails (2 threads, 6 runs'
// RUN: %chomp-cc -DREADS %s -o %t.reads
// RUN: %chomp-explore --exhaustive --seconds 60 %t.reads 2>&1 | grep 'all 1 order explored: none fails'
// RUN: env CHOMP_EXPLORE_NAIVE=1 %chomp-explore --exhaustive --seconds 60 %t.reads 2>&1 | grep 'all 6 orders explored'
// RUN: %chomp-cc -DLOCKS %s -o %t.locks
// RUN: %chomp-explore --exhaustive --seconds 60 %t.locks 2>&1 | grep 'all 4 orders explored: none fails'
// RUN: %chomp-cc -DTASKS %s -o %t.tasks
// RUN: rm -f %t.outcomes %t.naive
// RUN: %chomp-explore --exhaustive --seconds 60 --any-output --check 'cat >> %t.outcomes' %t.tasks 2>&1 | grep 'all 6 orders explored: none fails (4 threads'
// RUN: env CHOMP_EXPLORE_NAIVE=1 %chomp-explore --exhaustive --seconds 60 --check 'cat >> %t.naive' %t.tasks
// RUN: sort -u %t.naive -o %t.naive
// RUN: sort -u %t.outcomes | cmp - %t.naive
// RUN: sort %t.outcomes | uniq -u | wc -l | grep -x 6
// RUN: not %chomp-explore --exhaustive --seconds 60 --any-output %t.tasks one 2>&1 | FileCheck --check-prefix=ONE %s
// ONE: exit status: the program ends with status 1; with status 0
// ONE: Again: chomp explore --replay x4:{{[0-9=,]+}}
// ONE: of {{[1-6]}} orders explored fails
// RUN: sh -c '%chomp-explore --exhaustive --seconds 60 --any-output %t.tasks one 2>&1 | sed -n "s/^Again.*--replay \([^ ]*\) .*/\1/p" > %t.order'
// RUN: sh -c '%chomp-explore --replay $(cat %t.order) %t.tasks one; test $? = 1' | grep -x 321
// RUN: %chomp-cc -DWAITS %s -o %t.waits
// RUN: %chomp-explore --exhaustive --seconds 60 %t.waits 2>&1 | grep 'all 3 orders explored: none fails'
// RUN: %chomp-cc -DCONDITION=while %s -o %t.condition
// RUN: %chomp-explore --exhaustive --seconds 60 %t.condition 2>&1 | grep 'all 4 orders explored: none fails'
// RUN: %chomp-cc -DCONDITION=if %s -o %t.once
// RUN: not %chomp-explore --exhaustive --seconds 60 %t.once 2>&1 | grep 'wrong output: line 1'
// RUN: sh -c '%chomp-explore --exhaustive --runs 3 %t.updates; test $? = 3' 2>&1 | grep '3 orders explored, not all: the search was cut short'
// RUN: %chomp-cc -DDYNAMIC %s -o %t.dynamic
// RUN: sh -c '%chomp-explore --exhaustive %t.dynamic; test $? = 3' 2>&1 | grep "not all: a loop's schedule is dynamic"
// RUN: sh -c '%chomp-explore --exhaustive --threads 2 --any-output %t.tasks; test $? = 3' 2>&1 | grep 'not all: tasks had to wait for a thread'
// RUN: %chomp-cc -DRACY -DONLY=lock_order %S/kinds/locks.c -o %t.deadlock
// RUN: not %chomp-explore --exhaustive %t.deadlock 2>&1 | grep 'deadlock: every thread waits'
// RUN: not %chomp-explore --exhaustive --junit %t.xml --sarif %t.sarif %t.deadlock
// RUN: grep 'message="seed x2:' %t.xml
// RUN: %python -c "import sys, json; print(json.load(open(sys.argv[1]))['runs'][0]['results'][0]['message']['text'])" %t.sarif | grep -e '--replay x2:'
// RUN: %chomp-cc -O2 -DONLY=depend_chain %S/kinds/tasks.c -o %t.chain
// RUN: %chomp-explore --exhaustive %t.chain 2>&1 | grep 'all 2 orders explored: none fails'
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

int x, y;

int main(int count, char** arguments) {
  (void)arguments;
#if defined(UPDATES)
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 2; ++i) {
#pragma omp atomic
    x++;
  }
#elif defined(READS)
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 2; ++i) {
    int got;
#pragma omp atomic read
    got = x;
    (void)got;
  }
#elif defined(LOCKS)
  omp_lock_t first, second;
  omp_init_lock(&first);
  omp_init_lock(&second);
#pragma omp parallel num_threads(2)
  {
    omp_set_lock(&first);
    x++;
    omp_unset_lock(&first);
    omp_set_lock(&second);
    y++;
    omp_unset_lock(&second);
  }
#elif defined(TASKS)
#pragma omp parallel
#pragma omp master
  for (int i = 1; i < 4; i++) {
#pragma omp task firstprivate(i)
    {
#pragma omp critical
      x = x * 10 + i;
    }
  }
#elif defined(WAITS)
  atomic_int flag = 0;
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    x = 1;
    atomic_store(&flag, 1);
  } else {
    while (!atomic_load(&flag)) {
    }
    x++;
  }
#elif defined(CONDITION)
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
#pragma omp parallel num_threads(2)
  {
    pthread_mutex_lock(&mutex);
    if (omp_get_thread_num() == 0) {
      x = 321;
      pthread_cond_signal(&changed);
    } else {
      CONDITION(x == 0) pthread_cond_wait(&changed, &mutex);
      y = x;
    }
    pthread_mutex_unlock(&mutex);
  }
  x = y;
#else
#pragma omp parallel for schedule(dynamic) num_threads(2)
  for (int i = 0; i < 4; i++) {
#pragma omp atomic
    x++;
  }
#endif
  printf("%d\n", x);
  return count > 1 && x == 321;
}
