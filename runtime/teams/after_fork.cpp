// What the teams of the calling thread are in the child of fork(), where no other thread exists.
//
// A region of several threads can only be left by leaving the process. A sequential part, or a region of one thread,
// goes on. If other threads may have had tasks of such a team, half done or half counted, it forgets all its tasks but
// those on the thread's stack, also those that have left it for a while. The forgotten tasks are the parent's, where
// the other threads end them. The child waits for none of them and runs none, and to fulfil an event of theirs, or to
// unblock one, has no effect.
#include "runtime/base/atomic.h"
#include "runtime/core/icv.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/dependences/dependence_node.h"
#include "runtime/tasks/task_detach.h"
#include "runtime/tasks/taskgroup.h"
#include "runtime/teams/barrier.h"
#include "runtime/teams/team_cache.h"
#include "runtime/wait/fiber.h"
#include "runtime/wait/light_thread.h"

namespace chomp {
namespace {

// A thread may have been about to list the team, or may have walked over it.
void reset_inbox(TeamInbox& inbox) {
  inbox.lock.reset_after_fork();
  inbox.listed = false;
}

// Others may have been in the middle of a change of these lists.
void forget_queues(Team* team) {
  team->inbox.tasks = team->inbox.targets = TaskBatch{};
  team->inbox.count.store(0, std::memory_order_relaxed); // relaxed, both: one thread exists
  team->inbox.pool_tasks.store(0, std::memory_order_relaxed);
  for (int32_t domain = 0; domain < team->shape.domain_count; ++domain)
    team->domain_lines[domain].urgent.forget_after_fork();
}

// Frees the locks that others may have had. No agent exists here but the calling thread, if it is one.
void reset_team(Team* team, bool is_agent, bool helps) {
  team->icvs.lock.reset_after_fork();
  for (int32_t domain = 0; domain < team->shape.domain_count; ++domain)
    team->domain_lines[domain].urgent.reset_after_fork();
  TeamInbox& inbox = team->inbox;
  reset_inbox(inbox);
  inbox.agents = is_agent && !helps ? 1 : 0;
  inbox.helpers = is_agent && helps ? 1 : 0;
  atomic<int64_t>& threads = team->group->group_threads;
  int64_t now = threads.load(std::memory_order_relaxed); // relaxed, both: one thread exists
  bool counted = is_agent && !helps && now >= Team::kOneAgent;
  threads.store(now % Team::kOneAgent + (counted ? Team::kOneAgent : 0), std::memory_order_relaxed);
}

// Other members may have been in the scheduler's queues. The tasks there are the parent's. No task is dealt to a member
// that does not exist.
void renew_scheduler(Member* member) {
  member->deals = false;
  team_make_scheduler_state(member->team);
  // relaxed: one thread exists.
  member->requests.store(member->team->scheduler_state->request_word(member->domain), std::memory_order_relaxed);
}

// The group that the task was in when it was made.
const Taskgroup* outer_group(const Task* task) {
  const Taskgroup* group = task->taskgroup;
  while (group != nullptr && group->owner == task) group = group->parent;
  return group;
}

// Gives `task`, and the groups that it has begun, the counts that the tasks above it on the stack, up to `top`, make.
// It forgets what else it knows of tasks that others may have.
void count_from_stack(Team* team, Task* task, const Task* top) {
  uint32_t children = 0;
  // relaxed, all: one thread exists.
  for (const Task* each = top; each != task; each = each->below())
    if (each->parent.load(std::memory_order_relaxed) == task && !each->is(kUncounted | kImplicit)) ++children;
  task->local_children = children;
  task->shared_children.store(0, std::memory_order_relaxed);
  for (Taskgroup* group = task->taskgroup; group != nullptr && group->owner == task; group = group->parent) {
    int64_t pending = 0;
    for (const Task* each = top; each != task; each = each->below())
      if (each->is(kExported) && outer_group(each) == group) pending += Taskgroup::kOneTask;
    group->pending.store(pending, std::memory_order_relaxed);
  }
  if (task->extra == nullptr) return;
  task->extra->table = nullptr;                         // nodes of tasks that do not end here
  if (DependenceNode* node = task->extra->dependence) { // nor does it release any
    node->successors.store(DependenceNode::kForgotten, std::memory_order_relaxed);
    node->claim = nullptr;
  }
  if (task->extra->event != nullptr) task->extra->event->team_forgot = team->forgot; // its own event still counts
}

// `top` is the team's topmost task on the stack, and the implicit task of the team's only member its lowest one.
void forget_tasks(Member* member, Task* top) {
  Team* team = member->team;
  uint64_t exported = 0;
  ++team->forgot;
  for (Task* task = top;; task = task->below()) {
    if (task->is(kExported)) ++exported;
    count_from_stack(team, task, top);
    if (task == &member->implicit_task) break;
  }
  member->counts.forget_after_fork(exported);
  team->counts.forget_after_fork(member->domain);
  member->deque.forget_after_fork();
  forget_queues(team);
  fibers_forget(member->worker, member);
  team->inbox.most_agents = 0;
}

bool has_unfinished(Member* member) {
  member_complete_pending(member);
  return !team_tasks_finished(member->team);
}

} // namespace

bool team_reset_after_fork(Worker* worker) {
  light_reset_after_fork(worker);
  for (Member* each = worker->member; each != nullptr;) { // cached serial teams below the current one
    each->hot_child = nullptr;
    reset_inbox(each->team->inbox);
    each = each->serial_child != nullptr ? &each->serial_child->members[0] : nullptr;
  }
  bool unfinished = false;
  Task* top = worker->current;
  for (Member* member = worker->member; member != nullptr; member = member->team->parent_member) {
    Team* team = member->team;
    member->hot_child = nullptr; // its threads do not exist here; the memory stays behind
    member->deque.reset_after_fork();
    if (team->served != nullptr) {
      reset_team(team->served, true, team->helps);
      forget_queues(team->served);
      return false; // the agent has no part in what is around it
    }
    reset_team(team, false, false);
    if (!team->serial()) renew_scheduler(member);
    unfinished = top != nullptr && team->serial() && has_unfinished(member);
    if (top != nullptr && (!team->serial() || (unfinished && team->inbox.most_agents > 0))) {
      forget_tasks(member, top);
      unfinished = false;
    }
    if (member->tid != 0) top = nullptr; // the tasks around are on the stack of the team's primary
    if (team->parent_member == nullptr) break;
    while (top != nullptr && top != &member->implicit_task) top = top->below();
    if (top != nullptr) top = top->below();
  }
  return unfinished;
}

} // namespace chomp
