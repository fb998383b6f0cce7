// Every task is counted once: made, run or discarded, by whichever route it goes. chomp_count_tasks() turns the
// counting on, chomp_read_*() read it, and workers, domains and total agree. Team sizes change, regions nest, threads
// come and go.
// RUN: %clang-openmp -I%root/abi %s -o %t && %for-threads %t
// RUN: env CHOMP_SCHEDULER=steal %for-threads %t
// RUN: %if hwloc %{ env CHOMP_SCHEDULER=central HWLOC_SYNTHETIC="package:2 core:2 pu:1" %for-threads %t %}
// RUN: %if hwloc %{ env CHOMP_SCHEDULER=sherwood HWLOC_SYNTHETIC="package:4 core:2 pu:1" %for-threads %t %}
// RUN: %if hwloc %{ env CHOMP_SCHEDULER=hierarchical HWLOC_SYNTHETIC="package:4 core:2 pu:1" %for-threads %t %}
// RUN: env OMP_CANCELLATION=true KMP_ENABLE_TASK_THROTTLING=0 %for-threads %t
// RUN: env CHOMP_STACK_SEGMENTS=1 OMP_STACKSIZE=64k %for-threads %t
// RUN: %if inlined %{ %clang-openmp -I%root/abi %s %inlined-pass -o %t.inlined && %for-threads %t.inlined %}
// RUN: %if gomp %{ %gcc-openmp -I%root/abi %s -o %t.gcc && %for-threads %t.gcc %}
#include "support/check.h"
#include "support/fib.h"
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <string.h>

#define CHOMP_WEAK
#include "chomp.h"

// ---- Programs, each with the number of tasks that it makes --------------------------------------------------------

enum { kFib = 18, kFibTasks = 8360, kDeep = 300 }; // fib(n) makes 2 F(n + 1) - 2 tasks

static long fib_groups(int n) {
  long a, b;
  if (n < 2) return n;
#pragma omp taskgroup
  {
#pragma omp task shared(a)
    a = fib_groups(n - 1);
#pragma omp task shared(b) if (n % 2)
    b = fib_groups(n - 2);
  }
  return a + b;
}

static long fib_final(int n) {
  long a, b;
  if (n < 2) return n;
#pragma omp task shared(a) final(n < 12)
  a = fib_final(n - 1);
#pragma omp task shared(b) final(n < 12) mergeable
  b = fib_final(n - 2);
#pragma omp taskwait
  return a + b;
}

static void tied(void) { CHECK_EQ(fib_tied(kFib), 2584); }
static void untied(void) { CHECK_EQ(fib_untied(kFib), 2584); }
static void groups(void) { CHECK_EQ(fib_groups(kFib), 2584); }
static void final_tasks(void) { CHECK_EQ(fib_final(kFib), 2584); }

static int sink;
static void touch(void) { ATOMIC_ADD(sink, 1); }

static chomp_counters_t total(void) {
  chomp_counters_t counters = {.size = sizeof counters};
  CHECK_EQ(chomp_read_total(&counters), 0);
  return counters;
}

static void many_from_one(void) { // more than may wait: some run at their creation
  for (int i = 0; i < 3000; i++)
#pragma omp task
    touch();
#pragma omp taskwait
}

static void loops(void) {
#pragma omp taskloop num_tasks(700)
  for (int i = 0; i < 5000; i++) touch();
#pragma omp taskloop num_tasks(200) nogroup
  for (int i = 0; i < 1000; i++) touch();
#pragma omp taskloop num_tasks(50) if (0)
  for (int i = 0; i < 1000; i++) touch();
#pragma omp taskloop num_tasks(10)
  for (int i = 0; i < 10; i++) {
#pragma omp task
    touch();
  }
#pragma omp taskwait
}

static void dependences(void) {
  static int at[8];
  for (int i = 0; i < 800; i++)
#pragma omp task depend(inout : at[i % 8])
    touch();
  for (int i = 0; i < 50; i++) {
#pragma omp task depend(in : at[i % 8]) if (i % 3)
    touch();
#pragma omp task depend(mutexinoutset : at[i % 8])
    touch();
  }
#pragma omp taskwait depend(in : at[3])
#pragma omp taskwait
}

static void detached(void) {
  for (int i = 0; i < 40; i++) {
    omp_event_handle_t event = 0;
#pragma omp task detach(event)
    touch();
#pragma omp task firstprivate(event)
    omp_fulfill_event(event);
  }
#pragma omp taskwait
}

static void priorities(void) {
  for (int i = 0; i < 300; i++)
#pragma omp task priority(i % 4)
    touch();
#pragma omp taskwait
}

static void nested_regions(void) {
  for (int i = 0; i < 6; i++)
#pragma omp task
  {
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int j = 0; j < 20; j++)
#pragma omp task
      touch();
  }
#pragma omp taskwait
}

static void deep_chain(int depth) {
  if (depth == 0) return;
#pragma omp task
  deep_chain(depth - 1);
#pragma omp taskwait
}
static void deep(void) { deep_chain(kDeep); }

static const struct {
  const char* name;
  void (*run)(void);
  int tasks;
} programs[] = {
    {"tied", tied, kFibTasks},
    {"untied", untied, kFibTasks},
    {"groups", groups, kFibTasks},
    {"final", final_tasks, kFibTasks},
    {"many from one", many_from_one, 3000},
    {"loops", loops, 700 + 200 + 50 + 10 + 10},
    {"dependences", dependences, 800 + 100},
    {"detached", detached, 80},
    {"priorities", priorities, 300},
    {"nested regions", nested_regions, 6 + 6 * 20},
    {"deep", deep, kDeep},
};
enum { kPrograms = sizeof programs / sizeof *programs };

// ---- Reading ------------------------------------------------------------------------------------------------------

// clang-format off
#define FOR_EACH_SUM(DO) \
  DO(created) DO(run) DO(run_inline) DO(published) DO(acquired_local) DO(stolen_operations) DO(stolen_tasks) \
  DO(failed_steals) DO(revocations) DO(revoked_tasks) DO(run_on_other_domain) DO(stack_segments) DO(discarded) \
  DO(stack_switches) DO(probes) DO(held) DO(regions) DO(loops) DO(region_ns)
// clang-format on

static int equal(chomp_counters_t a, chomp_counters_t b) {
#define AND_EQUAL(field) &&a.field == b.field
  return 1 FOR_EACH_SUM(AND_EQUAL);
#undef AND_EQUAL
}

// Nobody runs tasks now. A thread that has not noticed the end of the region may still look for some, and count that:
// then the three sums are not of one moment.
static void check_sums(void) {
  chomp_counters_t all = total(), workers = {0}, domains = {0}, one = {.size = sizeof one};
  for (int worker = 0; worker < chomp_workers(); worker++) {
    int error = chomp_read_worker(worker, &one);
    CHECK(error == 0 || error == ENOENT);
    if (error) continue;
#define ADD(field) workers.field += one.field;
    FOR_EACH_SUM(ADD)
#undef ADD
  }
  for (int domain = 0; domain < chomp_domains(); domain++) {
    CHECK_EQ(chomp_read_domain(domain, &one), 0);
#define ADD(field) domains.field += one.field;
    FOR_EACH_SUM(ADD)
#undef ADD
  }
  if (!equal(all, total())) {
    check_sums();
    return;
  }
#define COMPARE(field)                                                                                                 \
  CHECK_EQ(workers.field, all.field);                                                                                  \
  CHECK_EQ(domains.field, all.field);
  FOR_EACH_SUM(COMPARE)
#undef COMPARE
  CHECK(all.acquired_local <= all.published);
}

static void check_counted(const char* name, chomp_counters_t before, long tasks) {
  chomp_counters_t after = total();
  if (after.created - before.created != (unsigned long)tasks) fprintf(stderr, "%s\n", name);
  CHECK_EQ(after.created - before.created, tasks);
  CHECK_EQ(after.run - before.run, tasks);
  CHECK_EQ(after.discarded, before.discarded);
  CHECK(after.run_inline - before.run_inline <= (unsigned long)tasks);
}

static void run_program(int program, int threads) {
  chomp_counters_t before = total();
#pragma omp parallel num_threads(threads)
#pragma omp single
  programs[program].run();
  check_counted(programs[program].name, before, programs[program].tasks);
}

static void* leave_dependences(void* unused) {
  int x = 0;
  omp_event_handle_t event = 0;
#pragma omp task detach(event) depend(out : x)
  touch();
  omp_fulfill_event(event);
#pragma omp taskwait
  return unused;
}

static void run_thread(void* (*function)(void*)) {
  pthread_t thread;
  CHECK_EQ(pthread_create(&thread, 0, function, 0), 0);
  pthread_join(thread, 0);
}

static void* run_in_thread(void* unused) {
#pragma omp parallel num_threads(3)
#pragma omp single
  many_from_one();
  return unused;
}

// Ten tasks that wait for one that cannot end before they are made.
static void held(void) {
  chomp_counters_t before = total();
  int first = 0, go = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    if (omp_get_num_threads() == 2) {
#pragma omp task depend(out : first) shared(go)
      SPIN_UNTIL(ATOMIC_LOAD(go));
      for (int i = 0; i < 10; i++)
#pragma omp task depend(in : first)
        touch();
    }
    ATOMIC_ADD(go, 1);
  }
  chomp_counters_t after = total();
  CHECK_EQ(after.held - before.held, after.created == before.created ? 0 : 10);
}

static void regions_and_loops(int threads) {
  chomp_counters_t before = total();
  for (int round = 0; round < 5; round++) {
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(dynamic)
      for (int i = 0; i < 100; i++) touch();
#pragma omp for schedule(guided)
      for (int i = 0; i < 100; i++) touch();
    }
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int i = 0; i < 100; i++) touch();
  }
  chomp_counters_t after = total();
  CHECK_EQ(after.regions - before.regions, 10);
  CHECK_EQ(after.loops - before.loops, 15);
  CHECK(after.region_ns > before.region_ns);
}

static void cancelled(void) {
  chomp_counters_t before = total();
  int ran = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  {
    for (int i = 0; i < 200; i++) {
#pragma omp task shared(ran)
      {
        ATOMIC_ADD(ran, 1);
        if (i == 20) {
#pragma omp cancel taskgroup
        }
      }
    }
  }
  chomp_counters_t after = total();
  CHECK_EQ(after.created - before.created, 200);
  CHECK_EQ(after.run - before.run, ran);
  CHECK_EQ(after.discarded - before.discarded, 200 - ran);
}

int main(void) {
  CHECK(chomp_version && chomp_count_tasks);
  run_thread(leave_dependences); // the main thread gets its number, and an initial task that had something to remember
  CHECK_EQ(chomp_count_tasks(1), 0);
  CHECK_EQ(chomp_worker(), 0);
  omp_set_max_active_levels(2);
  int threads = omp_get_max_threads();
  for (int program = 0; program < kPrograms; program++) run_program(program, threads);
  // At its end all tasks of the deep chain wait, on as many stacks as there are threads at most.
  CHECK((int)total().deepest_nesting * threads >= kDeep);
  for (int size = 1; size <= 9; size += 4) run_program(4, size); // hot teams shrink and grow
  check_sums();

  chomp_counters_t before = total();
  for (int round = 0; round < 3; round++) run_thread(run_in_thread);
  check_counted("threads that end", before, 3 * 3000);
  before = total();
  tied(); // outside any region, by a thread that was new to OpenMP when the counting began
  check_counted("no region", before, kFibTasks);
  cancelled();
  held();
  regions_and_loops(threads);
  before = total();
  run_program(9, threads); // nested regions
  CHECK_EQ(total().regions - before.regions, 7);
  check_sums();
  CHECK(total().task_ns > 0);

  chomp_reset_counters();
  CHECK_EQ(total().created, 0);
  CHECK_EQ(total().deepest_nesting, 0);
  run_program(0, threads);
  CHECK_EQ(total().created, kFibTasks);
  check_sums();
  CHECK_EQ(chomp_count_tasks(0), 1);
  before = total();
#pragma omp parallel
#pragma omp single
  tied();
  CHECK_EQ(total().created, before.created);
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 100; i++) touch();
  CHECK_EQ(total().loops, before.loops);
  CHECK_EQ(total().regions, before.regions);
  return 0;
}
