// The states of a detach event, and which side finishes the task. See task_detach.h.
#include "runtime/tasks/task_detach.h"

#include <new>

#include "runtime/base/os_linux.h"
#include "runtime/core/events.h"
#include "runtime/core/memory.h"
#include "runtime/core/team.h"
#include "runtime/dependences/task_deps.h"
#include "runtime/tasks/task_finish.h"

namespace chomp {

static void event_free(Worker* worker, DetachEvent* event) {
  if (!event->kept) object_free(worker, event, sizeof(DetachEvent));
}

static DetachEvent* make_event(Worker* worker, Task* task, TaskExtra* extra) {
  extra->event = new (object_allocate(worker, sizeof(DetachEvent))) DetachEvent;
  extra->event->task = task;
  extra->event->team = bound_team(worker->member);
  extra->event->team_forgot = extra->event->team->forgot;
  return extra->event;
}

DetachEvent* detach_event(Worker* worker, Task* task) {
  TaskExtra* extra = task_extra(task);
  if (extra->event != nullptr) return extra->event;
  dependences_track_always(worker);
  return make_event(worker, task, extra);
}

DetachEvent* event_of_current(Worker* worker) {
  Task* task = worker->current;
  TaskExtra* extra = task_extra(task);
  return extra->event != nullptr ? extra->event : make_event(worker, task, extra);
}

void event_drop(Worker* worker, Task* task) {
  event_free(worker, task->extra->event);
  task->extra->event = nullptr;
}

/// Waits while a thread that fulfils the event notifies observers, which will not take long.
static void let_fulfil(DetachEvent* event) {
  // acquire: pairs with release in fulfil_early().
  while (event->state.load(std::memory_order_acquire) == DetachEvent::kFulfilling) cpu_yield();
}

bool detach_stays_behind(Task* task) {
  DetachEvent* event = task->extra == nullptr ? nullptr : task->extra->event;
  if (event == nullptr) return false;
  uint32_t pending = DetachEvent::kPending;
  // relaxed: the exchange in detach_body_returned() orders what the sides wrote.
  if (event->state.compare_exchange_strong(pending, DetachEvent::kReturning, std::memory_order_relaxed,
                                           std::memory_order_relaxed))
    return true;
  let_fulfil(event);
  return false;
}

/// Fulfils the event of a task whose body has not returned, and notifies observers; false if it is too late for that.
/// The task cannot be gone while its event is neither fulfilled nor discarded.
CHOMP_SLOW static bool fulfil_early(Worker* worker, DetachEvent* event) {
  uint32_t pending = DetachEvent::kPending;
  // relaxed: only this thread can go on from kFulfilling.
  if (!event->state.compare_exchange_strong(pending, DetachEvent::kFulfilling, std::memory_order_relaxed,
                                            std::memory_order_relaxed))
    return false;
  if (event->task->is(kObserved)) event_task_early_fulfilled(worker, event->task);
  // release: pairs with acquire in let_fulfil() and with the runner's exchange. Then task and event may be gone.
  event->state.store(DetachEvent::kFulfilled, std::memory_order_release);
  return true;
}

bool detach_body_returned(Worker* worker, Task* task) {
  DetachEvent* event = task->extra == nullptr ? nullptr : task->extra->event;
  if (event == nullptr) return true; // nobody asked for the event, so nobody can fulfil it
  // acq_rel: pairs with the exchange in detach_fulfill(). Release: the thread that finishes the task sees what the body
  // wrote; acquire: tasks that wait for this one see what the fulfilling thread wrote before.
  if (event->state.exchange(DetachEvent::kBodyReturned, std::memory_order_acq_rel) != DetachEvent::kFulfilled)
    return false; // the task is the fulfilling thread's from here on, and may be gone
  task->extra->event = nullptr;
  event_free(worker, event);
  return true;
}

void detach_discard(Worker* worker, Task* task) {
  DetachEvent* event = task->extra == nullptr ? nullptr : task->extra->event;
  if (event == nullptr) return;
  task->extra->event = nullptr;
  // acq_rel: pairs with the exchange in detach_fulfill(); the side that comes second frees the event.
  if (event->state.exchange(DetachEvent::kDiscarded, std::memory_order_acq_rel) == DetachEvent::kFulfilled)
    event_free(worker, event);
}

void detach_fulfill(Worker* worker, DetachEvent* event) {
  // relaxed: as when regions begin.
  if (CHOMP_UNLIKELY(events_on.load(std::memory_order_relaxed)) && fulfil_early(worker, event)) return;
  Task* task = event->task; // read before the exchange: the runner may free the event right after it
  Team* team = event->team;
  if (CHOMP_UNLIKELY(event->team_forgot != team->forgot)) return; // made before fork(): see teams/after_fork.cpp
  // acq_rel: pairs with the exchanges in detach_body_returned() and detach_discard(), both ways.
  uint32_t before = event->state.exchange(DetachEvent::kFulfilled, std::memory_order_acq_rel);
  if (before == DetachEvent::kFulfilled) fatal("omp_fulfill_event: this event has been fulfilled before");
  if (before == DetachEvent::kPending || before == DetachEvent::kReturning)
    return; // the task and the event are the runner's, and may be gone
  if (before == DetachEvent::kDiscarded) return event_free(worker, event); // the task is gone
  task->extra->event = nullptr;
  event_free(worker, event);
  finish_task_outside(worker, team, task);
}

void proxy_task_completed(Worker* worker, Task* task) {
  // The task is there until this call; its event was made before anybody could complete the task.
  CHECK(task->extra != nullptr && task->extra->event != nullptr);
  detach_fulfill(worker, task->extra->event);
}

} // namespace chomp
