// See destination.h.
#include "runtime/tasks/destination.h"

#include "runtime/base/policy.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/stealing/publish.h"
#include "runtime/stealing/task_affinity.h"
#include "runtime/tasks/task_run.h"
#include "runtime/tasks/task_spawn.h"
#include "runtime/tasks/taskgroup.h"
#include "runtime/tasks/transparent.h"
#include "runtime/threads/free_agents.h"

namespace chomp {

// The current task has released `task` by fulfilling an event. Whether `task` may run on top of the task below the
// current one, and nothing that the current task has made lies in between.
static bool fits_below(const Worker* worker, const Member* member, const Task* task, const Task* parent) {
  const Task* current = worker->current;
  if (current->is(kImplicit) || !member->deque.may_keep_below()) return false;
  if (current->taskgroup != nullptr && current->taskgroup->owner == current) return false;
  const Task* below = current->below();
  return parent == below || (below->is(kImplicit) && task->root() == below->root());
}

ReadyTask ready_task(const Worker* worker, Team* team, Task* task, Cause cause) {
  Member* member = worker->member;
  ReadyTask ready{.for_agents = task->is(kPool),
                  .urgent = task_priority(task) > 0,
                  .foreign = member->team != team || team->serial(),
                  .deals = member->deals};
  if (ready.for_agents || ready.urgent || ready.foreign) return ready;
  ready.may_wait_below = worker->tasks.importers != 0 && is_transparent(task);
  if (task->is(kHasAffinity)) ready.near_data = affinity_target(member, task);
  if (cause != Cause::kEvent) return ready;
  const Task* parent = task->parent.load(std::memory_order_relaxed); // relaxed: a waiting task's own field
  ready.child_of_current = parent == worker->current;
  ready.fits_below = fits_below(worker, member, task, parent);
  return ready;
}

static void keep(Worker* worker, Member* member, Task* task) {
  take_over(worker, task);
  if (!member->deque.push(task)) member->deque.push_growing(task);
}

static void send_to(Worker* worker, Team* team, Task* task, Destination destination, const ReadyTask& ready) {
  Member* member = worker->member;
  switch (destination) {
  case Destination::kOwnDeque: return keep(worker, member, task);
  case Destination::kBelowCurrent: keep(worker, member, task); return member->deque.keep_newest_below();
  default: break;
  }
  task_count_exported(member, task);
  task->next = task->prev = nullptr;
  switch (destination) {
  case Destination::kAgents: task->enters_queue(); return agents_offer(bound_team(team), task);
  case Destination::kByPriority: return publish_by_priority(member, bound_team(team), task);
  case Destination::kInbox: return publish_to_inbox(bound_team(team), TaskBatch{task, task, 1});
  case Destination::kDealt: return publish_dealt_always(member, task);
  default: return publish_one(destination == Destination::kNearItsData ? ready.near_data : member, task);
  }
}

void send(Worker* worker, Team* team, Task* task, Cause cause) {
  ReadyTask ready = ready_task(worker, team, task, cause);
  Destination destination = destination_of(ready, cause);
  if (destination == Destination::kOwnDeque || destination == Destination::kBelowCurrent)
    worker->tasks.released += cause != Cause::kGivenBack;
  send_to(worker, team, task, destination, ready);
}

// Tasks with a priority, or with an affinity to data of another domain, do not wait in private deques. So they have a
// bound of their own, for the tasks in the chip's list of priorities and for a creator's unfinished children.
bool send_new(Worker* worker, Member* member, Task* task) {
  ReadyTask ready = ready_task(worker, member->team, task, Cause::kMade);
  if (ready.urgent && member->urgent->size() >= policy::kMostElsewhere) ready.urgent = false;
  if (ready.near_data != nullptr && children_of(worker->current) >= policy::kMostElsewhere) ready.near_data = nullptr;
  const Destination destination = destination_of(ready, Cause::kMade);
  if (destination == Destination::kOwnDeque) {
    const bool pushed = member->deque.push(task) || (member->deque.make_room() && member->deque.push(task));
    publish_if_requested(member);
    return pushed;
  }
  if (destination == Destination::kDealt) {
    task_count_exported(member, task); // before others can see it, so also if there is no room
    return publish_dealt(member, task);
  }
  send_to(worker, member->team, task, destination, ready);
  return true;
}

} // namespace chomp
