// The slow half of running a task. See task_run.h.
#include "runtime/tasks/task_run.h"

#include "runtime/base/cpu_numbers.h"
#include "runtime/config/config.h"
#include "runtime/core/events.h"
#include "runtime/tasks/cancel.h"
#include "runtime/tasks/constraint.h"
#include "runtime/tasks/destination.h"
#include "runtime/stealing/publish.h"
#include "runtime/tasks/task_detach.h"
#include "runtime/wait/fiber.h"
#include "runtime/tasks/task_graph.h"
#include "runtime/tasks/taskgroup.h"

namespace chomp {
namespace {

// The most urgent task comes first, although this worker has taken another (OpenMP 5.2, 12.4). That goes back into a
// queue: the urgent one may need it, and only another thread could run it then.
Task* most_urgent(Worker* worker, Member* member, Task* task) {
  PriorityQueue& priorities = *member->urgent;
  if (priorities.highest() <= task_priority(task) || member->team->serial()) return task;
  Constraint constraint = constraint_now(worker, member, nullptr);
  Task* urgent = priorities.take(eligible_under(worker, constraint), task_priority(task));
  if (urgent == nullptr) return task;
  take_over(worker, urgent);
  send(worker, member->team, task, Cause::kGivenBack);
  publish_if_requested(member);
  return urgent;
}

bool has_begun(const Task* task) { return task->is(kHasExtra) && task->extra->has_begun; }

bool is_discarded(const Member* member, Task* task) {
  return config.cancellation && !has_begun(task) && task_is_cancelled(task, member->team);
}

// Finishes a task that has not run (OpenMP 5.2, 11.5).
void discard(Worker* worker, Member* member, Task* task) {
  if (task->is(kObserved)) {
    if (task->is(kDetachable)) detach_stays_behind(task); // from here on nobody reports an early fulfilment
    event_task_discarded(worker, task);
  }
  if (task->is(kDetachable)) detach_discard(worker, task);
  finish_task(worker, member, task);
}

} // namespace

void leave_deque(Worker* worker, Member* member, Task* task, Leaving why, uint64_t floor) {
  PrivateDeque& deque = member->deque;
  Leftovers fate = Leftovers::kStay;
  if (deque.holds_above(floor))
    fate = leftovers_of({.exported = task->is(kExported),
                         .hangs_below = hangs_below(member, task),
                         .grouped = task->taskgroup != nullptr,
                         .replayed = task->is(kHasExtra) && is_replayed(task)},
                        why);
  if (fate == Leftovers::kCounted) member_count_leftovers(member);
  if (fate == Leftovers::kPublished)
    while (Task* left = deque.pop_above(floor)) send(worker, member->team, left, Cause::kLeft);
  if (fate == Leftovers::kRun)
    while (Task* left = deque.pop_above(floor)) {
      publish_if_requested(member);
      run_task(worker, member, left);
    }
  deque.note_left_in_order();
}

void finish_above(Worker* worker, Member* member, Task* task, Task* below, uint64_t floor) {
  if (task->is(kHasExtra)) {
    if (is_replayed(task) && graph_finish_quick(worker, member, task, below, floor)) return;
    if (CHOMP_UNLIKELY(task->is(kPool)) && worker->tasks.target.is_of(task) &&
        worker->tasks.target.goes_on(worker, member, task, below, floor))
      return;
    while (CHOMP_UNLIKELY(task->is(kDetachable)) && runs_again(worker, task)) run_body(worker, task);
  }
  if (task->is(kObserved)) end_observed(worker, task);
  if (task->is(kExported))
    leave_deque(worker, member, task, may_end_elsewhere(task) ? Leaving::kEndsElsewhere : Leaving::kEnds);
  end_task(worker, member, below, floor);
  finish_task_slow_flags(worker, member, task);
}

void run_rest(Worker* worker, Member* member, Task* task, Task* below, uint64_t floor) {
  while (untied_task_goes_on(task)) {
    if (worker->tasks.yielded == task && gives_way(worker, task)) return give_way(worker, member, task, below, floor);
    task->payload()->routine(worker->gtid, task->payload());
  }
  if (task->is(kSlowAtFinish)) return finish_above(worker, member, task, below, floor);
  end_task(worker, member, below, floor);
  finish_task_quick(worker, task);
}

static KeptByWorker kept_by(const Worker* worker, const Task* task) {
  return {.awaited = worker->tasks.construct_of(task) != nullptr || task->is(kFinal | kUncounted) || runs_at_once(task),
          .children = has_children(task),
          .group = task->taskgroup != nullptr && task->taskgroup->owner == task,
          .settings = task->is(kOwnIcvs),
          .region =
              task->is(kRecords) || (task->is(kHasExtra) && is_replayed(task)) || graph_region_is_open(worker, task)};
}

bool gives_way(Worker* worker, Task* task) {
  constexpr int32_t kFirst = 1; // ends before the program's code begins: another task has yielded, in this one's memory
  bool has_yielded = task->payload()->part_id > kFirst;
  worker->tasks.yielded = nullptr;
  return has_yielded && may_move(kept_by(worker, task));
}

void give_way(Worker* worker, Member* member, Task* task, Task* below, uint64_t floor) {
  if (task->is(kObserved)) event_task_stops(worker, task);
  leave_deque(worker, member, task, Leaving::kYields);
  end_task(worker, member, below, floor);
  task_extra(task)->has_begun = true;
  send(worker, member->team, task, Cause::kNextPart);
}

void begin_observed(Worker* worker, Task* task) {
  has_begun(task) ? event_task_goes_on(worker, task) : event_task_begin(worker, task);
}

void end_observed(Worker* worker, Task* task) {
  if (task->is(kDetachable)) observed(task)->stays_detached = detach_stays_behind(task);
  event_task_end(worker, task);
}

void run_part_in_frame(Worker* worker, Task* task) {
  if (task->is(kObserved)) {
    ToolFrame& frame = observed(task)->tool.frame;
    frame = ToolFrame();
    frame.exit = __builtin_frame_address(0);
  }
  task->payload()->routine(worker->gtid, task->payload());
  asm volatile(""); // makes the call no jump: the frame is there while the body runs
}

void run_body_in_frame(Worker* worker, Task* task) {
  do run_part_in_frame(worker, task);
  while (untied_task_goes_on(task));
}

void run_task_noted(Worker* worker, Member* member, Task* task) {
  Task* below = worker->current;
  NestedOnFiber nested(worker, task);
  task->prev = reinterpret_cast<QueueHook*>(member->deque.floor());
  begin_task(worker, member, task, below, member->deque.top());
  auto floor = [task] { return reinterpret_cast<uint64_t>(task->prev); };
  do {
    run_part_in_frame(worker, task);
    if (!untied_task_goes_on(task)) return finish_above(worker, member, task, below, floor());
  } while (worker->tasks.yielded != task || !gives_way(worker, task));
  give_way(worker, member, task, below, floor());
}

void run_task_slow(Worker* worker, Member* member, Task* task) {
  if (config.max_task_priority > 0) task = most_urgent(worker, member, task);
  if (!tasks_may_stop()) return run_undeferred_slow(worker, member, task);
  cpu_number_may_change();
  bool& others_turn = worker->tasks.fibers.others_turn; // those that go on and those that begin take turns
  if ((others_turn = !others_turn) && resume_next(worker, member)) {
    send(worker, member->team, task, Cause::kGivenBack); // the caller will look for tasks again
    return publish_if_requested(member);
  }
  if (!may_stop(member, task) || is_discarded(member, task)) return run_undeferred_slow(worker, member, task);
  run_on_fiber(worker, member, task);
}

void run_undeferred_slow(Worker* worker, Member* member, Task* task) {
  if (is_discarded(member, task)) return discard(worker, member, task);
  bool observed = task->is(kObserved);
  if (observed) begin_observed(worker, task);
  if (stack_is_low(worker))
    run_task_on_segment(worker, member, task);
  else if (observed || tasks_may_stop())
    run_task_noted(worker, member, task);
  else
    run_task_here(worker, member, task, worker->current, member->deque.floor());
}

} // namespace chomp
