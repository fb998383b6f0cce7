// Barriers and their task termination (OpenMP 5.2, 15.3.1). Arrival is counted along a tree (arrival.h); the opening is
// one word per domain, propagated down the tree (domain_tree.h). In between, all tasks of the team must finish. A task
// that stays in its creator's deque is counted nowhere, since a member arrives only when its deque is empty. A member
// counts what it takes from elsewhere as completed when its deque is empty again. So each member has two single-writer
// counters, of tasks exported and tasks completed. Once all members have arrived, a member without work reads all
// `completed`, then all `exported`: equal means done. Proof: runtime/teams/barriers.md, "Termination".
#include "runtime/teams/barrier.h"

#include "runtime/base/os_linux.h"
#include "runtime/base/preemption.h"
#include "runtime/core/events.h"
#include "runtime/core/team.h"
#include "runtime/threads/wake.h"
#include "runtime/core/worker.h"
#include "runtime/wait/light_thread.h"
#include "runtime/wait/work_loop.h"
#include "runtime/stealing/publish.h"
#include "runtime/tasks/task_run.h"
#include "runtime/tasks/taskgroup.h"
#include "runtime/teams/arrival.h"
#include "runtime/teams/domain_tree.h"

namespace chomp {
namespace {

void open_domain(Team* team, int domain, uint64_t epoch) {
  // release: pairs with acquire in wait_is_over(); publishes what we have acquired, too.
  team->domain_lines[domain].released.store(epoch, std::memory_order_release);
}

// Notifies the domains below that the barrier is open. The member that opens it does so for domain 0, the first member
// of another domain for that one. All stores come before the first system call.
void propagate_opening(Team* team, int domain, uint64_t epoch) {
  preemption_point();
  int domains = team->domains_in_use;
  for_each_child_domain(domain, domains, [=](int child) { open_domain(team, child, epoch); });
  preemption_point();
  for_each_child_domain(domain, domains, [=](int child) { wake_sleepers_of_domain(team, child); });
}

void open_barrier(Team* team, uint64_t epoch) {
  open_domain(team, 0, epoch);
  if (team->domains_in_use > 1) propagate_opening(team, 0, epoch);
  wake_sleepers_of_domain(team, 0);
}

void end_join(Team* team, uint64_t epoch) {
  // relaxed, both: members that wait for the next start signal only ask whether tasks are possible, and for statistics
  // when their region ended. A member that sees a task of the next region has seen its signal, which released this.
  if (CHOMP_UNLIKELY(team->observed())) team->barrier.ended_ns.store(monotonic_ns(), std::memory_order_relaxed);
  team->barrier.completed.store(epoch, std::memory_order_relaxed);
}

// Called by the primary, which has arrived at the region's end: looks whether all others have. Returns whether tasks
// may be left; if none was exported, it ends the join itself.
bool gather_join(Team* team, uint64_t epoch) {
  TeamBarrier& barrier = team->barrier;
  // relaxed, both: a short cut; our own store, or that of a member that found the sums equal.
  if (barrier.gathered.load(std::memory_order_relaxed) == epoch) return true;
  if (barrier.completed.load(std::memory_order_relaxed) == epoch) return false;
  if (!others_have_arrived(team, epoch)) return false;
  if (!team->counts.has_exported()) {
    end_join(team, epoch);
    return false;
  }
  barrier.gathered.store(epoch, std::memory_order_release); // release: pairs with acquire in barrier_try_complete()
  return true;
}

// A member that arrives has no private task left.
void drain(Worker* worker, Member* member) {
  for (;;) {
    Task* task = member->deque.pop_above(member->deque.floor());
    if (task == nullptr) task = taskgroup_pop_older(worker, member);
    if (task == nullptr) break;
    publish_if_requested(member);
    run_task(worker, member, task);
  }
  member_complete_pending(member);
}

// The others are usually close behind. So we look only whether they have come, for a moment, before our requests
// disturb those that still work. We do not if the region has tasks that others may run.
void wait_for(Worker* worker, Member* member, const Wait& wait) {
  Team* team = member->team;
  int looks = team->waits_briefly() ? brief_looks(team) : 0;
  do {
    if (wait.what == WaitFor::kJoin) barrier_try_complete(member, wait.epoch, true);
    if (wait_is_over(wait, member)) return;
    if (team->counts.has_exported()) break;
    pause_or_switch();
  } while (--looks > 0);
  work_loop(worker, member, wait);
}

// The team has one thread, so what is left can only be detached tasks and those that depend on them.
void wait_serial(Worker* worker, Member* member) {
  member->runs_anything = true;
  wait_for(worker, member, Wait{WaitFor::kTeamTasks});
  member->runs_anything = false;
  forget_counts(&member->implicit_task);
}

// All members have arrived: opens the barrier, unless tasks are left.
void gather(Member* member, uint64_t epoch) {
  Team* team = member->team;
  if (!team->counts.has_exported()) return open_barrier(team, epoch);
  // release: pairs with acquire in barrier_try_complete().
  team->barrier.gathered.store(epoch, std::memory_order_release);
  barrier_try_complete(member, epoch, false);
}

void wait_until_open(Worker* worker, Member* member) {
  uint64_t epoch = member->barrier_epoch;
  wait_for(worker, member, Wait{WaitFor::kBarrier, epoch});
  if (member->propagates) propagate_opening(member->team, member->domain, epoch);
  member->runs_anything = false;
  forget_counts(&member->implicit_task);
}

void wait_parallel(Worker* worker, Member* member) {
  member->runs_anything = true;
  drain(worker, member);
  ++member->barrier_epoch;
  if (arrive(member->team, member->arrives_at, 0)) gather(member, member->barrier_epoch);
  wait_until_open(worker, member);
}

} // namespace

void barrier_try_complete(Member* member, uint64_t epoch, bool join) {
  Team* team = member->team;
  TeamBarrier& barrier = team->barrier;
  if (join && member->tid == 0 && !gather_join(team, epoch)) return;
  // acquire: pairs with release in gather() and gather_join().
  if (barrier.gathered.load(std::memory_order_acquire) != epoch) return;
  if (barrier.completed.load(std::memory_order_relaxed) >= epoch) return; // relaxed: a short cut
  if (!team_tasks_finished(team)) return;
  // relaxed: as above; the sum takes long. `completed` stays below `epoch` until the exchange of one member succeeds.
  uint64_t before = barrier.completed.load(std::memory_order_relaxed);
  if (before >= epoch) return;
  if (CHOMP_UNLIKELY(team->observed()) && join)
    barrier.ended_ns.store(monotonic_ns(), std::memory_order_relaxed); // relaxed: released with the next line
  // acq_rel: of the members that find the sums equal one opens the barrier; pairs with acquire in wait_is_over().
  if (!barrier.completed.compare_exchange_strong(before, epoch, std::memory_order_acq_rel, std::memory_order_relaxed))
    return;
  if (join) return worker_wake(team->primary);
  team->counts.note_all_completed();
  open_barrier(team, epoch);
}

// Apart, so that a thread alone saves no registers.
__attribute__((noinline)) static void wait_for_team(Worker* worker, Member* member, Task* task) {
  ObservedWait observed(worker, task, WaitFor::kBarrier);
  member->team->serial() ? wait_serial(worker, member) : wait_parallel(worker, member);
}

void barrier_wait(Worker* worker) {
  if (!barrier_passed(worker)) wait_for_team(worker, worker->member, worker->current);
}

bool barrier_combine(Worker* worker, void* partial, CombineFunction combine) {
  Member* member = worker->member;
  Team* team = member->team;
  atomic<uint32_t>& others_missing = team->barrier.others_missing;
  bool primary = member->tid == 0;
  member->runs_anything = true;
  drain(worker, member);
  ++member->barrier_epoch;
  // relaxed: published by the arrival, which the last member's store follows.
  if (primary) others_missing.store(1, std::memory_order_relaxed);
  bool last = arrive_with(team, team->arrivals.counts, member, partial, combine);
  if (primary) {
    if (!last) wait_briefly_until(worker, &others_missing, 0, MayBegin::kTasks);
    return true;
  }
  if (last) {
    // release: pairs with acquire in the primary's wait; the primary then has all that was combined.
    others_missing.store(0, std::memory_order_release);
    worker_wake(team->primary);
  }
  wait_until_open(worker, member);
  return false;
}

void barrier_combined(Worker* worker) {
  Member* member = worker->member;
  gather(member, member->barrier_epoch);
  wait_until_open(worker, member);
}

// What TeamWorksharing::rest counts: members that wait in a barrier of those that are left, and those that have left.
static constexpr uint32_t kWaits = 1, kHasLeft = 1 << 16;
static_assert(kGoSizeBits <= 16, "each count has 16 bits");

// Whoever comes last opens the barrier, if somebody waits there.
static void count_in_rest(Member* member, uint32_t as) {
  Team* team = member->team;
  TeamWorksharing& shared = team->worksharing;
  // acq_rel: pairs with itself: whoever comes last has seen what the others wrote before, and passes it on.
  uint32_t counted = shared.rest.fetch_add(as, std::memory_order_acq_rel) + as;
  uint32_t waiting = counted % kHasLeft, have_left = counted / kHasLeft;
  if (waiting + have_left < static_cast<uint32_t>(team->size())) return;
  preemption_point();
  // relaxed: the next that counts itself has seen the barrier open, or is in the next region.
  shared.rest.store(waiting != 0 ? have_left * kHasLeft : 0, std::memory_order_relaxed);
  if (waiting == 0) return;
  uint32_t opened = shared.rest_opened.load(std::memory_order_relaxed); // relaxed: only whoever comes last changes it
  shared.rest_opened.store(opened + 1, std::memory_order_release);      // release: pairs with acquire in wait_is_over()
  preemption_point();
  for (int32_t tid = 0; tid < team->size(); ++tid)
    if (tid != member->tid) worker_wake(team->members[tid].worker);
}

void barrier_wait_rest(Worker* worker) {
  Member* member = worker->member;
  Wait wait{WaitFor::kWord};
  wait.word = &member->team->worksharing.rest_opened;
  // relaxed: it changes only after this member has arrived.
  wait.epoch = wait.word->load(std::memory_order_relaxed) + 1;
  ObservedWait observed(worker, worker->current, WaitFor::kBarrier);
  member->runs_anything = true;
  count_in_rest(member, kWaits);
  work_loop(worker, member, wait);
  member->runs_anything = false;
}

void barrier_leave_rest(Worker* worker) { count_in_rest(worker->member, kHasLeft); }

void barrier_join_primary(Worker* worker, Member* member) {
  Task* task = &member->implicit_task;
  ObservedWait observed(worker, task, WaitFor::kJoin);
  member->runs_anything = true;
  drain(worker, member);
  member->team->ends_seen = 0;
  wait_for(worker, member, Wait{WaitFor::kJoin, ++member->barrier_epoch});
  member->runs_anything = false;
}

void barrier_join_arrive(Worker* worker, Member* member) {
  Task* task = &member->implicit_task;
  if (CHOMP_UNLIKELY(task->is(kObserved))) event_wait_begin(worker, task, WaitFor::kJoin);
  member->runs_anything = true;
  drain(worker, member);
  Team* team = member->team;
  uint64_t epoch = ++member->barrier_epoch;
  if (arrive(team, member->arrives_at, epoch)) worker_wake(team->primary);
}

void barrier_wait_for_start(Worker* worker, Member* member) {
  Wait wait{WaitFor::kGo};
  Team* team = member->team;
  if (CHOMP_UNLIKELY(team->is_light(member->tid)) && tasks_possible(wait, member) && !wait_is_over(wait, member))
    light_wait_for_tasks(worker, team);
  member->took_part ? wait_for(worker, member, wait) : work_loop(worker, member, wait);
}

} // namespace chomp
