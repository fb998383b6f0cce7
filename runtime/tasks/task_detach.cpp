// The states of a detach event, and which side finishes the task. See task_detach.h.
#include "runtime/tasks/task_detach.h"

#include <new>

#include "runtime/core/memory.h"
#include "runtime/core/team.h"
#include "runtime/dependences/task_deps.h"
#include "runtime/tasks/task_finish.h"

namespace chomp {

DetachEvent* detach_event(Worker* worker, Task* task) {
  TaskExtra* extra = task_extra(task);
  if (extra->event == nullptr) {
    extra->event = new (object_allocate(worker, sizeof(DetachEvent))) DetachEvent;
    extra->event->task = task;
    extra->event->team = worker->member->team;
    dependences_track_always(worker);
  }
  return extra->event;
}

bool detach_body_returned(Worker* worker, Task* task) {
  DetachEvent* event = task->extra == nullptr ? nullptr : task->extra->event;
  if (event == nullptr) return true; // nobody asked for the event, so nobody can fulfil it
  // acq_rel: pairs with the exchange in detach_fulfill(). Release: the thread that finishes the task sees what the body
  // wrote; acquire: tasks that wait for this one see what the fulfilling thread wrote before.
  if (event->state.exchange(DetachEvent::kBodyReturned, std::memory_order_acq_rel) != DetachEvent::kFulfilled)
    return false; // the task is the fulfilling thread's from here on, and may be gone
  task->extra->event = nullptr;
  object_free(worker, event, sizeof(DetachEvent));
  return true;
}

void detach_discard(Worker* worker, Task* task) {
  DetachEvent* event = task->extra == nullptr ? nullptr : task->extra->event;
  if (event == nullptr) return;
  task->extra->event = nullptr;
  // acq_rel: pairs with the exchange in detach_fulfill(); the side that comes second frees the event.
  if (event->state.exchange(DetachEvent::kDiscarded, std::memory_order_acq_rel) == DetachEvent::kFulfilled)
    object_free(worker, event, sizeof(DetachEvent));
}

void detach_fulfill(Worker* worker, DetachEvent* event) {
  Task* task = event->task; // read before the exchange: the runner may free the event right after it
  Team* team = event->team;
  // acq_rel: pairs with the exchanges in detach_body_returned() and detach_discard(), both ways.
  uint32_t before = event->state.exchange(DetachEvent::kFulfilled, std::memory_order_acq_rel);
  if (before == DetachEvent::kFulfilled) fatal("omp_fulfill_event: this event has been fulfilled before");
  if (before == DetachEvent::kPending) return; // the task and the event are the runner's, and may be gone
  if (before == DetachEvent::kDiscarded) return object_free(worker, event, sizeof(DetachEvent)); // the task is gone
  task->extra->event = nullptr;
  object_free(worker, event, sizeof(DetachEvent));
  finish_task_outside(worker, team, task);
}

void proxy_task_completed(Worker* worker, Task* task) {
  // The task is there until we say so; its event was made before anybody could complete it.
  CHECK(task->extra != nullptr && task->extra->event != nullptr);
  detach_fulfill(worker, task->extra->event);
}

} // namespace chomp
