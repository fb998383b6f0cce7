// Orders that random switches alone do not find: two threads that print; a thread that sleeps while others get on, or
// have got on before; time that seeds a generator; three locks in a circle; a region of one thread; a league; a flag or
// a semaphore that nobody raises.
// RUN: %chomp-cc %s -o %t
// RUN: %chomp-explore --runs 50 --threads 2 --any-output --check 'head -n 1 >> %t.first' --seed 1 %t print
// RUN: sort -u %t.first | wc -l | grep -x 2
// RUN: not %chomp-explore --seed 1 --seconds 60 %t sleep 2>&1 | grep 'deadlock: every thread waits'
// RUN: not %chomp-explore %t circle 2>&1 | grep 'deadlock: every thread waits'
// RUN: rm -f %t.times
// RUN: %chomp-explore --runs 20 --any-output --check 'cat >> %t.times' %t time
// RUN: sh -c 'test $(sort -u %t.times | wc -l) -ge 10'
// RUN: not %chomp-explore --seconds 60 %t flag 2>&1 | grep 'no end: livelock'
// RUN: not %chomp-explore %t semaphore 2>&1 | grep 'waits in sem_wait'
// RUN: not %chomp-explore %t alone 2>&1 | grep 'waits for a lock'
// RUN: rm -f %t.numbers
// RUN: %chomp-explore --seed 3 --runs 1 --threads 2,4 --check 'cat >> %t.numbers' %t number
// RUN: %chomp-explore --seed 7 --runs 1 --threads 2,4 --check 'cat >> %t.numbers' %t number
// RUN: sort -u %t.numbers | wc -l | grep -x 2
// RUN: not %chomp-explore --threads 2 %t league 2>&1 | grep 'data race: `shared`'
#include <omp.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int shared;
static omp_lock_t locks[3];
static atomic_int flag;
static sem_t semaphore;

static void take_two(int first, int second, int pause_us) {
  omp_set_lock(&locks[first]);
  if (pause_us > 0) usleep((useconds_t)pause_us);
  omp_set_lock(&locks[second]);
  shared++;
  omp_unset_lock(&locks[second]);
  omp_unset_lock(&locks[first]);
}

int main(int count, char** arguments) {
  (void)count;
  const char* what = arguments[1];
  sem_init(&semaphore, 0, 0);
  for (int i = 0; i < 3; ++i) omp_init_lock(&locks[i]);
  if (strcmp(what, "print") == 0) {
#pragma omp parallel
    printf("%d\n", omp_get_thread_num());
  } else if (strcmp(what, "sleep") == 0) { // it comes second only if it wakes while the other one is in between
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) {
      usleep(100);
      take_two(0, 1, 0);
    } else {
      take_two(1, 0, 0);
    }
  } else if (strcmp(what, "circle") == 0) {
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 3; ++i) {
#pragma omp task firstprivate(i)
      take_two(i, (i + 1) % 3, 0);
    }
  } else if (strcmp(what, "time") == 0) {
    printf("%ld\n", (long)time(NULL));
  } else if (strcmp(what, "alone") == 0) { // one lets the other go on, and nobody lets go of one that is alone
#pragma omp parallel
    {
      if (omp_get_thread_num() == 0) omp_set_lock(&locks[0]);
#pragma omp barrier
      if (omp_get_thread_num() == omp_get_num_threads() - 1) omp_set_lock(&locks[omp_get_num_threads() == 1 ? 0 : 1]);
    }
  } else if (strcmp(what, "flag") == 0) { // nobody raises it
#pragma omp parallel num_threads(2)
    while (!atomic_load(&flag)) {
    }
  } else if (strcmp(what, "semaphore") == 0) { // it is posted only if somebody waits already
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) {
      atomic_store(&flag, 1);
      sem_wait(&semaphore);
    } else if (atomic_load(&flag)) {
      sem_post(&semaphore);
    }
  } else if (strcmp(what, "league") == 0) {
#pragma omp teams
    shared++;
  } else {
    printf("%d\n", omp_get_max_threads());
  }
  if (strcmp(what, "print") != 0 && strcmp(what, "time") != 0 && strcmp(what, "number") != 0) puts("done");
}
