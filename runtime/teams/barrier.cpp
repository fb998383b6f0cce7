// Barriers and their task termination (OpenMP 5.2, 15.3.1). Arrival is counted by domains, up their tree; the opening
// is one word per domain, propagated down the tree (domain_tree.h). In between, all tasks of the team must finish. A
// task that stays in its creator's deque is counted nowhere: a member arrives when its deque is empty, and what it
// takes from elsewhere it counts as completed when its deque is empty again. So each member has two single-writer
// counters, of tasks exported and tasks completed. Once all members have arrived, one that has no work reads all
// `completed`, then all `exported`: equal means done. Proof: runtime/teams/README.md, "Termination".
#include "runtime/teams/barrier.h"

#include "runtime/base/os_linux.h"
#include "runtime/base/preemption.h"
#include "runtime/core/events.h"
#include "runtime/core/team.h"
#include "runtime/threads/wake.h"
#include "runtime/core/worker.h"
#include "runtime/wait/work_loop.h"
#include "runtime/share/publish.h"
#include "runtime/tasks/task_run.h"
#include "runtime/tasks/taskgroup.h"
#include "runtime/teams/domain_tree.h"

namespace chomp {
namespace {

constexpr int kBriefSpins = 100;

void arrive(Member* member, uint32_t epoch, bool join) {
  Team* team = member->team;
  for (int domain = member->domain;; domain = parent_domain(domain)) {
    DomainLine& line = team->domain_lines[domain];
    // acq_rel: pairs with itself, so the last to arrive has seen what all did before they arrived, here and below; the
    // opening of the barrier publishes that. Whoever is not the last reads nothing more: the region may end.
    if (line.missing.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    line.missing.store(line.expected, std::memory_order_relaxed); // relaxed: released by what follows, further up
    if (domain == 0) break;
  }
  team->barrier.gathered.store(epoch,
                               std::memory_order_release); // release: pairs with acquire in barrier_try_complete()
  barrier_try_complete(member, epoch, join);
}

void open_domain(Team* team, int domain, uint32_t epoch) {
  // release: pairs with acquire in wait_is_over(); publishes what we have acquired, too.
  team->domain_lines[domain].released.store(epoch, std::memory_order_release);
}

// Notifies the domains below that the barrier is open. The member that opens it does so for domain 0, the first member
// of another domain for that one. All stores come before the first system call.
void propagate_opening(Team* team, int domain, uint32_t epoch) {
  preemption_point();
  int domains = team->domains_in_use;
  for_each_child_domain(domain, domains, [=](int child) { open_domain(team, child, epoch); });
  preemption_point();
  for_each_child_domain(domain, domains, [=](int child) { wake_sleepers_of_domain(team, child); });
}

// A member that arrives has no private task left.
void drain(Worker* worker, Member* member) {
  for (;;) {
    Task* task = member->deque.pop_above(member->deque.floor);
    if (task == nullptr) task = taskgroup_pop_older(worker, member);
    if (task == nullptr) break;
    publish_if_hungry(member);
    run_task(worker, member, task);
  }
  complete_pending(member);
}

void wait_for(Worker* worker, Member* member, WaitFor what, uint32_t epoch) {
  Wait wait{what};
  wait.epoch = epoch;
  // The others are usually close behind: we look at one word for a moment, before our hunger disturbs those that still
  // work, unless the region has tasks that others may run.
  Team* team = member->team;
  bool tasks = team->has_exported.load(std::memory_order_relaxed); // relaxed: a hint
  for (int spin = 0; spin < kBriefSpins && !tasks && team->may_spin(); ++spin) {
    if (wait_is_over(wait, member)) return;
    cpu_pause();
  }
  work_loop(worker, member, wait);
}

// One thread: what is left can only be detached tasks and those that depend on them.
void wait_serial(Worker* worker, Member* member) {
  member->in_barrier = true;
  wait_for(worker, member, WaitFor::kTeamTasks, 0);
  member->in_barrier = false;
  forget_counts(&member->implicit_task);
}

void wait_parallel(Worker* worker, Member* member) {
  member->in_barrier = true;
  drain(worker, member);
  uint32_t epoch = ++member->barrier_epoch;
  arrive(member, epoch, false);
  wait_for(worker, member, WaitFor::kBarrier, epoch);
  if (member->propagates) propagate_opening(member->team, member->domain, epoch);
  member->in_barrier = false;
  forget_counts(&member->implicit_task);
}

} // namespace

bool team_tasks_finished(const Team* team) {
  // relaxed: a member that has seen all arrive has seen what they had stored before (README.md, "Termination").
  if (!team->has_exported.load(std::memory_order_relaxed)) return true;
  // acquire: pairs with the releases in complete_pending() and finish_task_outside(); a member that passes sees what
  // the tasks wrote.
  uint64_t completed = team->finished_outside.load(std::memory_order_acquire);
  uint64_t exported = 0;
  for (int32_t tid = 0; tid < team->size(); ++tid)
    completed += team->members[tid].completed.load(std::memory_order_acquire); // acquire: pairs as above
  for (int32_t tid = 0; tid < team->size(); ++tid)
    exported += team->members[tid].exported.load(std::memory_order_relaxed); // relaxed: read after every `completed`
  return exported == completed;
}

bool complete_pending(Member* member) {
  // holds_above() acquires: a member that sees this as completed sees what a thief has counted.
  if (member->completion_pending == 0 || member->deque.holds_above(0)) return false;
  // release: pairs with acquire in team_tasks_finished(). relaxed: our own counter.
  member->completed.store(member->completed.load(std::memory_order_relaxed) + member->completion_pending,
                          std::memory_order_release);
  member->completion_pending = 0;
  return true;
}

void barrier_try_complete(Member* member, uint32_t epoch, bool join) {
  Team* team = member->team;
  // acquire: pairs with release in arrive().
  if (team->barrier.gathered.load(std::memory_order_acquire) != epoch) return;
  if (team->barrier.completed.load(std::memory_order_relaxed) == epoch) return; // relaxed: a short cut
  if (!team_tasks_finished(team)) return;
  if (team->barrier.completed.load(std::memory_order_relaxed) == epoch) return; // relaxed: as above; the sum takes long
  if (CHOMP_UNLIKELY(team->observed()) && join)
    team->barrier.ended_ns.store(monotonic_ns(), std::memory_order_relaxed); // relaxed: released with the next line
  uint32_t before = epoch - 1;
  // acq_rel: one of the members that found this out opens the barrier; pairs with acquire in wait_is_over().
  if (!team->barrier.completed.compare_exchange_strong(before, epoch, std::memory_order_acq_rel,
                                                       std::memory_order_relaxed))
    return;
  if (join) return worker_wake(team->members[0].worker);
  open_domain(team, 0, epoch);
  if (team->domains_in_use > 1) propagate_opening(team, 0, epoch);
  wake_sleepers_of_domain(team, 0);
}

void barrier_wait(Worker* worker) {
  Member* member = worker->member;
  Task* task = worker->current;
  ObservedWait observed(worker, task, WaitFor::kBarrier);
  member->team->serial() ? wait_serial(worker, member) : wait_parallel(worker, member);
}

void barrier_join_primary(Worker* worker, Member* member) {
  Task* task = &member->implicit_task;
  ObservedWait observed(worker, task, WaitFor::kJoin);
  member->in_barrier = true;
  drain(worker, member);
  uint32_t epoch = ++member->barrier_epoch;
  arrive(member, epoch, true);
  wait_for(worker, member, WaitFor::kJoin, epoch);
  member->in_barrier = false;
}

void barrier_join_arrive(Worker* worker, Member* member) {
  Task* task = &member->implicit_task;
  if (CHOMP_UNLIKELY(task->is(kObserved))) event_wait_begin(worker, task, WaitFor::kJoin);
  member->in_barrier = true;
  drain(worker, member);
  arrive(member, ++member->barrier_epoch, true);
}

} // namespace chomp
