// The one loop that waits for everything. See work_loop.h.
#include "runtime/work_loop.h"

#include "runtime/base/os_linux.h"
#include "runtime/constraint.h"
#include "runtime/idle.h"
#include "runtime/publish.h"
#include "runtime/task_run.h"
#include "runtime/team.h"

namespace chomp {
namespace {

// The deque's tasks below the mark belong to the tasks suspended below this one.
Task* pop_below_mark(Member* member, const Eligible& eligible) {
  Task* task = member->deque.pop_above(0);
  if (task == nullptr || eligible.may_run(eligible.context, task)) return task;
  member->deque.push_back(task);
  publish_if_hungry(member);
  return nullptr;
}

__attribute__((noinline)) int32_t wait_for_children_slow(Worker* worker, Member* member, Task* task) {
  Wait wait{WaitFor::kChildren};
  wait.task = task;
  work_loop(worker, member, wait);
  forget_counts(task);
  return current_not_queued();
}

// The implicit task waits, in a barrier: no task is suspended below.
bool at_bottom(const Wait& wait) {
  return wait.what == WaitFor::kTeamTasks || wait.what == WaitFor::kBarrier || wait.what == WaitFor::kJoin ||
         wait.what == WaitFor::kGo;
}

} // namespace

bool tasks_possible(const Wait& wait, const Member* member) {
  if (wait.what != WaitFor::kGo) return true;
  // relaxed: once completed, no task exists until the next order to start.
  return member->took_part && member->team->completed.load(std::memory_order_relaxed) != member->barrier_epoch;
}

void help_barrier(Member* member, const Wait& wait) {
  if (at_bottom(wait)) settle(member);
  if (wait.what == WaitFor::kBarrier) barrier_try_complete(member, wait.epoch, false);
  if (wait.what == WaitFor::kJoin || wait.what == WaitFor::kGo)
    barrier_try_complete(member, member->barrier_epoch, true);
}

bool wait_is_over(const Wait& wait, const Member* member) {
  switch (wait.what) {
  case WaitFor::kChildren: return !has_children(wait.task);
  case WaitFor::kTaskgroup: return taskgroup_is_finished(wait.group, member);
  case WaitFor::kWord:
    return wait.word->load(std::memory_order_acquire) == 0; // acquire: pairs with whoever stores zero
  case WaitFor::kTeamTasks: return team_tasks_finished(member->team);
  case WaitFor::kBarrier:
    // acquire: pairs with release in barrier_try_complete().
    return member->team->domain_lines[member->domain].released.load(std::memory_order_acquire) == wait.epoch;
  case WaitFor::kJoin:
    return member->team->completed.load(std::memory_order_acquire) == wait.epoch; // acquire: as above
  case WaitFor::kGo:
    // acquire: pairs with release in team_fork().
    return member->team->domain_lines[member->domain].go.load(std::memory_order_acquire) != member->go_seen;
  }
  __builtin_unreachable();
}

bool wait_announce(const Wait& wait) {
  switch (wait.what) {
  case WaitFor::kChildren: {
    Task* task = wait.task;
    // acq_rel: pairs with the decrement in child_finished_elsewhere(): children that finish from now on see that
    // somebody waits and that the word alone counts.
    task->shared_children.fetch_add(task->plain_share() * Task::kOneChild + Task::kWaiting, std::memory_order_acq_rel);
    task->local_children = 0;
    return true;
  }
  case WaitFor::kTaskgroup:
    // acq_rel: pairs with the decrements in taskgroup_count_finished(): who counts from now on sees that somebody
    // waits.
    wait.group->pending.fetch_or(Taskgroup::kWaiting, std::memory_order_acq_rel);
    return true;
  default: return false;
  }
}

void wait_withdraw(const Wait& wait) {
  if (wait.what == WaitFor::kChildren) {
    // acq_rel: takes over the count; acquire pairs with the children that finished meanwhile.
    int64_t word = wait.task->shared_children.exchange(0, std::memory_order_acq_rel);
    wait.task->local_children = static_cast<uint32_t>(Task::count_in(word));
  } else if (wait.what == WaitFor::kTaskgroup) {
    wait.group->pending.fetch_and(~Taskgroup::kWaiting, std::memory_order_acq_rel); // acq_rel: pairs as above
  }
}

Task* find_work(Worker* worker, Member* member, const Wait& wait) {
  Team* team = member->team;
  Constraint constraint = constraint_now(worker, member, wait.group);
  Eligible eligible = eligible_under(constraint);
  if (Task* task = team->priorities.take(eligible)) return task;
  if (Task* task = pop_below_mark(member, eligible)) return task;
  if (Task* task = inbox_take(team, eligible)) return task;
  return static_cast<Task*>(team->scheduler->acquire(team->scheduler_state, member->tid, eligible));
}

void work_loop(Worker* worker, Member* member, Wait& wait) {
  wait.outer = worker->wait;
  wait.waiter = worker->current;
  worker->wait = &wait;
  Idler idler(worker, member, wait);
  while (!wait_is_over(wait, member)) {
    if (Task* task = member->deque.pop_above(member->deque.mark)) {
      idler.found_work();
      publish_if_hungry(member);
      run_task(worker, member, task);
      continue;
    }
    bool possible = tasks_possible(wait, member);
    Task* task = possible ? find_work(worker, member, wait) : nullptr;
    if (task == nullptr) {
      help_barrier(member, wait);
      if (wait_is_over(wait, member)) break;
      task = idler.step(possible);
    }
    if (task == nullptr) continue;
    idler.found_work();
    if (wait.what == WaitFor::kGo && wait_is_over(wait, member)) {
      publish_one(member, task); // a task of the next region, in which this member may have no part
      break;
    }
    take_over(worker, task);
    run_task(worker, member, task);
    if (member->deque.mark > member->deque.top())
      member->deque.mark = member->deque.top(); // it took from below the mark
  }
  worker->wait = wait.outer;
}

// While the children lie in the private deque, and nothing was stolen, this is pop, call, plain decrement.
int32_t wait_for_children(Worker* worker, Task* task) {
  Member* member = worker->member;
  uint64_t mark = member->deque.mark;
  if (CHOMP_UNLIKELY(must_be_careful(worker))) return wait_for_children_slow(worker, member, task);
  do {
    Task* child = member->deque.pop_above(mark);
    if (CHOMP_UNLIKELY(child == nullptr)) return wait_for_children_slow(worker, member, task);
    publish_if_hungry(member);
    run_task_here(worker, member, child, task, mark);
  } while (task->local_children != 0);
  // acquire: pairs as in has_children().
  if (CHOMP_UNLIKELY(task->shared_children.load(std::memory_order_acquire) != 0))
    return wait_for_children_slow(worker, member, task);
  return current_not_queued();
}

void wait_until_zero(Worker* worker, std::atomic<uint32_t>* word) {
  Wait wait{WaitFor::kWord};
  wait.word = word;
  work_loop(worker, worker->member, wait);
}

bool task_yield(Worker* worker) {
  Member* member = worker->member;
  Task* task = member->deque.pop_above(member->deque.mark);
  if (task == nullptr) {
    if (member->team->serial() && member->team->inbox_count.load(std::memory_order_relaxed) == 0)
      return false; // relaxed: a hint
    task = find_work(worker, member, Wait{WaitFor::kChildren});
    if (task == nullptr) return false;
    take_over(worker, task);
  }
  run_task(worker, member, task);
  if (member->deque.mark > member->deque.top()) member->deque.mark = member->deque.top(); // it took from below the mark
  publish_if_hungry(member); // what depended on the task, if anything did, may lie in the deque: nobody pops it now
  return true;
}

} // namespace chomp
