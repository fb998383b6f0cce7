// Detachable tasks (OpenMP 5.2, 12.5.2): such a task finishes when its body has returned and its event is fulfilled,
// whichever is last.
//
// | state         | body returns →                    | event fulfilled →                           |
// |---------------|-----------------------------------|---------------------------------------------|
// | kPending      | kBodyReturned: the runner leaves  | kFulfilled: the runner will finish the task  |
// | kFulfilled    | the runner finishes the task      | (twice: the program is wrong)                |
// | kBodyReturned | –                                 | the fulfilling thread finishes the task      |
// | kDiscarded    | –                                 | only the event is left: freed                |
//
// Both arrows are one exchange each, so exactly one side sees the other's state, finishes the task and frees the event.
// The side that reads kPending must not touch task or event any more.
//
// A task that is cancelled before it begins is finished at once (OpenMP 5.2, 11.5: discarding implies completion),
// since what would have fulfilled its event may never run. Its event becomes kDiscarded instead of kBodyReturned, and
// stays for a thread that may still hold its handle.
//
// Where the task is observed, each side announces itself first, by a compare-exchange of kPending: the runner by
// kReturning, the fulfilling thread by kFulfilling. So observers are notified in the right order, and before the task
// can be gone. The other side treats kReturning as kPending; it waits while it sees kFulfilling.
//
// A task that runs may have more to come than the event of its clause (events_increase()). So the event is fulfilled
// when nothing is owed any more:
//
//   owed = kOfClause, until omp_fulfill_event() + kOfBody, until the body has returned + 1 for each other event
//
// Model: detach.pml, OTHERS. A task without the clause becomes detachable with the first other event. Only its runner
// increases, while it owes kOfBody; whoever brings `owed` to zero fulfils. An implicit task's events count as one
// exported task of its team.
//
// A proxy task is one that something outside OpenMP completes (__kmpc_proxy_task_completed). It has an event of our
// own, made when the task is allocated.
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/core/task.h"
#include "runtime/core/worker.h"

namespace chomp {

class Fiber;

/// Of a task that others may unblock: see wait/block.h.
struct BlockState {
  enum Word : uint32_t { kNone, kUnblocked, kBlocked };
  atomic<uint32_t> word{kNone};
  // What unblock() reads of a blocked task.
  Fiber* fiber = nullptr; // null: it waits where it stands
  Worker* worker = nullptr;
  atomic<uint32_t>* waits_for = nullptr; // one
};

/// The body of a task is run again instead of ending (runs_again()).
struct RunsAgain {
  enum Mode : uint8_t { kUnblocked, kAtOnce, kAfterTime, kAfterEvents, kModes };
  Mode mode = kUnblocked;
  bool asked = false; // at its next return
  uint64_t argument = 0;
};

struct DetachEvent {
  enum State : uint32_t { kPending, kBodyReturned, kFulfilled, kDiscarded, kReturning, kFulfilling };
  static constexpr uint64_t kOfClause = uint64_t{1} << 63, kOfBody = uint64_t{1} << 62;
  static constexpr uint64_t kWaits = uint64_t{1} << 61; // the task has blocked until no other event is to come
  static constexpr uint64_t kOthers = kWaits - 1;
  atomic<uint32_t> state{kPending};
  atomic<uint64_t> owed{0};
  Task* task;
  Team* team;
  uint32_t team_forgot = 0; // Team::forgot when the event was made
  bool kept = false;        // it belongs to a task graph: its task has it again in the next replay
  bool of_clause = false;   // made for detach(event), or a proxy task
  bool implicit = false;    // it is an implicit task's, whose flags others do not read
  bool observed = false;    // the task is: its runner announces itself, so whoever fulfils the event does
  bool has_others = false;  // the runner's: it owes kOfBody
  RunsAgain again;
  BlockState block;
};

/// Made before fork(), by a team that has forgotten its task since: see teams/after_fork.cpp.
bool is_forgotten(const DetachEvent* event);

/// The event of a task that the current task is creating; made at the first call.
DetachEvent* detach_event(Worker* worker, Task* task);

/// The current task's, which may not be detachable: its handle.
DetachEvent* event_of_current(Worker* worker);
/// The end of a task that is not detachable, and has one.
void event_drop(Worker* worker, Task* task);

/// Called when the task will not run. From here on it is like any other; a thread that fulfils its event touches only
/// the event.
void detach_discard(Worker* worker, Task* task);

/// omp_fulfill_event (OpenMP 5.2, 18.11.1). Called by any thread, also one that OpenMP does not know yet.
void detach_fulfill(Worker* worker, DetachEvent* event);

/// The current task, whose event it is, does not finish before as many calls of events_decrease(). False: there are too
/// many, or the task is of a task graph.
bool events_increase(Worker* worker, DetachEvent* event, uint64_t count);
/// Has the body's return owed, whether or not others will be. False: the task is of a task graph, or implicit.
bool events_owe_body(Worker* worker, DetachEvent* event);
/// Called by any thread. False: that many were not to come.
bool events_decrease(Worker* worker, DetachEvent* event, uint64_t count);
/// Whether some are to come; exact for the task itself, and where it says no.
bool events_are_left(const DetachEvent* event);

/// __kmpc_proxy_task_completed: the same for the event that a proxy task got when it was allocated.
void proxy_task_completed(Worker* worker, Task* task);

/// Called when the body of an observed, detachable task returns, or the task will not run. Returns whether its event
/// has yet to come.
bool detach_stays_behind(Task* task);

/// Called when the body of a detachable task has returned. True if the event is already fulfilled: the caller finishes
/// the task.
bool detach_body_returned(Worker* worker, Task* task);

} // namespace chomp
