// Tasks with threadset(omp_pool) (OpenMP 6.0, 14.8), called as Clang 22 calls them. Free agents run them: threads that
// are in no team, have no number in it (omp_unassigned_thread), and know its size, level and settings. Such tasks may
// wait, be in groups, have dependences and events, begin regions, and make tasks, of which those without the clause run
// in the team. Regions, sequential parts, and several threads of the program make them; all have run when a barrier
// opens, and when the program ends.
// RUN: %clang-openmp %s -o %t && env OMP_THREADS_RESERVE="free_agent(3)" %for-threads %t
// RUN: env OMP_THREADS_RESERVE="free_agent(3)" OMP_CANCELLATION=true OMP_MAX_TASK_PRIORITY=5 %for-threads %t
// RUN: env OMP_NUM_THREADS=4 %chomp-run %t && env OMP_THREADS_RESERVE=structured %chomp-run %t none
// RUN: env OMP_THREAD_LIMIT=1 %chomp-run %t none
// RUN: env OMP_NUM_THREADS=2 OMP_THREADS_RESERVE="free_agent(2),structured(2)" OMP_THREAD_LIMIT=4 %chomp-run %t agents
// RUN: env OMP_NUM_THREADS=4 OMP_THREADS_RESERVE="free_agent" OMP_THREAD_LIMIT=3 %chomp-run %t agents
// RUN: env OMP_NUM_THREADS=3 %chomp-run %t exit | grep -q "the last task"
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "support/check.h"
#include "support/newer_tasks.h"

typedef struct {
  NewerPayload task;
  void (*body)(intptr_t);
  intptr_t argument;
} Task;

enum { kTasks = 100, kRoots = 3, kUnassigned = -2 };

static int (*is_free_agent)(void);
static int (*ancestor_is_free_agent)(int);
static atomic_int agents_seen;

static int call_body(int gtid, void* payload) {
  Task* task = payload;
  task->body(task->argument);
  return 0;
}

static Task* make(int flags, void (*body)(intptr_t), intptr_t argument) {
  Task* task = __kmpc_omp_task_alloc(0, __kmpc_global_thread_num(0), flags, sizeof(Task), 0, call_body);
  task->body = body;
  task->argument = argument;
  return task;
}

static void spawn(int flags, void (*body)(intptr_t), intptr_t argument) {
  __kmpc_omp_task(0, __kmpc_global_thread_num(0), make(flags, body, argument));
}

static void spawn_after(int flags, void (*body)(intptr_t), intptr_t argument, void* address, int kind) {
  NewerDependence on = {address, 1, (uint8_t)kind};
  __kmpc_omp_task_with_deps(0, __kmpc_global_thread_num(0), make(flags, body, argument), 1, &on, 0, 0);
}

// What a team is, as its members see it.
typedef struct {
  int size, level, active_level, max_threads, in_parallel;
} Team;
static Team now(void) {
  Team team = {omp_get_num_threads(), omp_get_level(), omp_get_active_level(), omp_get_max_threads(),
               omp_in_parallel()};
  return team;
}

static void check_thread(void) {
  int number = omp_get_thread_num(), agent = is_free_agent();
  CHECK_EQ(ancestor_is_free_agent(omp_get_level()), agent);
  CHECK_EQ(ancestor_is_free_agent(omp_get_level() + 1), 0);
  CHECK_EQ(ancestor_is_free_agent(-1), 0);
  CHECK_EQ(omp_get_ancestor_thread_num(omp_get_level()), number);
  CHECK_EQ(number == kUnassigned, agent);
  if (!agent) CHECK(number >= 0 && number < omp_get_num_threads());
  agents_seen += agent;
}

static void in_team(intptr_t count) { // a task without the clause
  CHECK(!is_free_agent() && omp_get_thread_num() >= 0);
  ++*(atomic_int*)count;
}

static void look(intptr_t count) {
  check_thread();
  ++*(atomic_int*)count;
}

static long fib(int n);
typedef struct {
  int n;
  long result;
} Fib;
static void fib_task(intptr_t argument) {
  check_thread();
  Fib* fib_of = (Fib*)argument;
  fib_of->result = fib(fib_of->n);
}
static long fib(int n) {
  if (n < 2) return n;
  Fib left = {n - 1, 0}, right = {n - 2, 0};
  spawn(kPool | (n % 2 ? kTied : 0), fib_task, (intptr_t)&left);
  spawn(kPool | kTied, fib_task, (intptr_t)&right);
#pragma omp taskwait
  return left.result + right.result;
}

typedef struct {
  Team team;
  atomic_int ran, inner;
} Parent;

static void parent_body(intptr_t argument) {
  Parent* parent = (Parent*)argument;
  check_thread();
  Team team = now();
  CHECK(memcmp(&team, &parent->team, sizeof team) == 0);
  for (int i = 0; i < 5; i++) {
    spawn(kTied, in_team, (intptr_t)&parent->ran);
    spawn(kTied | kPool, look, (intptr_t)&parent->ran);
  }
#pragma omp task if (0) shared(parent)
  check_thread(); // an undeferred task runs where its creator does
#pragma omp taskwait
  omp_set_num_threads(2);
  CHECK_EQ(omp_get_max_threads(), 2); // of this task alone
  int outer_agent = is_free_agent();
#pragma omp parallel num_threads(2)
  {
    CHECK_EQ(omp_get_level(), parent->team.level + 1);
    CHECK_EQ(is_free_agent(), outer_agent && omp_get_thread_num() == 0);
    CHECK_EQ(ancestor_is_free_agent(omp_get_level() - 1), outer_agent);
#pragma omp task shared(parent)
    parent->inner++;
  }
}

static void parents(void) {
  Parent parent = {now(), 0, 0};
  for (int i = 0; i < 10; i++) spawn(kTied | kPool, parent_body, (intptr_t)&parent);
#pragma omp taskwait
  CHECK_EQ(parent.ran, 100);
  CHECK(parent.inner >= 10);
  Team team = now();
  CHECK(memcmp(&team, &parent.team, sizeof team) == 0);
}

static void group_body(intptr_t count) {
  check_thread();
#pragma omp taskgroup
  {
    for (int i = 0; i < 4; i++) spawn(i % 2 ? kPool : 0, i % 2 ? look : in_team, count);
  }
  spawn(kPool | kTied, look, count); // nobody but the outer group waits for it
}

static void groups(void) {
  atomic_int ran = 0;
#pragma omp taskgroup
  for (int i = 0; i < kTasks; i++) spawn(kPool | kTied, group_body, (intptr_t)&ran);
  CHECK_EQ(ran, 5 * kTasks);
}

static void reduction(void) {
  long reduced = 0;
#pragma omp taskgroup task_reduction(+ : reduced)
  for (int i = 0; i < 20; i++) {
#pragma omp task in_reduction(+ : reduced)
    {
      reduced++;
      atomic_int ran = 0;
      spawn(kPool | kTied, look, (intptr_t)&ran);
#pragma omp taskwait
    }
  }
  CHECK_EQ(reduced, 20);
}

static void reducing_body(intptr_t argument) {
  long sum = 0;
#pragma omp taskgroup task_reduction(+ : sum)
  for (int i = 0; i < 20; i++)
#pragma omp task in_reduction(+ : sum)
    sum++;
  CHECK_EQ(sum, 20);
  ++*(atomic_int*)argument;
}

static void reductions_of_agents(void) {
  atomic_int ran = 0;
  for (int i = 0; i < 10; i++) spawn(kPool | kTied, reducing_body, (intptr_t)&ran);
#pragma omp taskwait
  CHECK_EQ(ran, 10);
}

static void link_of_chain(intptr_t argument) {
  int* chain = (int*)argument;
  ++*chain; // plain: what orders the tasks is the dependence
}

static void dependences(void) {
  int chains[3] = {0, 0, 0};
  for (int i = 0; i < kTasks; i++)
    for (int k = 0; k < 3; k++)
      spawn_after(i % 3 == k ? kTied : kTied | kPool, link_of_chain, (intptr_t)&chains[k], &chains[k], kInOut);
#pragma omp task depend(inout : chains[1]) if (0) shared(chains)
  CHECK_EQ(chains[1], kTasks);
#pragma omp taskwait
  for (int k = 0; k < 3; k++) CHECK_EQ(chains[k], kTasks);
}

static void below_body(intptr_t argument) {
  int chain = 0;
  for (int i = 0; i < 10; i++)
    spawn_after(i % 2 ? kTied : kTied | kPool, link_of_chain, (intptr_t)&chain, &chain, kInOut);
#pragma omp taskwait
  CHECK_EQ(chain, 10);
  ++*(atomic_int*)argument;
}

static void dependences_below(void) {
  atomic_int ran = 0;
  for (int i = 0; i < 10; i++) spawn(kPool | kTied, below_body, (intptr_t)&ran);
#pragma omp taskwait
  CHECK_EQ(ran, 10);
}

static void fulfil(intptr_t event) { omp_fulfill_event((omp_event_handle_t)event); }
static void detached(void) {
  for (int i = 0; i < 10; i++) {
    atomic_int ran = 0, after = 0;
    Task* task = make(kTied | kPool | kDetachable, look, (intptr_t)&ran);
    omp_event_handle_t event = __kmpc_task_allow_completion_event(0, __kmpc_global_thread_num(0), task);
    NewerDependence on = {&ran, 1, kOut};
    __kmpc_omp_task_with_deps(0, __kmpc_global_thread_num(0), task, 1, &on, 0, 0);
    spawn_after(kTied, in_team, (intptr_t)&after, &ran, kInOut);
    spawn(kTied | (i % 2 ? kPool : 0), fulfil, (intptr_t)event);
#pragma omp taskwait
    CHECK_EQ(ran, 1);
    CHECK_EQ(after, 1);
  }
}

static void final_child(void) {
#pragma omp task final(1)
  {
    int number = omp_get_thread_num();
    atomic_int ran = 0;
    spawn(kTied | kPool, look, (intptr_t)&ran);
    CHECK_EQ(ran, 1); // an included task, whatever its clauses
    CHECK_EQ(omp_get_thread_num(), number);
  }
#pragma omp taskwait
}

static void cancelled_group(void) {
  atomic_int ran = 0;
#pragma omp taskgroup
  {
    for (int i = 0; i < kTasks; i++) spawn(kPool | kTied, look, (intptr_t)&ran);
#pragma omp task
    {
#pragma omp cancel taskgroup
    }
  }
  CHECK(ran <= kTasks);
}

static void all(void) {
  CHECK_EQ(fib(15), 610);
  parents();
  groups();
  reduction();
  reductions_of_agents();
  dependences();
  dependences_below();
  detached();
  final_child();
  cancelled_group();
}

static atomic_int left_behind;
static void* root(void* unused) {
  all();
  for (int i = 0; i < 20; i++) spawn(kPool | kTied, look, (intptr_t)&left_behind);
  return 0; // the thread ends when its tasks have
}

static void say_last(intptr_t unused) {
  usleep(20000);
  puts("the last task");
}

// The creator waits outside of OpenMP: only an agent can run the task.
static void agents_come(void) {
  atomic_int ran = 0;
  spawn(kPool | kTied, look, (intptr_t)&ran);
  while (ran == 0) usleep(100);
}

int main(int argc, char** argv) {
  *(void**)&is_free_agent = dlsym(RTLD_DEFAULT, "omp_is_free_agent");
  *(void**)&ancestor_is_free_agent = dlsym(RTLD_DEFAULT, "omp_ancestor_is_free_agent");
  const char* what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "exit") == 0) {
    spawn(kPool | kTied, say_last, 0);
    return 0;
  }
  if (strcmp(what, "agents") == 0) {
    agents_come();
#pragma omp parallel num_threads(64)
#pragma omp single
    {
      CHECK(omp_get_num_threads() < omp_get_thread_limit());
      agents_come();
    }
    CHECK(agents_seen >= 1); // members that wait in the region run the second one perhaps
  }
  all(); // in the sequential part
  for (int round = 0; round < 3; round++) {
    atomic_int ran = 0;
#pragma omp parallel num_threads(1 + round % 2 * 2)
    {
#pragma omp single nowait
      for (int i = 0; i < kTasks; i++) spawn(kPool | kTied, look, (intptr_t)&ran);
      spawn(kPool, look, (intptr_t)&ran);
#pragma omp barrier
      CHECK_EQ(ran, kTasks + omp_get_num_threads());
#pragma omp single
      all();
    }
  }
  pthread_t roots[kRoots];
  for (int i = 0; i < kRoots; i++) pthread_create(&roots[i], 0, root, 0);
  all();
  for (int i = 0; i < kRoots; i++) pthread_join(roots[i], 0);
  CHECK_EQ(left_behind, 20 * kRoots);
  if (strcmp(what, "none") == 0) CHECK_EQ(agents_seen, 0);
  return 0;
}
