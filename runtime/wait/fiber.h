// Tasks that stop in the middle. Once the program may have such tasks (tasks_may_stop()), every task that a worker
// begins runs on a stack of its own, a fiber, from which it can leave: the worker goes on below, as if the task had
// ended. It goes on later, on top of whatever its worker runs then.
//
//   running ──leave──> blocked (in no list) ──ready()──> ready ──resume_next()──> running
//      ├──leave_waiting()──> waiting ──its wait is over, resume_next()──> running
//      └──ends
//
// One that blocks hands its place to one that is ready. All but ready() is done by the fiber's own worker. Why no task
// is forgotten or buried: runtime/wait/blocking.md.
#pragma once

#include <cstdint>

#include "runtime/core/wait.h"
#include "runtime/core/worker.h"
#include "runtime/stacks/fiber_stack.h"
#include "runtime/stacks/stack.h"

namespace chomp {

class Fiber {
public:
  Fiber(Worker* worker, Member* member, Task* task) : worker_(worker), member_(member), task_(task), innermost_(task) {}

  /// The worker goes on in the fiber until that leaves or ends; then the fiber may be gone.
  void enter();
  /// The current task leaves, and goes on when the fiber is entered again. `next`, if not null, goes on in its place.
  void leave(Fiber* next = nullptr);
  bool may_leave() const;

  Worker* worker() const { return worker_; }
  Member* member() const { return member_; }
  void begin();

private:
  friend class NestedOnFiber;
  friend struct FiberLists;

  static void body(void* fiber);
  void run();
  void go_on_in(Fiber* next);
  void go_on();
  void observe_stop();
  void observe_going_on(Task* task);

  FiberStack stack_;
  Worker* worker_;
  Member* member_;
  Task* task_;            // the lowest on it
  Task* innermost_;       // the last that began here in a way that lets it leave: task_, or an undeferred task above
  Task* below_ = nullptr; // what the worker runs below it, and its floor
  uint64_t floor_ = 0;
  uint64_t own_floor_ = 0; // where the tasks begin that were made here since it was entered
  bool has_left_ = false, ended_ = false;
  Task* current_ = nullptr; // while it is away
  InnermostWait innermost_wait_;
  const Wait* wait_ = nullptr;
  Fiber* next_ = nullptr; // in one of the lists
};

/// Whether a task that is about to begin may have a fiber.
bool may_stop(const Member* member, Task* task);
/// Begins such a task, instead of run_task_here(). It may not have ended on return.
void run_on_fiber(Worker* worker, Member* member, Task* task);

/// The body of a detachable task has returned. Whether it is to be run again, now: it has waited for that (block.cpp).
CHOMP_SLOW bool runs_again(Worker* worker, Task* task);

/// Whether the current task can leave its stack.
bool may_leave(const Worker* worker);
/// It does, and goes on when what it waits for may be there.
void leave_waiting(Worker* worker, const Wait& wait);
/// The fiber that is to go on in the place of the current one, which blocks; null: the worker looks below.
Fiber* next_in_place(Worker* worker);
/// It leaves, if it can, and goes on after those that may go on already.
bool leave_for_others(Worker* worker);

/// Whether a task of the member that has left can go on; and one of them does. The second may say no if the first has
/// said yes, while tasks wait: it looks at one.
bool can_resume(Worker* worker, const Member* member);
bool resume_next(Worker* worker, Member* member);

/// The same question where nothing has left as a rule.
inline bool left_task_can_go_on(Worker* worker) {
  return CHOMP_UNLIKELY(worker->tasks.fibers.away != 0) && can_resume(worker, worker->member);
}

/// A fiber that has left, and is in no list, may go on. Called by any thread; afterwards the fiber may be gone.
void fiber_ready(Fiber* fiber);

/// Called in the child of fork(): the member's team has forgotten all tasks that are not on the stack.
void fibers_forget(Worker* worker, const Member* member);

/// Calls visit(const Wait&) for each wait in the middle of which a task of the current region has left. Those of
/// regions around it go on only when this one has ended.
template <typename Visit> void each_left_wait(Worker* worker, Visit visit);

/// An undeferred task begins on top of the current one: it can leave if that one can.
class NestedOnFiber {
public:
  NestedOnFiber(const Worker* worker, Task* task)
      : fiber_(worker->tasks.fibers.running), outer_(fiber_ != nullptr ? fiber_->innermost_ : nullptr) {
    if (fiber_ != nullptr && outer_ == worker->current) fiber_->innermost_ = task;
  }
  ~NestedOnFiber() {
    if (fiber_ != nullptr) fiber_->innermost_ = outer_;
  }
  NestedOnFiber(const NestedOnFiber&) = delete;
  NestedOnFiber& operator=(const NestedOnFiber&) = delete;

private:
  Fiber* fiber_;
  Task* outer_;
};

struct FiberLists {
  static Fiber*& next(Fiber* fiber) { return fiber->next_; }
  static const Wait*& wait(Fiber* fiber) { return fiber->wait_; }
};

template <typename Visit> void each_left_wait(Worker* worker, Visit visit) {
  Fiber* first = worker->tasks.fibers.waiting;
  for (Fiber* each = first; each != nullptr;) {
    if (each->member() == worker->member) visit(*FiberLists::wait(each));
    each = FiberLists::next(each);
    if (each == first) break;
  }
}

} // namespace chomp
