// A task that only thread k runs, whatever else it is: with dependences, urgent, final, untied, of a taskloop, made in
// one, or replayed. The report of a stall names the thread, and statistics count it as published.
// RUN: %clang-openmp -I%root %s -o %t -L%lib && %for-schedulers %for-threads -t "1 2 3 8" %t
// RUN: env OMP_MAX_TASK_PRIORITY=10 %for-threads -t "2 8" %t
// RUN: env OMP_NUM_THREADS=2 CHOMP_WATCHDOG=1 %chomp-run %t stalls
#include <omp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>

#include "abi/chomp.h"
#include "support/check.h"
#include "support/newer_tasks.h"

enum { kMany = 200, kRounds = 4 };
#define ONLY(k) affinity(((char*)1 + (k))[0:1])

typedef struct {
  uintptr_t address;
  size_t bytes;
  uint64_t unused;
} Affinity;
int __kmpc_omp_reg_task_with_affinity(void*, int, void* task, int count, Affinity*);
int __kmpc_start_record_task(void*, int, int, int);
void __kmpc_end_record_task(void*, int, int, int);

static atomic_int ran, wrong;

static void here(int k) {
  ran++;
  if (omp_get_thread_num() != k % omp_get_num_threads()) wrong++;
}

static void all_right(int tasks) {
  CHECK_EQ(ran, tasks);
  CHECK_EQ(wrong, 0);
  ran = 0;
}

static void plain(int tasks) {
  for (int i = 0; i < tasks; i++) {
#pragma omp task ONLY(i % 5)
    here(i % 5);
#pragma omp task untied ONLY(i % 5)
    {
      here(i % 5);
#pragma omp taskyield
      here(i % 5);
    }
#pragma omp task final(1) ONLY(i % 5)
    {
      int k = omp_get_thread_num();
#pragma omp task
      here(k);
      here(i % 5);
    }
  }
#pragma omp taskwait
  all_right(5 * tasks);
}

static void urgent(int tasks) {
  for (int i = 0; i < tasks; i++) {
#pragma omp task priority(i % 10) ONLY(i % 3)
    here(i % 3);
  }
#pragma omp taskwait
  all_right(tasks);
}

static void with_dependences(int tasks) {
  int chains[4] = {0};
  for (int i = 0; i < tasks; i++) {
#pragma omp task depend(inout : chains[i % 4]) shared(chains) ONLY(i % 7)
    here(i % 7), chains[i % 4]++;
#pragma omp task depend(mutexinoutset : chains[i % 4]) shared(chains) priority(i % 3) ONLY(i % 2)
    here(i % 2), chains[i % 4]++;
  }
#pragma omp taskwait
  CHECK_EQ(chains[0] + chains[1] + chains[2] + chains[3], 2 * tasks);
  all_right(2 * tasks);
}

static void in_a_taskloop(int tasks) {
#pragma omp taskloop num_tasks(tasks)
  for (int i = 0; i < tasks; i++) {
#pragma omp task ONLY(i % 3)
    here(i % 3);
  }
  all_right(tasks);
}

static void only_the_second(void* argument) {
  (void)argument;
  here(1);
}

static void of_a_taskloop(int tasks) {
  NewerTask* loop = newer_task(kTied, only_the_second, NULL);
  loop->lower = 0, loop->upper = (uint64_t)tasks - 1, loop->stride = 1;
  Affinity second = {1 + 1, 1, 0};
  __kmpc_omp_reg_task_with_affinity(NULL, __kmpc_global_thread_num(NULL), loop, 1, &second);
  __kmpc_taskloop(NULL, __kmpc_global_thread_num(NULL), loop, 1, &loop->lower, &loop->upper, 1, 0, 1, 1, NULL);
  all_right(tasks);
}

static void replayed(int id, int tasks) {
  int chain = 0;
  for (int round = 0; round < kRounds; round++) {
    int gtid = __kmpc_global_thread_num(NULL);
    if (__kmpc_start_record_task(NULL, gtid, round == 0 ? 2 : 0, id))
      for (int i = 0; i < tasks; i++) {
#pragma omp task ONLY(i % 3)
        here(i % 3);
#pragma omp task depend(inout : chain) shared(chain) ONLY(i % 5)
        here(i % 5), chain++;
      }
    __kmpc_end_record_task(NULL, gtid, 0, id);
    all_right(2 * tasks);
    CHECK_EQ(chain, tasks * (round + 1));
  }
}

static void short_ones_before(void) { // so that their creator runs such tasks itself
  static int x, done; // a wait here would end that, so some of the tasks run after this function has returned
  for (int i = 0; i < 1000; i++) {
#pragma omp task depend(inout : x) shared(x, done)
    x++, done++;
  }
}

static void reported(void) {
  int ends[2];
  CHECK_EQ(pipe(ends), 0);
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 2);
    omp_lock_t lock;
    omp_init_lock(&lock);
    omp_set_lock(&lock);
#pragma omp parallel num_threads(2)
    {
#pragma omp single nowait
      if (omp_get_thread_num() == 0) {
#pragma omp task ONLY(1)
        here(1);
      } else {
#pragma omp task ONLY(0)
        here(0);
      }
      omp_set_lock(&lock); // nobody unsets it
    }
  }
  close(ends[1]);
  char text[8192] = "";
  size_t length = 0;
  while (strstr(text, "1 task may run on this thread alone") == NULL && length < sizeof text - 1) {
    ssize_t got = read(ends[0], text + length, sizeof text - 1 - length);
    CHECK(got > 0);
    length += (size_t)got;
  }
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
}

int main(int argc, char** argv) {
  (void)argv;
  if (argc > 1) return reported(), 0;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < kRounds; round++) {
    plain(kMany);
    urgent(round == 0 ? 6000 : kMany); // more than have room in the list of priorities
    short_ones_before();
    with_dependences(kMany);
    urgent(kMany);
    in_a_taskloop(kMany);
    of_a_taskloop(kMany);
    replayed(round, kMany);
  }
  chomp_counters_t counters = {.size = sizeof counters};
  CHECK_EQ(chomp_read_total(&counters), 0);
  if (omp_get_max_threads() > 1) CHECK(counters.published >= kRounds * kMany * 9);
  return 0;
}
