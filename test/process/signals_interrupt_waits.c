// Signals that arrive all the time, at threads that work, spin, sleep in a barrier or wait for tasks, a critical region
// or a lock, change no answer: interrupted system calls are resumed. SIGALRM, SIGCHLD, SIGPROF, with and without
// SA_RESTART.
// UNSUPPORTED: sanitizer-thread
// RUN: %clang-openmp %s -o %t && %for-threads -t "1 2 3 8" %t
// RUN: %if gomp %{ %gcc-openmp %s -o %t.gcc && %for-threads -t "1 2 3 8" %t.gcc %}
#include "support/children.h"
#include "support/regions.h"
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

static volatile sig_atomic_t seen;
static void count(int unused) { seen = seen + 1; }

static void start(int timer, int flags) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = count;
  action.sa_flags = flags;
  CHECK_EQ(sigaction(SIGALRM, &action, NULL), 0);
  CHECK_EQ(sigaction(SIGPROF, &action, NULL), 0);
  CHECK_EQ(sigaction(SIGCHLD, &action, NULL), 0);
  struct itimerval often = {{0, 300}, {0, 300}};
  CHECK_EQ(setitimer(timer, &often, NULL), 0);
}

static void stop(int timer) {
  struct itimerval never = {{0, 0}, {0, 0}};
  CHECK_EQ(setitimer(timer, &never, NULL), 0);
}

static void sleep_through(int ms) {
  struct timespec left = {.tv_nsec = ms * 1000000L};
  while (nanosleep(&left, &left) != 0) {
  }
}

static void wait_for_everything(void) {
  long inside = 0, total = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel
  {
    for (int round = 0; round < 20; round++) {
#pragma omp barrier
      omp_set_lock(&lock);
      inside++;
      omp_unset_lock(&lock);
#pragma omp critical
      total++;
    }
    if (omp_get_thread_num() == 0) sleep_through(10); // the others fall asleep in the barrier
#pragma omp barrier
#pragma omp single
    {
#pragma omp task shared(total)
      {
        sleep_through(10); // a thread that waits for this one falls asleep too
        ATOMIC_ADD(total, 1);
      }
#pragma omp taskwait
    }
  }
  omp_destroy_lock(&lock);
  CHECK_EQ(inside, 20 * omp_get_max_threads());
  CHECK_EQ(total, 20 * omp_get_max_threads() + 1);
}

int main(void) {
  int timers[] = {ITIMER_REAL, ITIMER_PROF};
  use_openmp(0);
  for (int flags = 0; flags < 2; flags++)
    for (int timer = 0; timer < 2; timer++) {
      start(timers[timer], flags ? SA_RESTART : 0);
      for (int round = 0; round < 4; round++) {
        wait_for_everything();
        use_openmp(0);
      }
      stop(timers[timer]);
    }
  start(ITIMER_REAL, 0);
  for (int round = 0; round < 20; round++) { // SIGCHLD too
    pid_t child;
    while ((child = fork()) < 0) {
    }
    if (child == 0) _exit(3);
    use_openmp(0);
    int status;
    while (waitpid(child, &status, 0) < 0) {
    }
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
  }
  stop(ITIMER_REAL);
  CHECK(seen > 20);
  return 0;
}
