// The states of a detach event, and which side finishes the task. See task_detach.h.
#include "runtime/tasks/task_detach.h"

#include <new>

#include "runtime/base/backoff.h"
#include "runtime/core/events.h"
#include "runtime/core/memory.h"
#include "runtime/core/team.h"
#include "runtime/dependences/task_deps.h"
#include "runtime/tasks/task_finish.h"
#include "runtime/tasks/task_graph.h"
#include "runtime/tasks/taskgroup.h"
#include "runtime/threads/wake.h"

namespace chomp {

static void event_free(Worker* worker, DetachEvent* event) {
  if (!event->kept) object_free(worker, event, sizeof(DetachEvent));
}

static DetachEvent* make_event(Worker* worker, Task* task, TaskExtra* extra) {
  extra->event = new (object_allocate(worker, sizeof(DetachEvent))) DetachEvent;
  extra->event->task = task;
  extra->event->implicit = task->is(kImplicit);
  extra->event->observed = task->is(kObserved);
  extra->event->team = bound_team(worker->member);
  extra->event->team_forgot = extra->event->team->forgot;
  return extra->event;
}

DetachEvent* detach_event(Worker* worker, Task* task) {
  TaskExtra* extra = task_extra(task);
  if (extra->event != nullptr) return extra->event;
  dependences_track_always(worker);
  DetachEvent* event = make_event(worker, task, extra);
  event->of_clause = true;
  task->flags |= kDetachable; // Flang asks for the event, but does not say so when it makes the task
  event->owed.store(DetachEvent::kOfClause, std::memory_order_relaxed); // relaxed: nobody else knows the event yet
  return event;
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

/// Waits while a thread that fulfils the event notifies observers, which will not take long. It may be a light thread
/// of this kernel thread.
static void let_fulfil(DetachEvent* event) {
  // acquire: pairs with release in fulfil_early().
  for (Backoff backoff; event->state.load(std::memory_order_acquire) == DetachEvent::kFulfilling;) backoff.pause();
}

/// The body has returned. Called by the runner, which alone writes has_others.
static void body_owes_no_more(DetachEvent* event) {
  if (!event->has_others) return;
  event->has_others = false;
  // acq_rel: pairs with itself and with those of the others: whoever comes last sees what all wrote.
  if (event->owed.fetch_sub(DetachEvent::kOfBody, std::memory_order_acq_rel) == DetachEvent::kOfBody)
    event->state.store(DetachEvent::kFulfilled, std::memory_order_relaxed); // relaxed: all others have come
}

bool detach_stays_behind(Task* task) {
  DetachEvent* event = task->extra == nullptr ? nullptr : task->extra->event;
  if (event == nullptr) return false;
  body_owes_no_more(event);
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
  event_task_early_fulfilled(worker, event->task);
  // release: pairs with acquire in let_fulfil() and with the runner's exchange. Then task and event may be gone.
  event->state.store(DetachEvent::kFulfilled, std::memory_order_release);
  return true;
}

bool detach_body_returned(Worker* worker, Task* task) {
  DetachEvent* event = task->extra == nullptr ? nullptr : task->extra->event;
  if (event == nullptr) return true; // nobody asked for the event, so nobody can fulfil it
  body_owes_no_more(event);
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

// Nothing is owed any more.
static void fulfil(Worker* worker, DetachEvent* event) {
  if (CHOMP_UNLIKELY(event->observed) && fulfil_early(worker, event)) return;
  Task* task = event->task; // read before the exchange: the runner may free the event right after it
  Team* team = event->team;
  // acq_rel: pairs with the exchanges in detach_body_returned() and detach_discard(), both ways.
  uint32_t before = event->state.exchange(DetachEvent::kFulfilled, std::memory_order_acq_rel);
  if (before == DetachEvent::kPending || before == DetachEvent::kReturning)
    return; // the task and the event are the runner's, and may be gone
  if (before == DetachEvent::kDiscarded) return event_free(worker, event); // the task is gone
  task->extra->event = nullptr;
  event_free(worker, event);
  finish_task_outside(worker, team, task);
}

bool is_forgotten(const DetachEvent* event) { return event->team_forgot != event->team->forgot; }

void detach_fulfill(Worker* worker, DetachEvent* event) {
  if (CHOMP_UNLIKELY(is_forgotten(event))) return;
  // acq_rel: pairs with itself, as in body_owes_no_more().
  uint64_t owed = event->owed.fetch_sub(DetachEvent::kOfClause, std::memory_order_acq_rel);
  if ((owed & DetachEvent::kOfClause) == 0) fatal("omp_fulfill_event: this event has been fulfilled before");
  if (owed == DetachEvent::kOfClause) fulfil(worker, event);
}

/// The current task may be unfinished when its body has returned, however it was made. What counts with its end by then
/// is entered here, and only here: its parent, its group, its team, its siblings. (A task with a detach clause is known
/// to be one when it is made.)
static void outlive_construct(Worker* worker, Task* task) {
  if (task->is(kUncounted)) { // an undeferred task
    task->flags &= ~kUncounted;
    Task* parent = task->parent.load(std::memory_order_relaxed); // relaxed: it waits below, on this stack
    ++parent->local_children;
  }
  task_count_begun_exported(worker->member, task);
  dependences_enter_late(worker, task);
}

bool events_owe_body(Worker* worker, DetachEvent* event) {
  Task* task = worker->current;
  if (event->has_others) return true;
  if (is_of_graph(task) || task->is(kImplicit)) return false;
  event->has_others = true;
  outlive_construct(worker, task);
  // relaxed: the handle is released to others later.
  uint64_t owed = event->owed.fetch_add(DetachEvent::kOfBody, std::memory_order_relaxed);
  if (event->of_clause && (owed & DetachEvent::kOfClause) == 0) {
    // Somebody has fulfilled the clause's event, or is about to: acquire pairs with release in fulfil().
    for (Backoff backoff; event->state.load(std::memory_order_acquire) != DetachEvent::kFulfilled;) backoff.pause();
    event->state.store(DetachEvent::kPending, std::memory_order_relaxed); // relaxed: that was the last one to store
  }
  task->flags |= kDetachable;
  return true;
}

// Nothing waits for the end of an initial task.
static bool delays_barriers(const DetachEvent* event) { return event->implicit && event->team->level > 0; }

bool events_increase(Worker* worker, DetachEvent* event, uint64_t count) {
  Task* task = worker->current;
  // relaxed, all: only this task increases, and the handle is released to others later.
  uint64_t others = event->owed.load(std::memory_order_relaxed) & DetachEvent::kOthers;
  if (count > DetachEvent::kOthers - others) return false;
  if (count == 0) return true;
  if (!task->is(kImplicit) && !events_owe_body(worker, event)) return false;
  others = event->owed.fetch_add(count, std::memory_order_relaxed) & DetachEvent::kOthers;
  if (delays_barriers(event) && others == 0) member_count_exported(worker->member, 1); // it has not arrived at one
  return true;
}

bool events_decrease(Worker* worker, DetachEvent* event, uint64_t count) {
  if (is_forgotten(event) || count == 0) return true;
  Team* team = event->team;
  bool implicit = event->implicit, delays = delays_barriers(event);
  uint64_t owed = event->owed.load(std::memory_order_relaxed); // relaxed: the exchange decides
  do {
    if ((owed & DetachEvent::kOthers) < count) return false;
    // acq_rel: pairs with itself, as in body_owes_no_more().
  } while (
      !event->owed.compare_exchange_weak(owed, owed - count, std::memory_order_acq_rel, std::memory_order_relaxed));
  owed -= count;
  if ((owed & DetachEvent::kOthers) != 0) return true;
  if ((owed & DetachEvent::kWaits) != 0) {
    Worker* worker_of_task = event->block.worker;
    event->owed.fetch_and(~DetachEvent::kWaits, std::memory_order_relaxed); // relaxed: the task waits for the word
    event->block.waits_for->store(1, std::memory_order_release); // release: pairs with acquire in wait_is_over()
    worker_wake(worker_of_task);
  } else if (implicit) {
    if (delays) task_count_completed(worker, team);
  } else if (owed == 0) {
    fulfil(worker, event);
  }
  return true;
}

bool events_are_left(const DetachEvent* event) {
  // acquire: pairs with events_decrease(): a task that sees none left sees what was written before.
  return (event->owed.load(std::memory_order_acquire) & DetachEvent::kOthers) != 0;
}

void proxy_task_completed(Worker* worker, Task* task) {
  // The task is there until this call; its event was made before anybody could complete the task.
  CHECK(task->extra != nullptr && task->extra->event != nullptr);
  detach_fulfill(worker, task->extra->event);
}

} // namespace chomp
