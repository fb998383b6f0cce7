// The one loop that waits for everything: taskwait, taskgroup, dependences, barrier, the end of a region, the next
// region. It runs tasks, then spins, then parks (idle.cpp).
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/base/check.h"
#include "runtime/core/events.h"
#include "runtime/core/task.h"
#include "runtime/core/team.h"
#include "runtime/core/wait.h"
#include "runtime/stealing/run_or_share.h"
#include "runtime/core/worker.h"
#include "runtime/tasks/task_finish.h"
#include "runtime/tasks/task_run.h"
#include "runtime/tasks/taskgroup.h"

namespace chomp {

struct Member;
struct Team;

/// Runs tasks, then spins, then parks, until *word has the value. The thread that stores it calls worker_wake() for
/// `worker`.
void wait_until(Worker* worker, atomic<uint32_t>* word, uint32_t value);
inline void wait_until_zero(Worker* worker, atomic<uint32_t>* word) { wait_until(worker, word, 0); }

/// How often a member looks at its word before it looks for tasks. If it looked for tasks at once it would be
/// requesting, and its requests would move more lines than a steal. A reduction in a large team takes longer than a
/// hundred looks.
int brief_looks(const Team* team);

/// wait_until() for a value that will be there soon. kNoTasks: the call is no scheduling point (OpenMP 5.2, 12.9), so
/// none begins, but those go on that have stopped on this thread.
enum class MayBegin : uint8_t { kTasks, kNoTasks };
void wait_briefly_until(Worker* worker, atomic<uint32_t>* word, uint32_t value, MayBegin may_begin);

/// May run one other task, or let one go on that has stopped here. Returns whether it did.
bool task_yield(Worker* worker);

/// taskyield (OpenMP 5.2, 12.7). If it finds no task, and there are more threads than CPUs, it offers the CPU. For the
/// program may wait in a loop of its own for a thread that has no CPU.
void task_yield_or_offer_cpu(Worker* worker);

/// Whether a taskyield of the current task changes nothing: nothing waits, or has stopped, and nobody is to be told. A
/// taskyield of an untied task always changes something: its next part goes to a queue (gives_way()).
inline bool yields_in_vain(const Worker* worker) {
  const Member* member = worker->member;
  return member->yields_in_vain && member->deque.top() <= member->deque.floor() && worker->current->is(kTied) &&
         !must_run_slow(worker) && !announcing();
}

/// The program's taskyield. Entered by a jump, so its return address is the program's; returns what the entry point
/// does.
__attribute__((noinline)) int32_t taskyield_slow();
inline int32_t taskyield() {
  const Worker* worker = tls_worker;
  if (CHOMP_UNLIKELY(worker == nullptr || !yields_in_vain(worker))) return taskyield_slow();
  return kCurrentNotQueued;
}

/// task_yield() in two steps: the task that it would run, or null; and running that task.
Task* task_for_yield(Worker* worker);
void task_yield_to(Worker* worker, Task* task);

/// Runs tasks of the current team until the condition holds.
void work_loop(Worker* worker, Member* member, const Wait& wait);

/// Whether the condition holds; with acquire, so that the caller may read what it waited for.
bool wait_is_over(const Wait& wait, const Member* member);

/// Called before parking: announces to the threads that may end the wait that this one must be woken. Returns whether
/// wait_withdraw() must be called after parking.
bool wait_announce(const Wait& wait);
void wait_withdraw(const Wait& wait);

/// Whether the team may have tasks for a member with this wait. A pool thread between regions runs tasks of the region
/// that it has left, until that has completed. A member in a barrier runs tasks from before the barrier. The answer is
/// exact for a member that has just seen a task.
bool tasks_possible(const Wait& wait, const Member* member);

/// If all tasks have finished, opens the barrier, or ends the join, that the member waits for. Returns whether the
/// member has completed something, which others may have to sum. If `looks`, the member sums even if it has completed
/// nothing.
bool help_barrier(Member* member, const Wait& wait, bool looks = true);

/// A task that the worker may run now, from anywhere but the top of its private deque, where its callers look before;
/// null if there is none. The order in which work is sought stands in it. Only tasks that have stopped come after it.
/// `in_passing`: the caller will look again soon (Eligible::in_passing).
Task* find_work(Worker* worker, Member* member, const Wait& wait, bool in_passing = false);

bool taskgroup_is_finished(const Taskgroup* group, const Member* member);

/// Waits until the current task, which has children, has none.
__attribute__((noinline)) int32_t wait_for_children(Worker* worker, Task* task);

/// The wait of the current task, which is observed or records, and has no children.
__attribute__((noinline, cold)) int32_t wait_for_nothing(Worker* worker, Task* task);

/// taskwait (OpenMP 5.2, 15.5): until all children of the current task have finished.
inline int32_t task_wait(Worker* worker) {
  if (CHOMP_UNLIKELY(worker == nullptr)) return kCurrentNotQueued; // a thread that has made no task
  Task* task = worker->current;
  if (CHOMP_LIKELY(has_children(task))) return wait_for_children(worker, task);
  end_throttling(task);
  return CHOMP_UNLIKELY(task->is(kObserved | kRecords)) ? wait_for_nothing(worker, task) : kCurrentNotQueued;
}

/// All children have finished: both counts start again at zero.
inline void forget_counts(Task* task) {
  // relaxed, all: no child will count any more. Holds go at any time; none comes while there is none.
  int64_t word = task->shared_children.load(std::memory_order_relaxed);
  if (CHOMP_LIKELY(word == 0)) return;
  if (CHOMP_LIKELY((word & Task::kHolds) == 0))
    task->shared_children.store(0, std::memory_order_relaxed);
  else
    task->shared_children.fetch_and(Task::kHolds, std::memory_order_relaxed);
  task->local_children = 0;
}

} // namespace chomp
