// CHOMP_NESTED=light: an inner region has as many kernel threads as those around it leave CPUs, which its members share
// in turn. Every construct does in them what it does elsewhere: numbers, ICVs, barriers, loops in order and
// not, doacross, sections, single, critical sections and locks, also those that members of other kernel threads hold,
// reductions, threadprivate variables, cancellation, tasks of all kinds, three levels, and fork(). Regions of any size
// follow each other, also those that have a kernel thread for each member.
// RUN: %clang-openmp -fnoopenmp-use-tls -I%root %s -o %t && env CHOMP_NESTED=light KMP_WARNINGS=0 %chomp-run %t
// RUN: env CHOMP_NESTED=light KMP_WARNINGS=0 OMP_CANCELLATION=true %chomp-run %t
// RUN: env CHOMP_NESTED=light KMP_WARNINGS=0 CHOMP_SCHEDULER=xqueue %chomp-run %t
// RUN: env CHOMP_NESTED=light KMP_WARNINGS=0 CHOMP_SCHEDULER=fifo CHOMP_MEMBARRIER=0 %chomp-run %t
// RUN: env CHOMP_NESTED=light KMP_WARNINGS=0 OMP_PROC_BIND=spread OMP_PLACES=threads %chomp-run %t
// RUN: env CHOMP_NESTED=light KMP_WARNINGS=0 CHOMP_STATS=%t.json %chomp-run %t
// RUN: env CHOMP_NESTED=light %chomp-run %t 2>&1 | grep "CHOMP_NESTED=light: threads of an inner region share"
// RUN: %chomp-run %t
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/check.h"

enum { kMost = 8, kLoop = 100 };

static int light;    // the setting
static int own_copy; // threadprivate
#pragma omp threadprivate(own_copy)

static int kernel_thread(void) { return (int)syscall(SYS_gettid); }

// How many kernel threads the next region has, if it is not smaller.
static int kernel_threads(void) {
  int around = 1, left = omp_get_num_procs();
  for (int level = 1; level <= omp_get_level(); ++level) {
    int size = omp_get_team_size(level);
    around *= level > 1 && size > left ? left : size;
    left = omp_get_num_procs() / around > 1 ? omp_get_num_procs() / around : 1;
  }
  return left;
}

static void numbers(int size) {
  int outer = omp_get_thread_num(), level = omp_get_level(), seen[kMost] = {0}, on[kMost], hosts = kernel_threads();
  int place = omp_get_place_num();
#pragma omp parallel num_threads(size)
  {
    int self = omp_get_thread_num();
    CHECK_EQ(omp_get_num_threads(), size);
    CHECK_EQ(omp_get_level(), level + 1);
    CHECK_EQ(omp_get_ancestor_thread_num(level), outer);
    CHECK_EQ(omp_get_ancestor_thread_num(level + 1), self);
    CHECK_EQ(omp_get_team_size(level + 1), size);
    CHECK(!light || hosts > 1 || omp_get_place_num() == place);
    on[self] = kernel_thread();
    omp_set_num_threads(self + 3);
    ++seen[self];
#pragma omp barrier
    CHECK_EQ(omp_get_max_threads(), self + 3);
    CHECK_EQ(omp_get_thread_num(), self);
  }
  for (int i = 0; i < size; ++i) CHECK_EQ(seen[i], 1);
  for (int i = 0; i < size && light; ++i) CHECK_EQ(on[i], on[i % hosts]);
  for (int i = 1; i < size && i < hosts; ++i) CHECK(on[i] != on[0]);
  CHECK_EQ(omp_get_thread_num(), outer);
}

static void barriers(int size) {
  int steps[kMost] = {0};
#pragma omp parallel num_threads(size)
  for (int step = 1; step <= 5; ++step) {
    steps[omp_get_thread_num()] = step;
#pragma omp barrier
    for (int i = 0; i < size; ++i) CHECK_EQ(steps[i], step);
#pragma omp barrier
  }
}

static void loops(int size) {
  int times[kLoop] = {0}, next = 0, chain[kLoop + 1] = {0}, sections = 0;
  long sum = 0;
#pragma omp parallel num_threads(size)
  {
#pragma omp for schedule(dynamic, 1) nowait
    for (int i = 0; i < kLoop; ++i) ++times[i];
#pragma omp for schedule(guided) reduction(+ : sum)
    for (int i = 0; i < kLoop; ++i) sum += i;
#pragma omp for schedule(static, 1) ordered
    for (int i = 0; i < kLoop; ++i) {
#pragma omp ordered
      CHECK_EQ(next++, i);
    }
#pragma omp for schedule(static, 1) ordered(1)
    for (int i = 0; i < kLoop; ++i) {
#pragma omp ordered depend(sink : i - 1)
      chain[i + 1] = chain[i] + 1;
#pragma omp ordered depend(source)
    }
#pragma omp sections
    {
#pragma omp section
#pragma omp atomic
      ++sections;
#pragma omp section
#pragma omp atomic
      ++sections;
    }
    for (int i = 0; i < 40; ++i) { // more loops than may be in flight
#pragma omp for schedule(dynamic, 1) nowait
      for (int k = 0; k < size; ++k) {
#pragma omp atomic
        ++sections;
      }
    }
  }
  for (int i = 0; i < kLoop; ++i) CHECK_EQ(times[i], 1);
  CHECK_EQ(sum, kLoop * (kLoop - 1) / 2);
  CHECK_EQ(chain[kLoop], kLoop);
  CHECK_EQ(sections, 2 + 40 * size);
}

static void singles(int size) {
  int times = 0, sum = 0;
#pragma omp parallel num_threads(size) reduction(+ : sum)
  for (int i = 0; i < 10; ++i) {
    int value = -1;
#pragma omp single copyprivate(value)
    {
#pragma omp atomic
      ++times;
      value = i;
    }
    CHECK_EQ(value, i);
#pragma omp masked
#pragma omp atomic
    ++times;
    sum += value;
  }
  CHECK_EQ(times, 20);
  CHECK_EQ(sum, 45 * size);
}

static int guarded, inside;
static omp_lock_t lock;
static omp_nest_lock_t nest_lock;

static void enter(void) {
  ++guarded;
  CHECK_EQ(++inside, 1);
#pragma omp taskyield // a scheduling point: others of the kernel thread run, and must not come in
  CHECK_EQ(--inside, 0);
}

// Of all teams: `inside` is one for the program.
static void locks(int size) {
#pragma omp parallel num_threads(size)
  for (int i = 0; i < 10; ++i) {
#pragma omp critical(of_all)
    {
      omp_set_lock(&lock);
      enter();
      omp_unset_lock(&lock);
    }
    omp_set_nest_lock(&nest_lock);
    omp_set_nest_lock(&nest_lock);
#pragma omp critical(of_all)
    {
      omp_set_lock(&lock);
      enter();
      omp_unset_lock(&lock);
    }
    omp_unset_nest_lock(&nest_lock);
    omp_unset_nest_lock(&nest_lock);
    while (!omp_test_lock(&lock)) {
    }
    enter();
    omp_unset_lock(&lock);
  }
}

static void flags(int size) {
  int turn = 0;
#pragma omp parallel num_threads(size)
  {
    int self = omp_get_thread_num(), now = -1;
    while (now != size - 1 - self) { // the last is the first
#pragma omp flush
#pragma omp atomic read
      now = turn;
    }
#pragma omp atomic
    ++turn;
  }
  CHECK_EQ(turn, size);
}

static void copies(int size) {
  int here = omp_get_thread_num() * 100 + omp_get_level() * 1000;
#pragma omp parallel num_threads(size)
  {
    own_copy = here + omp_get_thread_num();
#pragma omp barrier
    CHECK_EQ(own_copy, here + omp_get_thread_num());
  }
#pragma omp parallel num_threads(size)
  {
#pragma omp barrier
    CHECK_EQ(own_copy, here + omp_get_thread_num());
  }
}

static int fib(int n) {
  int a, b;
  if (n < 2) return n;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b) untied
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

static void tasks(int size) {
  int value = 0, chain = 0, in_group = 0, looped = 0, fulfilled = 0;
#pragma omp parallel num_threads(size) reduction(task, + : looped)
  {
    CHECK_EQ(fib(10), 55);
#pragma omp single nowait
    {
#pragma omp task shared(value)
      value = fib(12);
      for (int i = 0; i < 50; ++i) {
#pragma omp task depend(inout : chain) shared(chain)
        CHECK_EQ(chain++, i);
      }
    }
#pragma omp taskgroup
    for (int i = 0; i < 10; ++i) {
#pragma omp task shared(in_group)
#pragma omp atomic
      ++in_group;
    }
#pragma omp taskloop grainsize(3) in_reduction(+ : looped)
    for (int i = 0; i < 30; ++i) ++looped;
  }
#pragma omp parallel num_threads(size)
  for (int i = 0; i < 3; ++i) {
#pragma omp critical(with_a_task)
    {
      int done = 0;
#pragma omp task shared(done)
      done = 1;
#pragma omp taskwait
      CHECK_EQ(done, 1);
    }
  }
  CHECK_EQ(value, 144);
  CHECK_EQ(chain, 50);
  CHECK_EQ(in_group, 10 * size);
  CHECK_EQ(looped, 30 * size);
#pragma omp parallel num_threads(size)
  {
    omp_event_handle_t event;
#pragma omp task detach(event) shared(fulfilled)
#pragma omp atomic
    ++fulfilled;
#pragma omp task
    omp_fulfill_event(event);
#pragma omp barrier
    CHECK_EQ(fulfilled, size);
  }
}

static void cancelled(int size) {
  int ran = 0, ended = 0;
#pragma omp parallel num_threads(size)
  {
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < kLoop; ++i) {
#pragma omp atomic
      ++ran;
#pragma omp cancel for
    }
#pragma omp barrier
    if (omp_get_thread_num() == size - 1) {
#pragma omp cancel parallel
    }
    for (int i = 0; i < 3; ++i) {
#pragma omp barrier
    }
#pragma omp atomic
    ++ended;
  }
  CHECK(omp_get_cancellation() ? ran <= size : ran == kLoop);
  CHECK(omp_get_cancellation() ? ended == 0 : ended == size);
}

static void all(int size) {
  numbers(size);
  barriers(size);
  loops(size);
  singles(size);
  locks(size);
  flags(size);
  copies(size);
  tasks(size);
  cancelled(size);
}

static void three_levels(int size) {
  int sum = 0;
#pragma omp parallel num_threads(size)
  {
    all(3);
    numbers(2);
#pragma omp barrier
#pragma omp parallel num_threads(2) reduction(+ : sum)
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
#pragma omp barrier
      sum += 1;
    }
  }
  CHECK_EQ(sum >= 4, 1);
}

// The child of a fork() inside has one member that goes on; that of one outside has regions of its own.
static void forks(int outer) {
  fflush(NULL);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(3)
  {
#pragma omp barrier
    if (omp_get_thread_num() == 1) {
      pid_t child = fork();
      if (child == 0) {
        int value = fib(5);
        _exit(value == 5 ? 7 : 1);
      }
      int status;
      CHECK_EQ(waitpid(child, &status, 0), child);
      CHECK_EQ(WEXITSTATUS(status), 7);
    }
#pragma omp barrier
  }
  pid_t child = fork();
  if (child == 0) {
#pragma omp parallel num_threads(outer)
    all(4);
    exit(7);
  }
  int status;
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK_EQ(WEXITSTATUS(status), 7);
}

int main(void) {
  const char* nested = getenv("CHOMP_NESTED");
  light = nested != NULL && strcmp(nested, "light") == 0;
  int outer = omp_get_num_procs() < 2 ? 2 : omp_get_num_procs();
  omp_set_max_active_levels(5);
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest_lock);
  int enters = 0;
  static const int sizes[] = {1, 2, 3, 5, 8, 4, 8, 2};
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
#pragma omp parallel num_threads(outer)
    all(sizes[i]);
#pragma omp parallel num_threads(1)
    all(sizes[i]);
    enters += (outer + 1) * sizes[i] * 30;
  }
  CHECK_EQ(guarded, enters);
  CHECK_EQ(inside, 0);
  for (int threads = outer; threads > 0; threads -= outer - 1) {
#pragma omp parallel num_threads(threads)
    three_levels(3);
#pragma omp parallel num_threads(threads)
#pragma omp single
    all(4);
  }
#ifndef CHOMP_SANITIZED // ThreadSanitizer allows no threads in such a child
  forks(outer);
#endif
  return 0;
}
