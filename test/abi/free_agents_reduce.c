// Free agents and task reductions (OpenMP 6.0, 14.8; 5.2, 5.5.9). An agent that begins a reduction has a copy of its
// own, as each thread of the team has, whoever runs the tasks and their children. After a reduction has ended, agents
// take tasks as before: the creator waits outside of OpenMP for one. Tasks are called as Clang 22 calls them.
// RUN: %clang-openmp %s -o %t && env OMP_THREADS_RESERVE="free_agent(3)" OMP_THREAD_LIMIT=40 %for-threads %t
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>

#include "support/check.h"
#include "support/newer_tasks.h"

enum { kTasks = 20, kChildren = 4 };
#define kAdditions SCALED(500)

static int (*is_free_agent)(void);
static __thread int in_pool; // the thread's next task has threadset(omp_pool)

void* __kmpc_omp_task_alloc(void* place, int thread, int flags, size_t bytes, size_t shareds, int (*body)(int, void*)) {
  typedef void* Allocate(void*, int, int, size_t, size_t, int (*)(int, void*));
  static Allocate* library;
  if (library == 0) *(void**)&library = dlsym(RTLD_NEXT, "__kmpc_omp_task_alloc");
  flags |= in_pool ? kPool : 0;
  in_pool = 0;
  return library(place, thread, flags, bytes, shareds, body);
}

static void add(long* sum) {
  for (int i = 0; i < kAdditions; i++) {
    ++*sum;
    __asm__ volatile("" ::: "memory");
  }
}

static int begun, sums, noted, agents;

static void reduce(void* unused) {
  __atomic_add_fetch(&begun, 1, __ATOMIC_RELEASE);
  long sum = 0;
#pragma omp taskgroup task_reduction(+ : sum)
  for (int i = 0; i < kTasks; i++) {
    in_pool = i % 2;
#pragma omp task in_reduction(+ : sum)
    {
      const long* parents_copy = &sum;
      const int* parents_thread = &in_pool;
      for (int child = 0; child < kChildren; child++) {
#pragma omp task in_reduction(+ : sum) firstprivate(parents_copy, parents_thread)
        {
          if (&in_pool != parents_thread) CHECK(&sum != parents_copy);
          add(&sum);
        }
      }
      add(&sum);
    }
  }
  CHECK_EQ(sum, (long)kTasks * (kChildren + 1) * kAdditions);
  __atomic_add_fetch(&sums, 1, __ATOMIC_RELAXED);
}

static void note(void* unused) {
  agents += is_free_agent();
  __atomic_add_fetch(&noted, 1, __ATOMIC_RELEASE);
}

static void wait_outside(int* count, int wanted) {
  while (__atomic_load_n(count, __ATOMIC_ACQUIRE) < wanted) usleep(100);
}

static void agents_reduce(void) {
  begun = sums = noted = agents = 0;
  for (int i = 0; i < 3; i++) newer_spawn(kTied | kPool, reduce, 0);
  wait_outside(&begun, 2);
#pragma omp taskwait
  reduce(0);
  CHECK_EQ(sums, 4);
  newer_spawn(kTied | kPool, note, 0);
  wait_outside(&noted, 1);
  if (!omp_in_parallel()) CHECK_EQ(agents, 1);
}

int main(void) {
  *(void**)&is_free_agent = dlsym(RTLD_DEFAULT, "omp_is_free_agent");
  for (int round = 0; round < SCALED(12); round++) {
    agents_reduce();
#pragma omp parallel
#pragma omp single
    agents_reduce();
  }
  return 0;
}
