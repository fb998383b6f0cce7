// Tasks that suspend themselves (chomp_task_suspend) go on when somebody resumes them, also if that came first, and
// their thread runs whatever else there is meanwhile: the tasks that will resume them, whether these are children,
// siblings that were made later, or the task that waits below them on the same thread. They also go on while that
// thread waits in a loop, or a reduction, for another. Suspended are tasks with children, in groups, with dependences,
// undeferred, of taskloops, implicit ones. A barrier, taskwait, a group's end and a dependence wait for suspended
// tasks. Tied tasks go on on their own thread, whose stacks are used again. All that holds whoever observes.
// RUN: %clang-openmp -I%root %s -o %t && %for-threads %t
// RUN: %for-threads %t late
// RUN: env OMP_CANCELLATION=true OMP_MAX_TASK_PRIORITY=5 %for-threads %t
// RUN: env CHOMP_SCHEDULER=xqueue %for-threads -t "1 3 8" %t
// RUN: env KMP_TASK_STEALING_CONSTRAINT=0 CHOMP_SCHEDULER=nemesis %for-threads -t "2 4" %t
// RUN: env CHOMP_STATS=%t.json %for-threads %t
// RUN: env CHOMP_RECORD=%t.rec %for-threads %t
// RUN: env CHOMP_WATCHDOG=60 CHOMP_STATS=%t.json %for-threads %t late
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define CHOMP_WEAK
#include "abi/chomp.h"
#include "support/check.h"

typedef _Atomic(chomp_task_t*) Handle;

static chomp_task_t* wait_for_handle(Handle* handle) {
  chomp_task_t* task;
  while ((task = atomic_load(handle)) == NULL) {
#pragma omp taskyield
  }
  return task;
}

// Shows itself, and suspends.
static void suspend(Handle* handle) {
  int thread = omp_get_thread_num();
  chomp_task_t* self = chomp_task_self();
  atomic_store(handle, self);
  CHECK_EQ(chomp_task_suspend(self), 0);
  CHECK_EQ(omp_get_thread_num(), thread);
}

static void resume(Handle* handle) {
  chomp_task_t* task = wait_for_handle(handle);
  atomic_store(handle, NULL);
  CHECK_EQ(chomp_task_resume(task), 0);
}

enum { kMany = 200 };

static void many_are_resumed_by_their_creator(void) {
  static Handle handles[kMany];
  int ended = 0;
  for (int i = 0; i < kMany; ++i) {
#pragma omp task shared(ended)
    {
      suspend(&handles[i]);
#pragma omp atomic
      ++ended;
    }
  }
  for (int i = 0; i < kMany; ++i) resume(&handles[i]);
#pragma omp taskwait
  CHECK_EQ(ended, kMany);
}

static Handle of_threads[kMany];

static void* resume_all(void* unused) {
  for (int i = 0; i < kMany; ++i) {
    chomp_task_t* task;
    while ((task = atomic_load(&of_threads[i])) == NULL) sched_yield();
    CHECK_EQ(chomp_task_resume(task), 0);
  }
  return unused;
}

// Nobody but a thread that OpenMP does not know goes on meanwhile, so parked members are woken.
static void many_are_resumed_by_a_foreign_thread(void) {
  pthread_t thread;
  int ended = 0;
  memset(of_threads, 0, sizeof of_threads);
  CHECK_EQ(pthread_create(&thread, NULL, resume_all, NULL), 0);
#pragma omp taskgroup
  for (int i = 0; i < kMany; ++i) {
#pragma omp task shared(ended)
    {
      chomp_task_t* self = chomp_task_self();
      atomic_store(&of_threads[i], self);
      CHECK_EQ(chomp_task_suspend(self), 0);
#pragma omp atomic
      ++ended;
    }
  }
  CHECK_EQ(ended, kMany);
  pthread_join(thread, NULL);
}

static void resumed_first(void) {
#pragma omp task
  {
    chomp_task_t* self = chomp_task_self();
    CHECK_EQ(chomp_task_self() == self, 1);
    CHECK_EQ(chomp_task_suspend(NULL), EINVAL);
    CHECK_EQ(chomp_task_resume(NULL), EINVAL);
    for (int i = 0; i < 3; ++i) {
      CHECK_EQ(chomp_task_resume(self), 0);
      CHECK_EQ(chomp_task_resume(self), EINVAL);
      CHECK_EQ(chomp_task_suspend(self), 0);
    }
#pragma omp task
    CHECK_EQ(chomp_task_suspend(self), EINVAL);
#pragma omp taskwait
  }
#pragma omp taskwait
}

// A grandchild, begun on top of the waiting task, is resumed by that task after its wait.
static void resumed_by_the_waiter_below(void) {
  Handle grandchild = NULL;
  _Atomic int ended = 0;
#pragma omp task shared(grandchild, ended)
  {
#pragma omp task shared(grandchild, ended)
    {
#pragma omp task shared(grandchild, ended)
      {
        suspend(&grandchild);
        atomic_store(&ended, 1);
      }
    }
#pragma omp taskwait
    resume(&grandchild);
  }
#pragma omp taskwait
  while (atomic_load(&ended) == 0) {
#pragma omp taskyield
  }
}

static void take_turns(chomp_task_t* self, chomp_task_t* other, _Atomic int* over, _Atomic int* ended) {
  while (atomic_load(over) == 0) {
    CHECK_EQ(chomp_task_resume(other), 0);
    CHECK_EQ(chomp_task_suspend(self), 0);
    int waited_for = 0;
#pragma omp task shared(waited_for)
    waited_for = 1;
#pragma omp taskwait
    CHECK_EQ(waited_for, 1);
  }
  if (atomic_fetch_add(ended, 1) == 0) CHECK_EQ(chomp_task_resume(other), 0);
}

// Two resume each other until a third task has begun, for which their thread has to leave them.
static void two_take_turns_until_a_third_begins(void) {
  Handle first = NULL, second = NULL;
  _Atomic int over = 0, ended = 0;
#pragma omp taskgroup
  {
#pragma omp task shared(first, second, over, ended)
    {
      chomp_task_t* self = chomp_task_self();
      atomic_store(&first, self);
      chomp_task_t* other = wait_for_handle(&second);
#pragma omp task shared(over)
      atomic_store(&over, 1);
      take_turns(self, other, &over, &ended);
    }
#pragma omp task shared(first, second, over, ended)
    {
      chomp_task_t* other = wait_for_handle(&first);
      chomp_task_t* self = chomp_task_self();
      atomic_store(&second, self);
      CHECK_EQ(chomp_task_suspend(self), 0);
      take_turns(self, other, &over, &ended);
    }
  }
}

// The same until the wait below them goes on, which has been over since they began.
static void two_take_turns_until_a_wait_ends(void) {
  Handle first = NULL, second = NULL;
  _Atomic int over = 0, ended = 0;
#pragma omp taskgroup
  {
#pragma omp task shared(first, second, over, ended)
    {
#pragma omp task shared(first, second, over, ended)
      {
        suspend(&first);
        take_turns(chomp_task_self(), wait_for_handle(&second), &over, &ended);
      }
#pragma omp task shared(first, second, over, ended)
      {
        chomp_task_t* other = wait_for_handle(&first);
        chomp_task_t* self = chomp_task_self();
        atomic_store(&second, self);
        take_turns(self, other, &over, &ended);
      }
    }
#pragma omp taskwait
    atomic_store(&over, 1);
  }
}

// X waits for a child, which only a later sibling of X resumes.
static void resumed_by_a_later_task(void) {
  Handle child = NULL;
  int ended = 0;
#pragma omp task shared(child, ended)
  {
#pragma omp task shared(child, ended)
    {
      suspend(&child);
      ended = 1;
    }
#pragma omp taskwait
    CHECK_EQ(ended, 1);
    ended = 2;
  }
#pragma omp task shared(child)
  resume(&child);
#pragma omp taskwait
  CHECK_EQ(ended, 2);
}

// What a task has made before it suspends, in groups and outside, runs while it is away or when it waits.
static void in_groups_with_children(void) {
  enum { kTasks = 20 };
  static Handle handles[kTasks];
  int sum = 0;
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(sum)
    {
#pragma omp task shared(sum)
#pragma omp atomic
      ++sum;
      int inner = 0;
#pragma omp taskgroup
      {
        for (int k = 0; k < 3; ++k) {
#pragma omp task shared(inner, sum)
          {
#pragma omp task shared(inner)
#pragma omp atomic
            ++inner;
          }
        }
        suspend(&handles[i]);
#pragma omp task shared(inner)
#pragma omp atomic
        ++inner;
#pragma omp taskgroup
        {
#pragma omp task shared(inner)
#pragma omp atomic
          ++inner;
          suspend(&handles[i]);
        }
      }
      CHECK_EQ(inner, 5);
#pragma omp taskwait
#pragma omp atomic
      ++sum;
    }
  }
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < kTasks; ++i) resume(&handles[i]);
#pragma omp taskwait
  CHECK_EQ(sum, 2 * kTasks);
}

static void dependences_wait(void) {
  Handle first = NULL;
  int value = 0, seen = 0;
#pragma omp task depend(out : value) shared(value, first)
  {
    suspend(&first);
    value = 7;
  }
#pragma omp task depend(inout : value) shared(value)
  ++value;
#pragma omp task depend(in : value) shared(value, seen)
  seen = value;
#pragma omp task shared(first)
  resume(&first);
#pragma omp taskwait depend(in : value)
  CHECK_EQ(value, 8);
#pragma omp taskwait
  CHECK_EQ(seen, 8);
}

// They block their creator, too.
static void undeferred(void) {
  static Handle handles[4];
  int ended = 0;
  for (int i = 0; i < 4; ++i) {
#pragma omp task shared(ended)
    {
#pragma omp task shared(ended)
#pragma omp atomic
      ++ended;
#pragma omp task if (0) shared(ended)
      {
        suspend(&handles[i]);
#pragma omp task shared(ended)
#pragma omp atomic
        ++ended;
#pragma omp taskwait
      }
#pragma omp task final(1) shared(ended)
      {
#pragma omp task shared(ended)
        {
          suspend(&handles[i]);
#pragma omp atomic
          ++ended;
        }
      }
#pragma omp taskwait
#pragma omp atomic
      ++ended;
    }
  }
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < 4; ++i) resume(&handles[i]);
#pragma omp taskwait
  CHECK_EQ(ended, 16);
}

// The first half of the iterations waits for the second.
static void taskloops(void) {
  enum { kIterations = 32 };
  static Handle handles[kIterations];
  int ended = 0;
#pragma omp taskloop grainsize(1) shared(ended)
  for (int i = 0; i < kIterations; ++i) {
    if (i < kIterations / 2)
      suspend(&handles[i]);
    else
      resume(&handles[i - kIterations / 2]);
#pragma omp atomic
    ++ended;
  }
  CHECK_EQ(ended, kIterations);
}

// A token goes round.
static void ring(void) {
  enum { kTasks = 16, kRounds = 50 };
  static Handle handles[kTasks];
  int passed = 0;
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(passed) untied
    {
      for (int round = 0; round < kRounds; ++round) {
        suspend(&handles[i]);
        ++passed;
        if (i + 1 < kTasks || round + 1 < kRounds) resume(&handles[(i + 1) % kTasks]);
      }
    }
  }
  resume(&handles[0]);
#pragma omp taskwait
  CHECK_EQ(passed, kTasks * kRounds);
}

static void many_yield(void) {
  enum { kTasks = 8 };
  _Atomic int turn = kTasks - 1;
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(turn)
    {
      while (atomic_load(&turn) != i) {
#pragma omp taskyield
      }
      atomic_fetch_sub(&turn, 1);
    }
  }
#pragma omp taskwait
  CHECK_EQ(atomic_load(&turn), -1);
}

// A task that yields lets those go on whose wait is over, as well as those that are resumed.
static void a_waiter_beside_a_yielder(void) {
  Handle child = NULL;
  _Atomic int over = 0;
#pragma omp task shared(child, over)
  {
#pragma omp task shared(child)
    suspend(&child);
#pragma omp taskwait
    atomic_store(&over, 1);
  }
#pragma omp task shared(child, over)
  {
    resume(&child);
    while (atomic_load(&over) == 0) {
#pragma omp taskyield
    }
  }
#pragma omp taskwait
}

// Whoever makes many tasks that cannot begin runs others meanwhile, also those that have stopped on its thread.
static void a_creator_of_many(void) {
#pragma omp parallel num_threads(1)
  {
    enum { kEnough = 4000 };
    Handle first = NULL;
    int value = 0, made = 0;
#pragma omp task depend(out : value) shared(value, first)
    {
      suspend(&first);
      value = 1;
    }
#pragma omp task shared(first)
    resume(&first);
    while (value == 0 && made < kEnough) {
      ++made;
#pragma omp task depend(in : value) shared(value)
      CHECK_EQ(value, 1);
    }
#pragma omp taskwait
    CHECK(made < kEnough);
  }
}

static void implicit_tasks(void) {
  static Handle handles[64];
#pragma omp parallel
  {
    int self = omp_get_thread_num(), last = omp_get_num_threads() - 1;
#pragma omp task shared(handles)
    {
      if (self == last) resume(&handles[0]);
    }
    suspend(&handles[self]);
    if (self < last) resume(&handles[self + 1]);
  }
}

static void nested_regions(void) {
  static Handle handles[4];
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    for (int i = 0; i < 4; ++i)
#pragma omp task
      suspend(&handles[i]);
    for (int i = 0; i < 4; ++i) resume(&handles[i]);
  }
}

// A thread keeps the stacks of tasks that have ended for those that stop next.
static void stacks_are_used_again(void) {
  enum { kWave = 32, kWaves = 40, kOther = 8 };
  static Handle handles[kWave];
  chomp_counters_t before = {.size = sizeof before}, after = before;
  CHECK_EQ(chomp_read_total(&before), 0);
  for (int wave = 0; wave < kWaves; ++wave) {
    for (int i = 0; i < kWave; ++i)
#pragma omp task
      suspend(&handles[i]);
    for (int i = 0; i < kWave; ++i) resume(&handles[i]);
#pragma omp taskwait
  }
  CHECK_EQ(chomp_read_total(&after), 0);
  long made = (long)(after.stack_segments - before.stack_segments);
  CHECK(made <= (long)omp_get_num_threads() * (kWave + kOther));
}

static void make_tree(int depth, int* nodes) {
#pragma omp atomic
  ++*nodes;
  for (int i = 0; i < 2 && depth > 0; ++i) {
#pragma omp task
    make_tree(depth - 1, nodes);
  }
#pragma omp taskwait
}

// Tasks that have left their stacks may be those of others, and go on while their member waits for its turn.
static void ordered_iterations(void) {
  int nodes = 0, next = 0;
#pragma omp parallel for ordered schedule(static, 1)
  for (int i = 0; i < 50; ++i) {
#pragma omp ordered
    CHECK_EQ(next++, i);
    make_tree(4, &nodes);
  }
  CHECK_EQ(nodes, 50 * 31);
}

static Handle second_member, first_members_task;
static _Atomic int second_goes_on;

// The second member begins a task of the first one while it is suspended itself, and goes on without that.
static void begin_anothers_task(int member) {
  if (member == 0) {
#pragma omp task
    suspend(&first_members_task);
    SPIN_UNTIL(atomic_load(&first_members_task) != NULL);
    resume(&second_member);
    SPIN_UNTIL(atomic_load(&second_goes_on));
    resume(&first_members_task);
#pragma omp taskwait
  } else {
    suspend(&second_member);
    atomic_store(&second_goes_on, 1);
  }
}

static void begin_anew(void) {
  atomic_store(&second_goes_on, 0);
#pragma omp barrier
}

// Then it waits in a construct for the first member, which waits for that task.
static void members_wait_in_loops(void) {
  enum { kRing = 100 };
  int next = 0, ran = 0;
#pragma omp parallel num_threads(2) if (omp_get_max_threads() > 1)
  if (omp_get_num_threads() == 2) {
    begin_anew();
#pragma omp for ordered schedule(static, 1)
    for (int i = 0; i < 2; ++i) {
      begin_anothers_task(i);
#pragma omp ordered
      CHECK_EQ(next++, i);
    }
    begin_anew();
#pragma omp for ordered(1) schedule(static, 1)
    for (int i = 0; i < 2; ++i) {
      begin_anothers_task(i);
#pragma omp ordered depend(sink : i - 1)
      next = 10 + i;
#pragma omp ordered depend(source)
    }
    begin_anew();
    begin_anothers_task(omp_get_thread_num());
    for (int k = 0; k < kRing; ++k)
#pragma omp for nowait schedule(dynamic)
      for (int i = 0; i < 2; ++i) ATOMIC_ADD(ran, 1);
    begin_anew();
    begin_anothers_task(omp_get_thread_num());
    for (int k = 0; k < kRing; ++k)
#pragma omp for nowait schedule(static, 1) ordered(1)
      for (int i = 0; i < 2; ++i) {
#pragma omp ordered depend(sink : i - 2)
#pragma omp ordered depend(source)
        ATOMIC_ADD(ran, 1);
      }
#pragma omp barrier
    CHECK_EQ(next, 11);
    CHECK_EQ(ATOMIC_LOAD(ran), 4 * kRing);
  }
}

// The same in a reduction along the tree, where no task begins.
static void members_wait_in_reductions(void) {
  int sum = 0;
#pragma omp parallel num_threads(5) if (omp_get_max_threads() > 4)
  if (omp_get_num_threads() == 5) {
    begin_anew();
    if (omp_get_thread_num() < 2) begin_anothers_task(omp_get_thread_num());
#pragma omp for reduction(+ : sum) nowait
    for (int i = 0; i < 50; ++i) ++sum;
#pragma omp barrier
    CHECK_EQ(sum, 50);
  }
}

int main(int argc, char** argv) {
  (void)argv;
  if (argc == 1) CHECK_EQ(chomp_task_self() != NULL, 1);
  for (int i = 0; i < SCALED(32) + 1; ++i) {
#pragma omp parallel
#pragma omp single
    {
      many_are_resumed_by_a_foreign_thread(); // the first may block its creator, if nothing was asked before
      many_are_resumed_by_their_creator();
      resumed_first();
      two_take_turns_until_a_third_begins();
      two_take_turns_until_a_wait_ends();
      resumed_by_a_later_task();
      in_groups_with_children();
      dependences_wait();
      undeferred();
      taskloops();
      ring();
      many_yield();
      a_waiter_beside_a_yielder();
      resumed_by_the_waiter_below();
#pragma omp task
      nested_regions();
      if (i == 0 && chomp_read_total != NULL) stacks_are_used_again();
    }
    a_creator_of_many();
    implicit_tasks();
    ordered_iterations();
    members_wait_in_loops();
    members_wait_in_reductions();
  }
  return 0;
}
