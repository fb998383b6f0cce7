// Publishing: how tasks become available to other members (through the scheduler, the team's inbox or its list of
// priorities), and how a sleeper is woken for them. Callers make, run, finish or await tasks.
#pragma once

#include "runtime/base/os_linux.h"
#include "runtime/core/team.h"

namespace chomp {

/// Moves the oldest private tasks to the scheduler if it wants some. Owner only.
CHOMP_SLOW void publish_oldest(Member* member);

/// The look at the request word that the hot path takes after a push, and after a pop before it runs the task.
inline bool somebody_requests(const Member* member) {
  // The light side, pairs with Idler::fence_before_sleep(): what was pushed comes before the look.
  signal_fence(std::memory_order_seq_cst);
  // relaxed: a requesting worker executes the heavy side of the fence before it parks; until then a late look costs
  // time only.
  return member->requests.load(std::memory_order_relaxed)->load(std::memory_order_relaxed) != 0;
}

/// Whether a member of the chip requests.
inline bool somebody_requests_here(const Member* member) {
  uint32_t word = member->requests.load(std::memory_order_relaxed)->load(std::memory_order_relaxed); // relaxed: a hint
  return (member->team->tells_chips_apart ? word & ~kRequestedElsewhere : word) != 0;
}

/// Whether other chips request tasks of this one, and are to be answered.
inline bool other_chips_ask(const Member* member) {
  const Team* team = member->team;
  if (!team->tells_chips_apart) return false;
  // relaxed: a hint.
  uint32_t word = team->scheduler_state->request_word(member->domain)->load(std::memory_order_relaxed);
  return (word & kRequestedElsewhere) != 0 && team->far.wants_answer();
}

/// Whether somebody is to be answered, for a creator that would rather run its tasks itself.
inline bool somebody_asks(const Member* member) {
  return somebody_requests(member) && (member->worth->wants_answer() || other_chips_ask(member));
}

inline void publish_if_requested(Member* member) {
  if (CHOMP_UNLIKELY(somebody_requests(member))) publish_oldest(member);
}

/// Whether the loop that ran a child of `parent` on top of `below` pops next what that has released: the deque's only
/// task. So a chain of tasks stays where it is. `below` is their parent; or it is implicit, and steals are worth it:
/// else they go back to their creator, if it asks. Callers that may run nothing more look once more themselves.
inline bool pops_next(const Member* member, const Task* below, const Task* parent) {
  return member->deque.size() <= 1 && (below == parent || (below->is(kImplicit) && member->worth->pays()));
}

/// The look before a task that was popped above `floor`; `top` is the deque's top now. The last task has none: its
/// siblings are gone, and after the push of that task the owner looked for what lies further down. So a task that is
/// made and waited for alone costs one look, not two.
inline void publish_unless_last(Member* member, uint64_t floor, uint64_t top) {
  if (top != floor) publish_if_requested(member);
}

/// Asks another member to publish some tasks: at its next look, and only there, it sees somebody requesting. The
/// request may get lost: it is about speed only.
void request_tasks(Member* owner);

/// Whether requesters need more tasks than are public already. Asked when somebody_requests().
bool publish_wanted(Member* member);

/// Hands tasks that are in no queue to the scheduler and wakes a sleeper. Members only.
void publish_batch(Member* member, TaskBatch batch);

void publish_one(Member* member, Task* task);

/// Where the team's scheduler deals tasks (Member::deals): hands it a counted task that is in no queue, and wakes the
/// owner of the queue that it chose. False: there is no room.
bool publish_dealt(Member* member, Task* task);
/// The same, but if there is no room the task is published to all.
void publish_dealt_always(Member* member, Task* task);

/// Whether a task waits anywhere but in private deques; exact after a heavy fence.
bool anything_published(const Team* team);

/// publish_batch() for threads outside the team: the tasks go to the team's inbox.
void publish_to_inbox(Team* team, TaskBatch batch);
/// Takes the oldest task of the inbox that `eligible` allows; null if there is none.
Task* inbox_take(Team* team, const Eligible& eligible);

/// Publishes a task with a positive priority to the list of `team`. `member` is the caller's, perhaps of another team.
void publish_by_priority(Member* member, Team* team, Task* task);

} // namespace chomp
