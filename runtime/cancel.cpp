// Cancellation (OpenMP 5.2, chapter 16): a request for a parallel region, loop or sections is one word of the team, one
// for a taskgroup is one word of the group.
//
// A cancellation barrier must give all its members the same answer, although one of them may have passed it, gone on
// and requested a cancellation before another one looks. So the team's word holds, beside the kind, the number of
// cancellation barriers that the requester had passed: who passes barrier number n counts requests of numbers up to n
// only, and those were made before their requester arrived at it.
//
//   Team::cancelled = 0, or kind | barriers passed by the requester << kBarrierShift
#include "runtime/cancel.h"

#include "runtime/config.h"
#include "runtime/task.h"
#include "runtime/task_engine.h"
#include "runtime/team.h"
#include "runtime/worker.h"

namespace chomp {

namespace {

constexpr unsigned kBarrierShift = 3;
constexpr uint32_t kKindMask = (1u << kBarrierShift) - 1;

CancelKind kind_in(uint32_t word) { return static_cast<CancelKind>(word & kKindMask); }

bool request_in_team(Member* member, CancelKind kind) {
  uint32_t request = static_cast<uint32_t>(kind) | member->worksharing.cancel_barriers << kBarrierShift;
  uint32_t found = 0;
  // relaxed: the word carries no data; barriers order what members wrote before.
  if (member->team->cancelled.compare_exchange_strong(found, request, std::memory_order_relaxed)) return true;
  return kind_in(found) == kind;
}

} // namespace

bool cancel_request(Worker* worker, CancelKind kind) {
  if (!config.cancellation) return false;
  if (kind != CancelKind::kTaskgroup) return request_in_team(worker->member, kind);
  Taskgroup* group = worker->current->taskgroup;
  if (group == nullptr) return false;
  group->cancelled.store(1, std::memory_order_relaxed); // relaxed: as in request_in_team(); a task may miss it and run
  return true;
}

bool cancel_requested(const Worker* worker, CancelKind kind) {
  if (!config.cancellation) return false;
  // relaxed, both: as in cancel_request().
  if (kind != CancelKind::kTaskgroup)
    return kind_in(worker->member->team->cancelled.load(std::memory_order_relaxed)) == kind;
  const Taskgroup* group = worker->current->taskgroup;
  return group != nullptr && group->cancelled.load(std::memory_order_relaxed) != 0;
}

bool cancel_barrier(Worker* worker) {
  Member* member = worker->member;
  barrier_wait(worker);
  if (!config.cancellation) return false;
  uint32_t own = member->worksharing.cancel_barriers++;
  // relaxed: requests that count were made before the barrier, which orders them.
  uint32_t word = member->team->cancelled.load(std::memory_order_relaxed);
  if (word == 0 || word >> kBarrierShift > own) return false;
  // The region's request stays until the next region begins, so that its tasks are discarded at the join.
  if (kind_in(word) == CancelKind::kParallel) return true;
  barrier_wait(worker);                                                              // everybody has looked
  if (member->tid == 0) member->team->cancelled.store(0, std::memory_order_relaxed); // relaxed: between two barriers
  barrier_wait(worker);
  return true;
}

bool task_is_cancelled(const Task* task, const Team* team) {
  if (!config.cancellation) return false;
  // relaxed, both: a task that starts although a request is on its way is allowed.
  if (kind_in(team->cancelled.load(std::memory_order_relaxed)) == CancelKind::kParallel) return true;
  for (const Taskgroup* group = task->taskgroup; group != nullptr; group = group->parent)
    if (group->cancelled.load(std::memory_order_relaxed) != 0) return true;
  return false;
}

void cancel_begin_region(Team* team) {
  team->cancelled.store(0, std::memory_order_relaxed); // relaxed: no member runs; the order to start publishes it
}

} // namespace chomp
