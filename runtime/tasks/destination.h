// Where a task goes that may run from now on, unless its creator runs it (run_or_share.h). destination_of() decides it,
// from what the task is and from why it may run now; send() takes it there. Nothing else decides it: the hot paths,
// which push to the private deque at once (task_spawn_inline(), task_make_ready_here()), do so for tasks of which their
// flags say that they go there.
//
// Invariant: a task that may run, or an untied one that may go on, is in exactly one of these places, or in the hands
// of a worker that is about to run or send it.
#pragma once

#include <cstdint>

namespace chomp {

struct Member;
struct Task;
struct Team;
struct Worker;

/// Why a task may run now.
enum class Cause : uint8_t {
  kMade,      // by its creator, and it waits for nothing
  kReleased,  // what it waited for has ended here, and the task may run on top of what this worker runs now
  kEvent,     // what it waited for has ended in the middle of a task, or in a thread outside the team
  kGivenBack, // a member had taken it, and runs a more urgent one instead
  kTooEarly,  // a member had taken it, and has not been notified of the region that it belongs to
  kNextPart,  // a part of an untied task has returned to a task that yields (taskyield)
  kLeft,      // its creator has left this stack (leave_deque())
};

enum class Destination : uint8_t {
  kAgents,       // the team's inbox, from which free agents take too
  kByPriority,   // its chip's list of priorities
  kInbox,        // the team's inbox
  kDealt,        // a queue that the scheduler chooses
  kNearItsData,  // the scheduler's queue of another domain
  kOwnDeque,     // the worker's private deque, on top
  kBelowCurrent, // the same, but the current task does not run it while it waits
  kPublic,       // the scheduler
};

/// What the destination depends on.
struct ReadyTask {
  bool for_agents = false;       // threadset(omp_pool), and agents may have it
  bool urgent = false;           // of positive priority
  bool foreign = false;          // the worker is no member of the task's team, or the team is one thread
  bool deals = false;            // no task of the team waits in private deques
  bool may_wait_below = false;   // it is transparent, and may wait for a task on this worker's stack
  Member* near_data = nullptr;   // of another domain, where the task's data is
  bool child_of_current = false; // of the worker's current task
  bool fits_below = false;       // it may run on top of the task below the current one
};

constexpr Destination destination_of(const ReadyTask& task, Cause cause) {
  if (task.for_agents) return Destination::kAgents; // whatever its priority: agents look into no other list
  if (task.urgent) return Destination::kByPriority;
  if (task.foreign) return Destination::kInbox;
  if (cause == Cause::kTooEarly || cause == Cause::kNextPart || cause == Cause::kLeft) return Destination::kPublic;
  if (task.deals) return Destination::kDealt;
  bool was_waiting = cause == Cause::kReleased || cause == Cause::kEvent;
  if (was_waiting && task.may_wait_below) return Destination::kPublic; // whoever takes it asks
  if (cause != Cause::kGivenBack && task.near_data != nullptr) return Destination::kNearItsData;
  if (cause != Cause::kEvent || task.child_of_current) return Destination::kOwnDeque;
  return task.fits_below ? Destination::kBelowCurrent : Destination::kPublic;
}

/// Why a task leaves the deque of its worker. Above its floor there may lie tasks that it, or what ran on top of it,
/// has made.
enum class Leaving : uint8_t {
  kEnds,          // its body has returned
  kEndsElsewhere, // the same, but another thread may finish it, and count it so
  kYields,        // it is untied: its next part goes to a queue
  kStops,         // it goes on here, on top of others (wait/fiber.h); or it has done so, and ends now
};

/// What becomes of them: until they have finished, whoever waits for the task, or for what it made, has to wait.
enum class Leftovers : uint8_t {
  kStay,      // whatever stands for the task, or for the task below, stands for them
  kCounted,   // they stay, and one more exported task stands for them
  kRun,       // here, before the task counts as finished
  kPublished, // each is exported
};

struct LeavingTask {
  bool exported = false;
  bool hangs_below = false; // its parent lies below it on the stack, and leaves this deque later
  bool grouped = false;     // a taskgroup counts it
  bool replayed = false;    // nothing counts it at its member (graphs/README.md)
};

constexpr Leftovers leftovers_of(const LeavingTask& task, Leaving why) {
  if (why == Leaving::kStops) return Leftovers::kPublished;        // the next task below may be any other
  if (!task.exported || task.hangs_below) return Leftovers::kStay; // the task below stands for them
  if (why == Leaving::kYields) return Leftovers::kPublished;       // none may wait on top of it for its next part
  if (task.grouped) return Leftovers::kRun;                        // a group counts exported tasks only
  return why == Leaving::kEnds && !task.replayed ? Leftovers::kStay : Leftovers::kCounted;
}

/// What a worker keeps for a task that it runs. All else goes with the task.
struct KeptByWorker {
  bool awaited = false;  // its creator waits below: it is undeferred, included, or called by the construct
  bool children = false; // are counted where it runs (Task::local_children), and found there by their ends
  bool group = false;    // that it has begun: the floor is one of this deque
  bool settings = false; // of its own (OwnIcvs)
  bool region = false;   // of a task graph (GraphsState::regions), or it is part of a record or of a replay
};

/// Whether an untied task that has yielded may go on on another worker. A task that is tied, or in the middle of a
/// part, never changes worker.
constexpr bool may_move(const KeptByWorker& kept) {
  return !kept.awaited && !kept.children && !kept.group && !kept.settings && !kept.region;
}

/// What destination_of() has to know of a counted task of `team`.
ReadyTask ready_task(const Worker* worker, Team* team, Task* task, Cause cause);

/// Takes a counted task that is in no queue to its destination. If that is the private deque, the caller looks for
/// requests next.
void send(Worker* worker, Team* team, Task* task, Cause cause);
/// The same for a new task of the current one, and it looks for requests itself. Where its place is full, the task goes
/// to the next best one. False: there is no room, so its creator runs it.
bool send_new(Worker* worker, Member* member, Task* task);

} // namespace chomp
