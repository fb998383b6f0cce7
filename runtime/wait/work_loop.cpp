// The one loop that waits for everything. See work_loop.h.
#include "runtime/wait/work_loop.h"

#include <algorithm>

#include "runtime/base/cpu_numbers.h"
#include "runtime/base/os_linux.h"
#include "runtime/config/config.h"
#include "runtime/core/events.h"
#include "runtime/core/team.h"
#include "runtime/threads/wake.h"
#include "runtime/stealing/steal_timer.h"
#include "runtime/wait/idle.h"
#include "runtime/core/program_call.h"
#include "runtime/tasks/constraint.h"
#include "runtime/tasks/destination.h"
#include "runtime/stealing/publish.h"
#include "runtime/wait/fiber.h"
#include "runtime/tasks/task_run.h"
#include "runtime/tasks/task_graph.h"
#include "runtime/tasks/taskgroup.h"
#include "runtime/tasks/transparent.h"
#include "runtime/teams/barrier.h"

namespace chomp {
namespace {

// Takes one of the deque's tasks below the floor: first the current task's own from before its groups, then those of
// the tasks suspended below. Of these it takes the oldest, as a thief would. If it popped the newest, the deque would
// become shorter than it was when those tasks were suspended. What they make next would then lie below their floors.
Task* take_below_floor(Worker* worker, Member* member, const Eligible& eligible) {
  if (member->deque.size() == 0) return nullptr;
  if (Task* task = taskgroup_pop_older(worker, member)) return task;
  if (Task* task = member->deque.take_oldest_eligible(eligible)) return task;
  publish_if_requested(member);
  return nullptr;
}

// `site` is where wait_for_children() returns to. If that function was entered by a jump from an entry point, the site
// is in the program.
__attribute__((noinline)) int32_t wait_for_children_slow(Worker* worker, Member* member, Task* task, const void* site) {
  ProgramCall call(task->is(kObserved) ? worker : nullptr, site, __builtin_frame_address(0));
  if (CHOMP_UNLIKELY(task->is(kRecords))) graph_note_wait(worker);
  Wait wait{WaitFor::kChildren};
  wait.task = task;
  ObservedWait observed(worker, task, WaitFor::kChildren);
  work_loop(worker, member, wait);
  forget_counts(task);
  return current_not_queued();
}

// While the current task waits, tasks that wait on top of it need not look further down the stack (innermost_tied()).
class WaitScope {
public:
  explicit WaitScope(Worker* worker)
      : worker_(worker), outer_waiter_(worker->tasks.innermost_wait.waiter),
        outer_tied_(worker->tasks.innermost_wait.tied), outer_wait_(worker->tasks.refused_lists.wait) {
    worker->tasks.refused_lists.wait = ++worker->tasks.waits;
    if (worker->current != nullptr) {
      end_throttling(worker->current);
      imports_ = waits_beyond_children(worker->current);
      if (CHOMP_UNLIKELY(imports_)) ++worker->tasks.importers;
    }
    if (!config.task_stealing_constraint) return;
    worker->tasks.innermost_wait.tied = innermost_tied(worker);
    worker->tasks.innermost_wait.waiter = worker->current;
  }
  ~WaitScope() {
    if (CHOMP_UNLIKELY(imports_)) --worker_->tasks.importers;
    worker_->tasks.innermost_wait.waiter = outer_waiter_;
    worker_->tasks.innermost_wait.tied = outer_tied_;
    worker_->tasks.refused_lists.wait = outer_wait_;
  }
  WaitScope(const WaitScope&) = delete;
  WaitScope& operator=(const WaitScope&) = delete;

private:
  Worker* worker_;
  const Task* outer_waiter_;
  const Task* outer_tied_;
  uint64_t outer_wait_;
  bool imports_ = false;
};

// Whether the member may look at the list of priorities. While steals are not worth it, an idle member leaves tasks
// there to the member that has put them there. Otherwise it would take one after the other. So it does not even read
// the line of the list. A member that probes is requesting, and so may look (stealing/steal_request.h).
bool may_take_urgent(const Member* member, const Wait& wait) {
  return !at_bottom(wait) || member->pushed_urgent || member->requesting || !member->team->may_spin() ||
         member->worth->pays() || member->team->serial();
}

Task* take_urgent(Member* member, const Eligible& eligible) {
  if (member->urgent->size() != 0) return member->urgent->take(eligible);
  if (CHOMP_UNLIKELY(member->pushed_urgent)) member->pushed_urgent = false; // others read the line
  return nullptr;
}

// What the member's look may do at other chips. A look that is the last before sleep, and a wait inside a task, find
// what is there whatever that is worth.
OtherDomains at_other_chips(Member* member, const Wait& wait, bool in_passing) {
  Team* team = member->team;
  if (!team->tells_chips_apart || team->far.may_look(member->requesting)) return OtherDomains::kAsks;
  return in_passing && at_bottom(wait) ? OtherDomains::kStays : OtherDomains::kLooks;
}

// From the lists of other chips, which their own members look at more often.
Task* take_urgent_elsewhere(Member* member, const Eligible& eligible) {
  Team* team = member->team;
  if (!team->tells_chips_apart || !team->has_urgent() || eligible.other_domains == OtherDomains::kStays) return nullptr;
  Lease::Hold token;
  Lease& thief = team->domain_lines[member->domain].urgent_thief;
  if (eligible.in_passing && !thief.take_or_renew(token)) return nullptr;
  Task* task = nullptr;
  for (int32_t left = team->shape.domain_count, at = member->domain; left > 1 && task == nullptr; --left) {
    at = at + 1 < team->shape.domain_count ? at + 1 : 0;
    task = team->domain_lines[at].urgent.take(eligible);
  }
  thief.drop(token);
  return task;
}

} // namespace

// Tasks are possible until the barrier, or the region, is complete. Then all its tasks have finished. A task that turns
// up later belongs to what comes next, of which this member may not have been notified yet. So it looks at the words of
// the whole team: a barrier opens in domain 0 first, and no further barrier opens before we arrive at it. While we wait
// for a start signal, `completed` may move through any number of later regions.
bool tasks_possible(const Wait& wait, const Member* member) {
  // relaxed, both: a member that has seen a task of what comes next thereby sees that this has completed.
  switch (wait.what) {
  case WaitFor::kBarrier: return member->team->domain_lines[0].released.load(std::memory_order_relaxed) != wait.epoch;
  case WaitFor::kGo:
    return member->took_part && member->team->barrier.completed.load(std::memory_order_relaxed) < member->barrier_epoch;
  default: return !wait.alone && !wait.begins_nothing;
  }
}

bool help_barrier(Member* member, const Wait& wait, bool looks) {
  bool completed = at_bottom(wait) && member_complete_pending(member);
  if (!completed && !looks) return false;
  if (wait.what == WaitFor::kBarrier) barrier_try_complete(member, wait.epoch, false);
  if (wait.what == WaitFor::kJoin || wait.what == WaitFor::kGo)
    barrier_try_complete(member, member->barrier_epoch, true);
  return completed;
}

int brief_looks(const Team* team) {
  return std::clamp(policy::kPausesBeforeYield / 32 * team->size(), policy::kPausesBeforeYield / 2,
                    2 * policy::kPausesBeforeYield);
}

bool wait_is_over(const Wait& wait, const Member* member) {
  switch (wait.what) {
  case WaitFor::kChildren: return !has_children(wait.task);
  case WaitFor::kTaskgroup: return taskgroup_is_finished(wait.group, member);
  case WaitFor::kWord:
  case WaitFor::kSpawned:
    // acquire: pairs with the release of the value.
    return wait.word->load(std::memory_order_acquire) == static_cast<uint32_t>(wait.epoch);
  case WaitFor::kTime: return monotonic_ns() >= static_cast<int64_t>(wait.epoch);
  case WaitFor::kTeamTasks: return team_tasks_finished(member->team);
  case WaitFor::kBarrier:
    // acquire: pairs with release in open_domain().
    return member->team->domain_lines[member->domain].released.load(std::memory_order_acquire) == wait.epoch;
  case WaitFor::kJoin:
    // acquire: pairs with acq_rel in barrier_try_complete(), unless we have stored it ourselves.
    return member->team->barrier.completed.load(std::memory_order_acquire) == wait.epoch;
  case WaitFor::kGo:
    // acquire: pairs with release in signal_start() and propagate_start().
    return member->team->domain_lines[member->domain].go.load(std::memory_order_acquire) != member->go_seen;
  }
  __builtin_unreachable();
}

bool wait_announce(const Wait& wait) {
  switch (wait.what) {
  case WaitFor::kChildren: {
    Task* task = wait.task;
    // acq_rel: pairs with the decrement in child_finished_elsewhere(): children that finish from now on see that the
    // parent waits and that the word alone counts.
    task->shared_children.fetch_add(Task::children(task->unshared_children()) + Task::kWaiting,
                                    std::memory_order_acq_rel);
    task->local_children = 0;
    return true;
  }
  case WaitFor::kTaskgroup:
    // acq_rel: pairs with the decrements in taskgroup_count_finished(): a member that counts from now on sees that the
    // owner waits.
    wait.group->pending.fetch_or(Taskgroup::kWaiting, std::memory_order_acq_rel);
    return true;
  default: return false;
  }
}

void wait_withdraw(const Wait& wait) {
  if (wait.what == WaitFor::kChildren) {
    // acq_rel: takes over the count; acquire pairs with the children that finished meanwhile.
    int64_t word = wait.task->shared_children.fetch_and(Task::kHolds, std::memory_order_acq_rel);
    wait.task->local_children = static_cast<uint32_t>(Task::count_in(word));
  } else if (wait.what == WaitFor::kTaskgroup) {
    wait.group->pending.fetch_and(~Taskgroup::kWaiting, std::memory_order_acq_rel); // acq_rel: pairs as above
  }
}

// From the scheduler's queues, the own one first, and what its look has to say beside the task.
static Task* take_from_queues(Worker* worker, Member* member, const Eligible& eligible) {
  Team* team = member->team;
  Acquired acquired = team->scheduler->acquire(team->scheduler_state, member->tid, eligible, worker->stealing.counts);
  if (CHOMP_UNLIKELY(acquired.handed_on)) wake_one_sleeper(team);
  if (CHOMP_UNLIKELY(acquired.rescued > 0)) {
    worker->observe.counters.revocations.add();
    worker->observe.counters.revoked_tasks.add(acquired.rescued);
  }
  if (CHOMP_UNLIKELY(acquired.given_to >= 0)) worker_wake(team->members[acquired.given_to].worker);
  // The member whose last task on offer we took is to offer more when it next looks, not only when somebody is
  // requesting.
  if (CHOMP_UNLIKELY(acquired.emptied_owner >= 0) && member->worth->steals_pay() == StealsPay::kYes)
    request_tasks(&team->members[acquired.emptied_owner]);
  worker->stealing.task_came_earlier = acquired.came_earlier;
  worker->stealing.from_elsewhere = acquired.from_elsewhere;
  auto task = static_cast<Task*>(acquired.task);
  if (task == nullptr) return nullptr;
  task->leaves_queue();
  // A thief that is always too late measures nothing. With more threads than CPUs it may not have been woken.
  if (task->owner() == worker->id && !member->requesting && somebody_requests_here(member) && team->may_spin())
    member->worth->note_taken_back();
  return task;
}

Task* find_work(Worker* worker, Member* member, const Wait& wait, bool in_passing) {
  worker->stealing.task_came_earlier = false;
  worker->stealing.from_elsewhere = 0;
  Constraint constraint = constraint_now(worker, member, wait.group);
  Eligible eligible = eligible_under(worker, constraint);
  eligible.in_passing = in_passing;
  eligible.other_domains = at_other_chips(member, wait, in_passing);
  // The most urgent of the chip: the program has said that it comes before all others.
  if (may_take_urgent(member, wait))
    if (Task* task = take_urgent(member, eligible)) return task;
  // The oldest in the own deque that tasks below have left there: nobody else can have it unless it is published.
  if (Task* task = take_below_floor(worker, member, eligible)) return task;
  // What came from outside the team, or may run on few of its threads: no thread has it in a queue of its own.
  if (Task* task = inbox_take(member->team, eligible)) return task;
  // Then queues in the scheduler's order, near ones first.
  if (Task* task = take_from_queues(worker, member, eligible)) return task;
  // At last the urgent ones of other chips, at which their own members look more often.
  Task* task = take_urgent_elsewhere(member, eligible);
  worker->stealing.from_elsewhere = task != nullptr;
  return task;
}

// Some tasks of the program stop, and this member has found nothing that it may run here. Tasks that can go on do. Then
// the current one leaves its stack, so that nothing below waits for it: others might go on here for ever. Returns
// whether anything of that was done, or will be soon.
CHOMP_SLOW static bool go_on_elsewhere(Worker* worker, Member* member, const Wait& wait, Idler& idler) {
  if (can_resume(worker, member)) {
    idler.found_work();
    // So many, then it looks for tasks again.
    for (uint64_t left = policy::kBatch; left > 0 && resume_next(worker, member) && !wait_is_over(wait, member);)
      --left;
    if (!wait_is_over(wait, member) && may_leave(worker)) leave_waiting(worker, wait);
    return true;
  }
  if (!may_leave(worker)) return false;
  if (idler.ask_and_pause() < policy::kRoundsBeforeClock) return true;
  idler.found_work();
  leave_waiting(worker, wait);
  return true;
}

void work_loop(Worker* worker, Member* member, const Wait& wait) {
  Idler idler(worker, member, wait);
  WaitScope scope(worker);
  StealTimer timer;
  while (!wait_is_over(wait, member)) {
    if (CHOMP_UNLIKELY(wait.begins_nothing)) {
      publish_if_requested(member);
    } else if (Task* task = member->deque.pop_above(member->deque.floor())) {
      idler.found_work();
      timer.goes_on(worker, member);
      publish_if_requested(member);
      run_task(worker, member, task);
      continue;
    }
    timer.looks(worker, member);
    bool possible = tasks_possible(wait, member);
    Task* task = possible && !idler.leaves_tasks_to_prober() ? find_work(worker, member, wait, true) : nullptr;
    if (task == nullptr && tasks_may_stop() && go_on_elsewhere(worker, member, wait, idler)) {
      timer = StealTimer();
      continue;
    }
    if (task == nullptr) {
      help_barrier(member, wait, idler.sums_for_barrier());
      if (wait_is_over(wait, member)) break;
      task = idler.step(possible);
      timer.paused();
    }
    if (task == nullptr) continue;
    idler.found_work();
    if (!tasks_possible(wait, member)) {
      // The task is of a later region, in which this member may have no part, or from after the barrier. We have to
      // notify others that the barrier is open: they would wait while we ran the task.
      send(worker, member->team, task, Cause::kTooEarly);
      continue;
    }
    if (task->owner() != worker->id && !worker->stealing.task_came_earlier) timer.acquired(worker);
    take_over(worker, task);
    run_task(worker, member, task);
  }
  timer.ends(worker, member);
  idler.found_work();
  // What the last task has released may lie in the deque, and the program goes on.
  publish_if_requested(member);
}

// While the children lie in the private deque, and none was stolen, each costs a pop, a call and a plain decrement.
int32_t wait_for_children(Worker* worker, Task* task) {
  Member* member = worker->member;
  uint64_t floor = member->deque.floor();
  if (CHOMP_UNLIKELY(must_run_slow(worker)))
    return wait_for_children_slow(worker, member, task, __builtin_return_address(0));
  do {
    uint64_t top;
    Task* child = member->deque.pop_above(floor, &top);
    if (CHOMP_UNLIKELY(child == nullptr))
      return wait_for_children_slow(worker, member, task, __builtin_return_address(0));
    publish_unless_last(member, floor, top);
    run_task_here(worker, member, child, task, floor, top);
  } while (task->local_children != 0);
  // acquire: pairs as in has_children().
  if (CHOMP_UNLIKELY(task->shared_children.load(std::memory_order_acquire) != 0))
    return wait_for_children_slow(worker, member, task, __builtin_return_address(0));
  return current_not_queued();
}

int32_t wait_for_nothing(Worker* worker, Task* task) {
  if (task->is(kRecords)) graph_note_wait(worker);
  if (!task->is(kObserved)) return current_not_queued();
  ProgramCall call(worker, __builtin_return_address(0), __builtin_frame_address(0));
  event_wait_begin(worker, task, WaitFor::kChildren);
  event_wait_end(worker, task, WaitFor::kChildren);
  return current_not_queued();
}

static void wait_for_word(Worker* worker, Wait wait, atomic<uint32_t>* word) {
  wait.word = word;
  Task* task = worker->current;
  ObservedWait observed(worker, task, WaitFor::kWord);
  work_loop(worker, worker->member, wait);
}

void wait_until(Worker* worker, atomic<uint32_t>* word, uint32_t value) {
  wait_for_word(worker, {WaitFor::kWord, value}, word);
}

void wait_briefly_until(Worker* worker, atomic<uint32_t>* word, uint32_t value, MayBegin may_begin) {
  const Team* team = worker->member->team;
  int looks = team->waits_briefly() && !team->observed() ? brief_looks(team) : 0;
  for (; looks > 0; --looks) {
    if (may_begin == MayBegin::kTasks && team->counts.has_exported()) break;
    if (word->load(std::memory_order_acquire) == value) return; // acquire: pairs with the release of the value
    pause_or_switch();
  }
  Wait wait{WaitFor::kWord, value};
  wait.begins_nothing = may_begin == MayBegin::kNoTasks;
  wait_for_word(worker, wait, word);
}

Task* task_for_yield(Worker* worker) {
  Member* member = worker->member;
  Task* task = member->deque.pop_above(member->deque.floor());
  if (task != nullptr) return task;
  const Team* team = member->team;
  if (team->serial() && (!team->counts.has_exported() || !anything_published(team))) return nullptr;
  task = find_work(worker, member, Wait{WaitFor::kChildren});
  if (task != nullptr) take_over(worker, task);
  return task;
}

void task_yield_to(Worker* worker, Task* task) {
  Member* member = worker->member;
  run_task(worker, member, task);
  publish_if_requested(member); // a task that depended on this one may lie in the deque: nobody pops it now
}

bool task_yield(Worker* worker) {
  Task* task = task_for_yield(worker);
  if (task == nullptr) {
    if (!tasks_may_stop()) return false;
    cpu_number_may_change();
    return leave_for_others(worker) || resume_next(worker, worker->member);
  }
  task_yield_to(worker, task);
  return true;
}

static CHOMP_SLOW void announced_taskyield(Worker* worker, const void* site) {
  ProgramCall call(worker, site, __builtin_frame_address(0));
  worker->observe.tool.yields = true;
  task_yield_or_offer_cpu(worker);
  worker->observe.tool.yields = false;
}

int32_t taskyield_slow() {
  Worker* worker = this_worker();
  announcing() ? announced_taskyield(worker, __builtin_return_address(0)) : task_yield_or_offer_cpu(worker);
  Member* member = worker->member;
  const Team* team = member->team;
  member->yields_in_vain =
      member->alone && !team->counts.has_exported() && team->may_spin() && !threads_share_kernel_thread();
  return current_not_queued();
}

void task_yield_or_offer_cpu(Worker* worker) {
  Task* task = worker->current;
  bool found = task_yield(worker);
  if (!task->is(kTied)) worker->tasks.yielded = task;
  // Also if others have run here: these may yield for ever, until one that is another light thread's has run.
  if (light_pause() || found) return;
  if (!worker->member->team->may_spin() && config.use_yield != 0) cpu_yield();
}

} // namespace chomp
