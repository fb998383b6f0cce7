// A target task whose region is still on the device when its body has returned goes into a queue: one helper, or the
// thread that waits, has many of them on their way. It is over when the offload library says so, and what depends on it
// runs then. A helper comes, however many free agents wait for it. Where none can be made, the team's threads and its
// agents run target tasks. The most urgent one begins first. (The library is played by this program.)
// RUN: %clang-openmp %s -o %t -rdynamic
// RUN: %chomp-run env LIBOMP_USE_HIDDEN_HELPER_TASK=1 LIBOMP_NUM_HIDDEN_HELPER_THREADS=1 %t
// RUN: %chomp-run env OMP_MAX_TASK_PRIORITY=9 LIBOMP_USE_HIDDEN_HELPER_TASK=1 LIBOMP_NUM_HIDDEN_HELPER_THREADS=1 %t order
// RUN: %for-threads env LIBOMP_USE_HIDDEN_HELPER_TASK=1 LIBOMP_NUM_HIDDEN_HELPER_THREADS=3 %t
// RUN: %for-threads env LIBOMP_USE_HIDDEN_HELPER_TASK=1 %t no-threads
// RUN: %for-threads env LIBOMP_USE_HIDDEN_HELPER_TASK=1 %t agents
// RUN: %for-threads env LIBOMP_USE_HIDDEN_HELPER_TASK=1 OMP_THREAD_LIMIT=6 %t agents
// RUN: %for-threads env LIBOMP_USE_HIDDEN_HELPER_TASK=1 KMP_DEVICE_THREAD_LIMIT=9 %t agents-alone
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "support/check.h"

typedef struct {
  intptr_t address;
  size_t length;
  unsigned char flags;
} Dependence;
typedef int32_t (*Entry)(int32_t, void*);
typedef struct {
  void* shareds;
  Entry entry;
  int32_t part;
  long data1, data2;
  int number;
} Payload;

int32_t __kmpc_global_thread_num(void*);
Payload* __kmpc_omp_target_task_alloc(void*, int32_t, int32_t flags, size_t, size_t, Entry, int64_t device);
Payload* __kmpc_omp_task_alloc(void*, int32_t, int32_t flags, size_t, size_t, Entry);
int32_t __kmpc_omp_task(void*, int32_t, void*);
int32_t __kmpc_omp_task_with_deps(void*, int32_t, void*, int32_t, const Dependence*, int32_t, const Dependence*);
int __kmpc_omp_has_task_team(int32_t);
void** __kmpc_omp_get_target_async_handle_ptr(int32_t);

enum { kTasks = 60 };
static int launched, looks, state[kTasks], after[kTasks], refuses_threads;

// Nothing is over before all have been launched, and nothing at the first look.
void __tgt_target_nowait_query(void** handle) {
  const long number = (long)*handle - 1;
  ATOMIC_ADD(looks, 1);
  if (ATOMIC_LOAD(launched) < kTasks || state[number]++ < 2) return;
  ATOMIC_ADD(after[number], 1);
  *handle = NULL;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument) {
  static int (*create)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  extern void* dlsym(void*, const char*);
  if (refuses_threads) return EAGAIN;
  if (!create) *(void**)&create = dlsym((void*)-1L, "pthread_create");
  return create(thread, attributes, start, argument);
}

static int32_t launch(int32_t gtid, void* argument) {
  Payload* task = argument;
  CHECK(__kmpc_omp_has_task_team(gtid));
  void** handle = __kmpc_omp_get_target_async_handle_ptr(gtid);
  CHECK(handle != NULL && *handle == NULL);
  *handle = (void*)(long)(task->number + 1);
  CHECK(__kmpc_omp_get_target_async_handle_ptr(gtid) == NULL); // it has one
  ATOMIC_ADD(launched, 1);
  return 0;
}

static void run(int threads) {
  int ran = 0;
  launched = looks = 0;
  memset(state, 0, sizeof state);
  memset(after, 0, sizeof after);
#pragma omp parallel num_threads(threads) if (threads != 0)
#pragma omp single
  {
    const int32_t gtid = __kmpc_global_thread_num(NULL);
    for (int i = 0; i < kTasks; i++) {
      Payload* task = __kmpc_omp_target_task_alloc(NULL, gtid, 0, sizeof(Payload), 8, launch, -1);
      task->number = i;
      const Dependence both = {(intptr_t)&after[i], sizeof after[i], 3};
      __kmpc_omp_task_with_deps(NULL, gtid, task, 1, &both, 0, NULL);
#pragma omp task depend(in : after[i]) shared(ran)
      {
        CHECK_EQ(after[i], 1);
        ATOMIC_ADD(ran, 1);
      }
    }
#pragma omp taskwait
    CHECK_EQ(ran, kTasks);
  }
  CHECK(looks >= 3 * kTasks);
}

// The only helper is busy until all are there.
static int order[kTasks], all_there;

static int32_t note(int32_t gtid, void* argument) {
  const int number = ((Payload*)argument)->number;
  SPIN_UNTIL(number != 0 || ATOMIC_LOAD(all_there));
  order[launched++] = number;
  return 0;
}

static void most_urgent_first(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    const int32_t gtid = __kmpc_global_thread_num(NULL);
    for (int i = 0; i < 8; i++) {
      Payload* task = __kmpc_omp_target_task_alloc(NULL, gtid, 1 << 5, sizeof(Payload), 8, note, -1);
      task->number = i;
      task->data2 = i % 3;
      __kmpc_omp_task(NULL, gtid, task);
    }
    __atomic_store_n(&all_there, 1, __ATOMIC_RELEASE);
  }
  const int urgent_first[] = {2, 5, 1, 4, 7, 3, 6};
  CHECK_EQ(launched, 8);
  if (order[0] == 0) CHECK(memcmp(order + 1, urgent_first, sizeof urgent_first) == 0);
}

// Free agents, as many as there may be, hold all threads of the pool when the first of them makes a target task.
enum { kMostAgents = 8, kTied = 1, kPool = 0x80 };
static int arrived, agents_wanted, targets_run;

static int32_t count(int32_t gtid, void* argument) { return ATOMIC_ADD(targets_run, 1), 0; }

static void make_target(int32_t gtid) {
  __kmpc_omp_task(NULL, gtid, __kmpc_omp_target_task_alloc(NULL, gtid, 0, sizeof(Payload), 8, count, -1));
}

static int32_t in_agent(int32_t gtid, void* argument) {
  const int first = __atomic_fetch_add(&arrived, 1, __ATOMIC_RELAXED) == 0;
  const int may_have_helper = ((Payload*)argument)->number;
  SPIN_UNTIL(ATOMIC_LOAD(arrived) >= agents_wanted);
  if (first) make_target(gtid);
  if (may_have_helper) SPIN_UNTIL(ATOMIC_LOAD(targets_run) > 0); // nobody else runs it meanwhile
  make_target(gtid);
#pragma omp taskwait
  return 0;
}

static void beside_agents(int may_have_helper) {
  const int32_t gtid = __kmpc_global_thread_num(NULL);
  const int threads = omp_get_max_threads(), limit = omp_get_thread_limit();
  agents_wanted = (threads < limit ? threads : limit) - 1;
  if (agents_wanted > kMostAgents) agents_wanted = kMostAgents;
  const int tasks = agents_wanted > 0 ? 2 * agents_wanted : 1; // the creator would run others at once
  for (int round = 0; round < 20; round++) {
    arrived = targets_run = 0;
    for (int i = 0; i < tasks; i++) {
      Payload* task = __kmpc_omp_task_alloc(NULL, gtid, kTied | kPool, sizeof(Payload), 8, in_agent);
      task->number = may_have_helper;
      __kmpc_omp_task(NULL, gtid, task);
    }
    SPIN_UNTIL(ATOMIC_LOAD(arrived) >= agents_wanted);
#pragma omp taskwait
    CHECK_EQ(targets_run, tasks + 1);
  }
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "order") == 0) return most_urgent_first(), 0;
  if (argc > 1 && strncmp(argv[1], "agents", 6) == 0) return beside_agents(strcmp(argv[1], "agents") == 0), 0;
  CHECK(__kmpc_omp_get_target_async_handle_ptr(__kmpc_global_thread_num(NULL)) == NULL); // this is no target task
#pragma omp parallel
  CHECK(!__kmpc_omp_has_task_team(0));
  refuses_threads = argc > 1;
  const int sizes[] = {0, 1, 2, 4, omp_get_max_threads()};
  for (int round = 0; round < 20; round++)
    for (int i = 0; i < 5; i++) run(sizes[i]);
  return 0;
}
