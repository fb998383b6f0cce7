// A task with events (alpi_task_events_increase) finishes when its body has returned and they have all been decreased,
// by whatever thread, whichever is last: only then taskwait, a group's end, a barrier and dependent tasks go on. The
// body may increase them again when there are none. Tied, untied, undeferred, final and implicit tasks, and those that
// are detachable besides; also where nothing has said before that a task may outlive its construct, below a final task
// or with the first call of the process. Where they are waited for, other tasks run.
// RUN: %clang-openmp -I%root %s -o %t && %for-threads %t
// RUN: env CHOMP_SCHEDULER=xqueue %for-threads -t "1 3 8" %t
// RUN: env CHOMP_STATS=/dev/null %for-threads -t "1 2 8" %t
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>

#define CHOMP_WEAK
#include "abi/alpi.h"
#include "support/check.h"

// ---- A thread that decreases what tasks give it ---------------------------------------------------------------------

enum { kMost = 256 };
typedef struct {
  struct alpi_task* task;
  uint64_t count;
  int* sets;
  int late; // nobody who does not wait for it finds it set
} Due;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Due due[kMost];
static int dues, over;

static void* decrease_all(void* unused) {
  for (;;) {
    Due next = {0};
    pthread_mutex_lock(&lock);
    int ends = over && dues == 0;
    if (dues > 0) next = due[--dues];
    pthread_mutex_unlock(&lock);
    if (ends) return unused;
    if (next.task == NULL) {
      usleep(10);
      continue;
    }
    if (next.late) usleep(1000);
    *next.sets = 1; // what waits for the task sees it
    for (; next.count > 1; --next.count) CHECK_EQ(alpi_task_events_decrease(next.task, 1), ALPI_SUCCESS);
    CHECK_EQ(alpi_task_events_decrease(next.task, 1), ALPI_SUCCESS);
  }
}

static void later(struct alpi_task* task, uint64_t count, int* sets, int late) {
  pthread_mutex_lock(&lock);
  CHECK(dues < kMost);
  due[dues++] = (Due){task, count, sets, late};
  pthread_mutex_unlock(&lock);
}

static void owe_at(uint64_t count, int* sets, int late) {
  struct alpi_task* self = NULL;
  uint64_t has = 7;
  CHECK_EQ(alpi_task_self(&self), ALPI_SUCCESS);
  CHECK_EQ(alpi_task_events_increase(self, count), ALPI_SUCCESS);
  CHECK_EQ(alpi_task_events_test(self, &has), ALPI_SUCCESS);
  CHECK_EQ(has, 1);
  later(self, count, sets, late);
}

// The calling task will finish when `sets` is one; some time after its body has returned.
static void owe(uint64_t count, int* sets) { owe_at(count, sets, 0); }
static void owe_late(int* sets) { owe_at(1, sets, 1); }

// ---- What waits -----------------------------------------------------------------------------------------------------

enum { kTasks = 20 };

static void taskwait_and_group(void) {
  int set[kTasks] = {0};
  for (int i = 0; i < kTasks; ++i) {
    if (i % 2 == 0) {
#pragma omp task shared(set)
      owe((uint64_t)i + 1, &set[i]);
    } else {
#pragma omp task shared(set) untied
      {
        owe(1, &set[i]);
#pragma omp taskyield
      }
    }
  }
#pragma omp taskwait
  for (int i = 0; i < kTasks; ++i) CHECK_EQ(set[i], 1);
  int grandchild[kTasks] = {0}, made = 0;
#pragma omp taskgroup
  for (int i = 0; i < kTasks; ++i)
#pragma omp task shared(grandchild, made)
  {
#pragma omp task shared(grandchild, made)
    {
      int inner = 0;
#pragma omp taskgroup
      {
#pragma omp task shared(made)
#pragma omp atomic
        ++made;
        owe(2, &grandchild[i]); // the inner group does not wait for its owner
        inner = 1;
      }
      CHECK_EQ(inner, 1);
    }
  }
  for (int i = 0; i < kTasks; ++i) CHECK_EQ(grandchild[i], 1);
  CHECK_EQ(made, kTasks);
}

static void dependences(void) {
  int set[kTasks] = {0}, value = 0;
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task depend(inout : value) shared(value, set)
    {
      CHECK_EQ(value, i);
      if (i > 0) CHECK_EQ(set[i - 1], 1);
      ++value;
      owe(3, &set[i]);
    }
  }
#pragma omp taskwait depend(in : value)
  CHECK_EQ(value, kTasks);
  CHECK_EQ(set[kTasks - 1], 1);
#pragma omp taskwait
}

static void undeferred_and_final(void) {
  int set[3] = {0};
#pragma omp task if (0) shared(set)
  owe(1, &set[0]);
#pragma omp task final(1) shared(set)
  {
    owe(1, &set[1]);
#pragma omp task shared(set)
    owe(2, &set[2]); // its creator goes on before it has finished
#pragma omp taskwait
  }
#pragma omp taskwait
  for (int i = 0; i < 3; ++i) CHECK_EQ(set[i], 1);
}

// Each runs when it is made, and its creator goes on before it has finished. Successors wait nevertheless.
static void chains(int* set) {
  int x = 0, y = 0;
#pragma omp task depend(out : x)
  owe_late(&set[0]);
#pragma omp task depend(inout : x) untied
  {
    CHECK_EQ(set[0], 1);
#pragma omp taskyield
    owe_late(&set[1]);
#pragma omp taskyield
  }
#pragma omp task depend(mutexinoutset : y)
  owe_late(&set[2]);
#pragma omp task depend(mutexinoutset : y) depend(in : x)
  {
    CHECK_EQ(set[1] + set[2], 2);
#pragma omp task depend(inoutset : x)
    owe_late(&set[3]);
#pragma omp task depend(in : x)
    CHECK_EQ(set[3], 1);
#pragma omp taskwait
  }
#pragma omp task depend(out : omp_all_memory)
  owe_late(&set[4]);
#pragma omp taskwait depend(in : y)
  CHECK_EQ(set[4], 1);
#pragma omp taskwait
  for (int i = 0; i < 5; ++i) CHECK_EQ(set[i], 1);
}

static void below_final(void) {
  int set[2][5] = {{0}};
#pragma omp task final(1) shared(set)
  chains(set[0]);
#pragma omp task final(1) untied shared(set)
  {
#pragma omp task shared(set)
    chains(set[1]);
  }
#pragma omp taskwait
  for (int i = 0; i < 5; ++i) CHECK_EQ(set[0][i] + set[1][i], 2);
}

// Nothing has said yet that tasks may have events.
static void first_call_of_the_process(void) {
  int set[5] = {0};
#pragma omp parallel num_threads(1)
  chains(set);
}

// The body has none left when it returns, or it has none and then some again.
static void decreased_before_the_end(void) {
  int set = 0, order = 0;
#pragma omp task shared(set) depend(out : order) shared(order)
  {
    struct alpi_task* self = NULL;
    uint64_t has = 7;
    CHECK_EQ(alpi_task_self(&self), ALPI_SUCCESS);
    for (int i = 0; i < 3; ++i) {
      CHECK_EQ(alpi_task_events_increase(self, 5), ALPI_SUCCESS);
      CHECK_EQ(alpi_task_events_decrease(self, 6), ALPI_ERR_PARAMETER);
      CHECK_EQ(alpi_task_events_decrease(self, 2), ALPI_SUCCESS);
      CHECK_EQ(alpi_task_events_decrease(self, 3), ALPI_SUCCESS);
      CHECK_EQ(alpi_task_events_test(self, &has), ALPI_SUCCESS);
      CHECK_EQ(has, 0);
    }
    order = 1;
  }
#pragma omp task depend(in : order) shared(order, set)
  {
    CHECK_EQ(order, 1);
    struct alpi_task* self = NULL;
    CHECK_EQ(alpi_task_self(&self), ALPI_SUCCESS);
    CHECK_EQ(alpi_task_events_increase(self, 1), ALPI_SUCCESS);
    CHECK_EQ(alpi_task_events_decrease(self, 1), ALPI_SUCCESS);
    owe(1, &set);
  }
#pragma omp taskwait
  CHECK_EQ(set, 1);
}

static void detachable_besides(void) {
  int set[4] = {0}, fulfilled[4] = {0};
  for (int i = 0; i < 4; ++i) {
    omp_event_handle_t event = 0;
#pragma omp task detach(event) shared(set, fulfilled) firstprivate(i)
    {
      if (i == 0) fulfilled[i] = 1, omp_fulfill_event(event);
      owe(2, &set[i]);
      if (i == 1) fulfilled[i] = 1, omp_fulfill_event(event);
      if (i >= 2) {
#pragma omp task shared(fulfilled) firstprivate(i, event)
        {
          fulfilled[i] = 1;
          omp_fulfill_event(event);
        }
      }
    }
  }
#pragma omp taskwait
  for (int i = 0; i < 4; ++i) CHECK_EQ(set[i] + fulfilled[i], 2);
}

static void implicit_tasks(void) {
  int set[64] = {0};
#pragma omp parallel
  {
    int self = omp_get_thread_num();
    for (int i = 0; i < 2; ++i) {
      set[self] = 0;
      owe(2, &set[self]);
#pragma omp barrier
      for (int each = 0; each < omp_get_num_threads(); ++each) CHECK_EQ(set[each], 1);
#pragma omp barrier
    }
    set[self] = 0;
    owe(1, &set[self]);
  }
  for (int each = 0; each < omp_get_max_threads() && each < 64; ++each) CHECK_EQ(set[each], 1);
}

int main(void) {
  pthread_t thread;
  CHECK_EQ(pthread_create(&thread, NULL, decrease_all, NULL), 0);
  first_call_of_the_process();
  for (int round = 0; round < SCALED(32); ++round) {
#pragma omp parallel
#pragma omp single
    {
      struct alpi_task* self;
      CHECK_EQ(alpi_task_self(&self), ALPI_SUCCESS); // dependences count from here on
      taskwait_and_group();
      dependences();
      undeferred_and_final();
      if (round < SCALED(4)) below_final();
      decreased_before_the_end();
      detachable_besides();
    }
    implicit_tasks();
  }
  pthread_mutex_lock(&lock);
  over = 1;
  pthread_mutex_unlock(&lock);
  pthread_join(thread, NULL);
  return 0;
}
