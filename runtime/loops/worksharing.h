// How members agree on the shared state of worksharing constructs (worksharing_state.h), and the ring of loops
// that the constructs of this folder enter and leave.
//
// Every member of a team meets the same constructs in the same order, so each counts them for itself. A construct's
// number names its shared state: loop n uses slot n % kLoopSlots of a ring. A member that runs ahead (nowait) waits
// until all members have left loop n - kLoopSlots. It runs no tasks meanwhile, since this is no task scheduling point.
//
//   numbers of loops go on from region to region: Team::first_loop
//   a member is in loop n  =>  every member's ring.left > n - kLoopSlots
//   a slot is reset for loop n  <=>  slot.serves == n + 1
//   iterations in index space: 0 … last (inclusive, so that 2^64 iterations have a representation)
#pragma once

#include "runtime/core/team.h"
#include "runtime/loops/worksharing_state.h"
#include "runtime/sync/numbered_eventcount.h"
#include "runtime/tasks/cancel.h"
#include "runtime/threads/running_threads.h"
#include "runtime/wait/fiber.h"

namespace chomp {

/// Called by the primary before a region starts, when the team's size is set and no member runs.
void worksharing_begin_region(Team* team);

/// Called by each member, the primary too, when it starts a region.
void worksharing_begin_member(Member* member);

/// Called by each member when it has met all constructs of the region, before it arrives at the region's end.
void worksharing_end_member(Member* member);

/// Takes this member's next slot of the ring; `prepared` if the slot is to be reset. Null if the region is being
/// cancelled, and a member that has left it will not come to the loop that the slot serves.
SharedLoop* loop_slot_enter(Worker* worker, bool prepared, bool ordered = false);

/// The member leaves its loop, if it holds a slot.
void loop_slot_leave(Member* member);

/// A member that waits for another one here runs no tasks. But one that has left its thread goes on, if it can: the
/// other may wait for that. Returns whether one has.
bool let_left_task_go_on(Worker* worker);
/// How long such a wait may sleep before it looks again: nobody notifies it of such a task, nor of a cancellation.
int64_t unnotified_ns(const Worker* worker);

/// Waits until has_come(), for which another member calls events.notify(number), or which a cancellation makes true.
template <typename HasCome>
void wait_for_member(Worker* worker, NumberedEventcount& events, uint64_t number, HasCome has_come) {
  auto over = [worker, has_come] { return has_come() || left_task_can_go_on(worker); };
  while (CHOMP_UNLIKELY(!has_come())) {
    events.wait(number, cpu_demand(worker->member->team, true), &worker->wait.cpu_offers, over, unnotified_ns(worker));
    let_left_task_go_on(worker);
  }
}

} // namespace chomp
