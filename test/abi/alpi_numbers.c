// alpi_cpu_logical_id names a place that the task has to itself until its next scheduling point, whatever kind of task
// and of thread asks, also if there are more threads than numbers. Numbers are below alpi_cpu_count, which stays as it
// is. Nobody waits for ever for a number that a thread has which waits for a lock, sleeps or has ended.
// RUN: %clang-openmp -I%root %s -o %t && %for-threads %t
// RUN: env OMP_NUM_THREADS=1 %chomp-run %t one
// RUN: env OMP_NUM_THREADS=1 CHOMP_NESTED=light CHOMP_SCHEDULER=central %chomp-run %t one
#include "support/check.h"
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

#define CHOMP_WEAK
#include "abi/alpi.h"

enum { kMost = 1024, kTasks = 400 };
static struct {
  _Alignas(128) _Atomic int user;
} places[kMost];
static uint64_t count;
static _Atomic int users;
static int threads;

static uint64_t number(void) {
  uint64_t id = UINT64_MAX;
  CHECK_EQ(alpi_cpu_logical_id(&id), ALPI_SUCCESS);
  CHECK(id < count);
  return id;
}

// What a library does between two of a task's scheduling points.
static void use(void) {
  int self = atomic_fetch_add(&users, 1) + 1;
  uint64_t id = number();
  CHECK_EQ(atomic_exchange(&places[id].user, self), 0);
  burn(50);
  if (self % 16 == 0) sched_yield();
  CHECK_EQ(number(), id);
  CHECK_EQ(atomic_exchange(&places[id].user, 0), self);
}

static void tasks_that_stop(void) {
#pragma omp parallel num_threads(threads)
  {
    use();
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < SCALED(kTasks); ++i) {
#pragma omp task untied if (i % 8 != 0)
      {
        use();
        if (i % 4 == 0) CHECK_EQ(alpi_task_waitfor_ns(1000, NULL), ALPI_SUCCESS);
        if (i % 4 == 1) {
#pragma omp taskyield
        }
        use();
      }
      use();
    }
#pragma omp taskwait
    use();
#pragma omp barrier
    use();
#pragma omp parallel num_threads(2)
    use();
  }
}

static void in_spawned_task(void* unused) {
  (void)unused;
  use();
  CHECK_EQ(alpi_task_waitfor_ns(1000, NULL), ALPI_SUCCESS);
  use();
}
static _Atomic int ended;
static void has_ended(void* unused) {
  (void)unused;
  atomic_fetch_add(&ended, 1);
}
static void* in_a_thread(void* unused) {
  use();
  CHECK_EQ(alpi_task_spawn(in_spawned_task, NULL, has_ended, NULL, NULL, NULL), ALPI_SUCCESS);
  use();
  return unused;
}

// Each has a number when it ends.
static void threads_beside_regions(void) {
  enum { kThreads = 16 };
  pthread_t all[kThreads];
  atomic_store(&ended, 0);
  for (int i = 0; i < kThreads; ++i) CHECK_EQ(pthread_create(&all[i], NULL, in_a_thread, NULL), 0);
  tasks_that_stop();
  for (int i = 0; i < kThreads; ++i) CHECK_EQ(pthread_join(all[i], NULL), 0);
  SPIN_UNTIL(atomic_load(&ended) == kThreads);
}

static omp_lock_t lock;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void inside(int i, int* total) {
  if (i % 4 == 0) {
    sched_yield();
    number();
  }
  ++*total;
}

// Three tasks of four have a number while they wait for the lock; the fourth asks while it has the lock.
static void number_before_or_inside(int kind) {
  int total = 0, tasks = kind < 2 ? SCALED(kTasks) : 24;
#pragma omp parallel num_threads(threads)
#pragma omp single
  for (int i = 0; i < tasks; ++i) {
#pragma omp task shared(total)
    {
      if (i % 4 != 0) number();
      if (i % 16 == 1) usleep(50);
      if (kind == 0) {
#pragma omp critical
        inside(i, &total);
      } else if (kind == 1) {
        omp_set_lock(&lock);
        inside(i, &total);
        omp_unset_lock(&lock);
      } else {
        pthread_mutex_lock(&mutex);
        inside(i, &total);
        pthread_mutex_unlock(&mutex);
      }
    }
  }
  CHECK_EQ(total, tasks);
}

// All numbers may belong to threads that the child does not have.
static void in_a_child(void) {
  int status;
#pragma omp parallel num_threads(threads)
  {
    number();
#pragma omp barrier
#pragma omp masked
    {
      pid_t child = fork();
      CHECK(child >= 0);
      if (child == 0) {
        use();
        _exit(7);
      }
      CHECK_EQ(waitpid(child, &status, 0), child);
    }
  }
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

int main(int argc, char** argv) {
  uint64_t again = 0;
  if (argc > 1) { // there is one number
    cpu_set_t mask, first;
    int cpu = 0;
    CHECK_EQ(sched_getaffinity(0, sizeof mask, &mask), 0);
    while (!CPU_ISSET(cpu, &mask)) ++cpu;
    CPU_ZERO(&first);
    CPU_SET(cpu, &first);
    CHECK_EQ(sched_setaffinity(0, sizeof first, &first), 0);
  }
  CHECK_EQ(alpi_cpu_count(&count), ALPI_SUCCESS);
  CHECK(count <= kMost && count <= (uint64_t)sysconf(_SC_NPROCESSORS_CONF));
  if (argc > 1) CHECK_EQ(count, 1);
  threads = argc > 1 ? 4 : omp_get_max_threads();
  omp_init_lock(&lock);
  use();
  for (int i = 0; i < 4; ++i) threads_beside_regions();
  for (int kind = 0; kind < 3; ++kind) number_before_or_inside(kind);
  in_a_child();
  CHECK_EQ(alpi_cpu_count(&again), ALPI_SUCCESS);
  CHECK_EQ(again, count);
  return 0;
}
