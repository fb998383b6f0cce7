// See fiber.h.
#include "runtime/wait/fiber.h"

#include <new>

#include "runtime/base/cpu_numbers.h"
#include "runtime/base/os_linux.h"
#include "runtime/core/events.h"
#include "runtime/core/memory.h"
#include "runtime/core/program_call.h"
#include "runtime/core/team.h"
#include "runtime/stealing/publish.h"
#include "runtime/tasks/constraint.h"
#include "runtime/tasks/destination.h"
#include "runtime/tasks/task_graph.h"
#include "runtime/tasks/task_run.h"
#include "runtime/tasks/taskgroup.h"
#include "runtime/tasks/taskloop.h"
#include "runtime/threads/wake.h"

namespace chomp {

// ---- One fiber ------------------------------------------------------------------------------------------------------

void Fiber::body(void* fiber) { static_cast<Fiber*>(fiber)->run(); }

void Fiber::begin() {
  stack_.open(worker_, body, this);
  enter();
}

// Another fiber may have taken its place when this returns to the stack below, and this one may be gone.
void Fiber::enter() {
  Worker* worker = worker_;
  Member* member = member_;
  FibersState& fibers = worker->tasks.fibers;
  Fiber* outer = fibers.running;
  InnermostWait outer_wait = worker->tasks.innermost_wait;
  uint64_t outer_refused = worker->tasks.refused_lists.wait;
  auto outer_handed_over = fibers.handed_over;
  CallNote outer_call(worker);
  Task* below = below_ = worker->current;
  uint64_t floor = floor_ = member->deque.floor();
  fibers.running = this;
  fibers.handed_over = 0;
  worker->tasks.innermost_wait = innermost_wait_;
  cpu_number_may_change();
  stack_.enter(worker);
  Fiber* last = fibers.running;
  fibers.running = outer;
  fibers.handed_over = outer_handed_over;
  worker->tasks.innermost_wait = outer_wait;
  worker->tasks.refused_lists.wait = outer_refused;
  outer_call.restore(worker);
  end_task(worker, member, below, floor);
  if (!last->ended_) return;
  last->stack_.close(worker);
  object_free(worker, last, sizeof(Fiber));
}

// The rest of run_task_here(), with what lies below the fiber at the end.
void Fiber::run() {
  stack_.begun();
  begin_task(worker_, member_, task_, below_, member_->deque.top());
  own_floor_ = member_->deque.floor();
  Task* task = task_;
  bool goes_on = false;
  do {
    run_part_in_frame(worker_, task);
    goes_on = untied_task_goes_on(task) || (task->is(kDetachable) && runs_again(worker_, task));
    if (goes_on && worker_->tasks.yielded == task && gives_way(worker_, task)) break;
  } while (goes_on);
  if (has_left_) leave_deque(worker_, member_, task, Leaving::kStops);
  if (goes_on)
    give_way(worker_, member_, task, below_, floor_);
  else if (task->is(kSlowAtFinish))
    finish_above(worker_, member_, task, below_, floor_);
  else {
    end_task(worker_, member_, below_, floor_);
    finish_task_quick(worker_, task);
  }
  ended_ = true;
  stack_.leave_for_ever(worker_);
}

bool Fiber::may_leave() const {
  if (worker_->member != member_ || member_->deque.floor_is_fixed()) return false;
  const Task* task = worker_->current;
  while (task != innermost_ && task->is(kCalledByProgram)) task = task->below();
  return task == innermost_;
}

void Fiber::leave(Fiber* next) {
  task_count_begun_exported(member_, task_); // barriers and groups wait for it
  task_->flags |= kTied; // it goes on on this worker only, and may run on top only what descends from it
  leave_deque(worker_, member_, task_, Leaving::kStops, own_floor_);
  current_ = worker_->current;
  innermost_wait_ = worker_->tasks.innermost_wait;
  has_left_ = true;
  CallNote call(worker_);
  if (task_->is(kObserved)) observe_stop();
  ++worker_->tasks.fibers.away;
  next != nullptr ? go_on_in(next) : stack_.leave(worker_);
  go_on();
  if (task_->is(kObserved)) observe_going_on(current_);
  call.restore(worker_);
}

// `next` finds all as if it had been entered where this one was.
void Fiber::go_on_in(Fiber* next) {
  TasksState& tasks = worker_->tasks;
  next->below_ = below_;
  next->floor_ = floor_;
  tasks.fibers.running = next;
  tasks.innermost_wait = next->innermost_wait_;
  cpu_number_may_change();
  stack_.leave_to(worker_, &next->stack_);
}

// worker_->current is always the task that observers are told of.
void Fiber::observe_stop() {
  for (Task* task = current_;; task = task->below()) {
    worker_->current = task;
    if (task->is(kObserved)) event_task_stops(worker_, task);
    if (task == task_) return;
  }
}

void Fiber::observe_going_on(Task* task) {
  if (task != task_) observe_going_on(task->below());
  worker_->current = task;
  if (task->is(kObserved)) event_task_goes_on(worker_, task);
}

// The fiber has been entered again, on top of another task and where the deque has other tasks. All that its own tasks
// keep of that changes: no frame does (may_leave()).
void Fiber::go_on() {
  TasksState& tasks = worker_->tasks;
  --tasks.fibers.away;
  worker_->current = current_;
  task_->next = below_;
  member_->deque.raise_floor();
  own_floor_ = member_->deque.floor();
  for (Task* task = current_;; task = task->below()) {
    for (Taskgroup* group = task->taskgroup; group != nullptr && group->owner == task; group = group->parent)
      group->outer_floor = own_floor_;
    if (task == task_) break;
    task->prev = reinterpret_cast<QueueHook*>(own_floor_);
  }
  if (tasks.innermost_wait.waiter == nullptr) return;
  tasks.innermost_wait.waiter = nullptr;
  tasks.innermost_wait = {current_, innermost_tied(worker_)};
  tasks.refused_lists.wait = ++tasks.waits;
}

// ---- A worker's fibers ----------------------------------------------------------------------------------------------

namespace {

Fiber*& next_of(Fiber* fiber) { return FiberLists::next(fiber); }

void append_ready(FibersState& fibers, Fiber* fiber) {
  next_of(fiber) = nullptr;
  (fibers.ready == nullptr ? fibers.ready : next_of(fibers.newest_ready)) = fiber;
  fibers.newest_ready = fiber;
}

// Others push the newest first.
void take_resumed(Worker* worker) {
  // relaxed: a look in passing. acquire: pairs with release in fiber_ready().
  if (CHOMP_LIKELY(worker->tasks.resumed.load(std::memory_order_relaxed) == nullptr)) return;
  Fiber* newest = worker->tasks.resumed.exchange(nullptr, std::memory_order_acquire);
  Fiber* oldest = nullptr;
  while (newest != nullptr) {
    Fiber* older = next_of(newest);
    next_of(newest) = oldest;
    oldest = newest;
    newest = older;
  }
  while (oldest != nullptr) {
    Fiber* newer = next_of(oldest);
    append_ready(worker->tasks.fibers, oldest);
    oldest = newer;
  }
}

// A fiber of another team waits until the worker is back there.
Fiber* pop_ready(FibersState& fibers, const Member* member) {
  Fiber* before = nullptr;
  for (Fiber* fiber = fibers.ready; fiber != nullptr; before = fiber, fiber = next_of(fiber)) {
    if (fiber->member() != member) continue;
    (before == nullptr ? fibers.ready : next_of(before)) = next_of(fiber);
    if (fibers.newest_ready == fiber) fibers.newest_ready = before;
    return fiber;
  }
  return nullptr;
}

// All that the waiter had in the deque was published, so counts alone say whether its wait is over.
bool is_over(const Wait& wait) {
  switch (wait.what) {
  case WaitFor::kChildren: return !has_children(wait.task);
  case WaitFor::kTaskgroup: return !exported_tasks_are_left(wait.group);
  case WaitFor::kTime: return monotonic_ns() >= static_cast<int64_t>(wait.epoch);
  default:
    // acquire: pairs with the release of the value.
    return wait.word->load(std::memory_order_acquire) == static_cast<uint32_t>(wait.epoch);
  }
}

bool can_go_on(Fiber* waiting, const Member* member) {
  return waiting->member() == member && is_over(*FiberLists::wait(waiting));
}

// `before` is the one before it in the ring.
Fiber* take_waiting(FibersState& fibers, Fiber* before) {
  Fiber* fiber = next_of(before);
  if (fiber == before)
    fibers.waiting = nullptr;
  else {
    next_of(before) = next_of(fiber);
    if (fibers.waiting == fiber) fibers.waiting = before;
  }
  return fiber;
}

// The ring is turned by one place at each look, so that each has its turn.
Fiber* pop_waiting(FibersState& fibers, const Member* member) {
  Fiber* before = fibers.waiting;
  if (before == nullptr) return nullptr;
  if (can_go_on(next_of(before), member)) return take_waiting(fibers, before);
  fibers.waiting = next_of(before);
  return nullptr;
}

} // namespace

bool may_stop(const Member* member, Task* task) {
  if (member->team->served != nullptr || task->is(kUncounted | kRecords | kOwnIcvs)) return false;
  if (is_taskloop_range(task)) return false; // from before tasks could stop: its group does not count it
  return !task->is(kHasExtra) || !is_replayed(task);
}

void run_on_fiber(Worker* worker, Member* member, Task* task) {
  if (task->is(kObserved)) begin_observed(worker, task);
  (new (object_allocate(worker, sizeof(Fiber))) Fiber(worker, member, task))->begin();
}

bool may_leave(const Worker* worker) {
  const Fiber* fiber = worker->tasks.fibers.running;
  return fiber != nullptr && fiber->may_leave();
}

void leave_waiting(Worker* worker, const Wait& wait) {
  FibersState& fibers = worker->tasks.fibers;
  Fiber* fiber = fibers.running;
  FiberLists::wait(fiber) = &wait;
  if (fibers.waiting == nullptr) {
    next_of(fiber) = fiber;
  } else {
    next_of(fiber) = next_of(fibers.waiting);
    next_of(fibers.waiting) = fiber;
  }
  fibers.waiting = fiber;
  fiber->leave();
}

// All that is ready has left. So many in a row: the wait below may be over, and others have not begun yet.
Fiber* next_in_place(Worker* worker) {
  FibersState& fibers = worker->tasks.fibers;
  return ++fibers.handed_over < policy::kBatch ? pop_ready(fibers, worker->member) : nullptr;
}

bool leave_for_others(Worker* worker) {
  if (!may_leave(worker)) return false;
  Fiber* fiber = worker->tasks.fibers.running;
  append_ready(worker->tasks.fibers, fiber);
  fiber->leave();
  return true;
}

bool can_resume(Worker* worker, const Member* member) {
  FibersState& fibers = worker->tasks.fibers;
  take_resumed(worker);
  for (Fiber* fiber = fibers.ready; fiber != nullptr; fiber = next_of(fiber))
    if (fiber->member() == member) return true;
  Fiber* last = fibers.waiting;
  for (Fiber* fiber = last; fiber != nullptr;) {
    fiber = next_of(fiber);
    if (can_go_on(fiber, member)) {
      // It is the next at which pop_waiting() looks.
      for (fibers.waiting = fiber; next_of(fibers.waiting) != fiber;) fibers.waiting = next_of(fibers.waiting);
      return true;
    }
    if (fiber == last) break;
  }
  return false;
}

bool resume_next(Worker* worker, Member* member) {
  FibersState& fibers = worker->tasks.fibers;
  take_resumed(worker);
  // They take turns: those that are ready may have yielded to one whose wait is over.
  bool ready_first = fibers.readys_turn = !fibers.readys_turn;
  Fiber* fiber = ready_first ? pop_ready(fibers, member) : pop_waiting(fibers, member);
  if (fiber == nullptr) fiber = ready_first ? pop_waiting(fibers, member) : pop_ready(fibers, member);
  if (fiber == nullptr) return false;
  fiber->enter();
  publish_if_requested(member); // what its task has released: the caller may pop nothing
  return true;
}

void fibers_forget(Worker* worker, const Member* member) {
  FibersState& fibers = worker->tasks.fibers;
  take_resumed(worker);
  while (pop_ready(fibers, member) != nullptr) --fibers.away;
  size_t left = 0;
  if (Fiber* last = fibers.waiting) {
    do ++left;
    while ((fibers.waiting = next_of(fibers.waiting)) != last);
  }
  for (; left > 0 && fibers.waiting != nullptr; --left) {
    if (next_of(fibers.waiting)->member() == member) {
      take_waiting(fibers, fibers.waiting);
      --fibers.away;
    } else {
      fibers.waiting = next_of(fibers.waiting);
    }
  }
}

void fiber_ready(Fiber* fiber) {
  Worker* worker = fiber->worker();
  if (tls_worker == worker) return append_ready(worker->tasks.fibers, fiber);
  atomic<Fiber*>& list = worker->tasks.resumed;
  Fiber* before = list.load(std::memory_order_relaxed); // relaxed: the exchange decides
  do next_of(fiber) = before;
  while (!list.compare_exchange_weak(before, fiber, std::memory_order_release, // release: pairs as in take_resumed()
                                     std::memory_order_relaxed));
  worker_wake(worker);
}

} // namespace chomp
