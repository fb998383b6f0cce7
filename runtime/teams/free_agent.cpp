// What a free agent does: it runs one task of a team that it is not in (region.h, team_serve_as_agent()). For that it
// has a team of its own, whose only thread it is. Tasks that the task makes go to the team that it belongs to: the
// agent's own team has a scheduler that deals them to the inbox of the other team. So every path by which tasks leave
// their creator is the usual one (threads/free_agents.md).
#include "runtime/machine/fp_control.h"
#include "runtime/base/policy.h"
#include "runtime/config/config.h"
#include "runtime/core/events.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/threads/binding.h"
#include "runtime/tasks/constraint.h"
#include "runtime/tasks/task_run.h"
#include "runtime/teams/region.h"
#include "runtime/teams/team_cache.h"
#include "runtime/threads/free_agents.h"
#include "runtime/threads/thread_pool.h"
#include "runtime/threads/wake.h"

namespace chomp {
namespace {

struct Own : SchedulerState {
  Team* served = nullptr;
};

Team*& served_by(SchedulerState* state) { return static_cast<Own*>(state)->served; }

SchedulerState* make(const TeamShape&, const SchedulerSettings&, StateMemory memory) {
  return make_array<Own>(memory, 1);
}
bool publish(SchedulerState* state, int, TaskBatch batch) {
  for (QueueHook *task = batch.oldest, *next; task != nullptr; task = next) {
    next = task->next;
    agents_offer(served_by(state), static_cast<Task*>(task)); // wakes whom it must
  }
  return false;
}
Acquired acquire(SchedulerState* state, int, const Eligible& eligible, SchedulerCounts&) {
  return {.task = agents_take_another(served_by(state), eligible)};
}
bool set_request(SchedulerState*, int, StealRequest) { return false; }
unsigned wanted(SchedulerState*, int) { return 0; }
bool has_tasks(SchedulerState* state) { return agents_find_offered(served_by(state)); }
// Whether a thread that waits in a task might refuse one below it for want of steps (constraint.h).
bool is_too_deep(const Team* team, const Task* task) {
  return static_cast<int32_t>(task->depth() - team->members[0].implicit_task.depth()) > kMostSteps;
}

// Plain children wait for the team's threads. If these are busy, or might refuse them for ever, the agent runs them
// itself: memory is bounded, and nobody waits in vain.
int deal(SchedulerState* state, int member, int, QueueHook* task, SchedulerCounts&) {
  uint32_t waiting = served_by(state)->inbox.count.load(std::memory_order_relaxed); // relaxed: an estimate
  if (waiting >= policy::kThrottle && config.task_throttling) return -1;
  if (is_too_deep(served_by(state), static_cast<Task*>(task))) return -1;
  agents_offer(served_by(state), static_cast<Task*>(task));
  return member; // agents_offer() has woken whom it must
}

constinit const Scheduler of_agents = {.private_depth = 0,
                                       .make = make,
                                       .publish = publish,
                                       .acquire = acquire,
                                       .set_request = set_request,
                                       .wanted = wanted,
                                       .has_tasks = has_tasks,
                                       .deal = deal};

Member* own_member(Worker* worker) {
  if (worker->thread.agent_member != nullptr) return worker->thread.agent_member;
  Member* member = team_make_for_agent(worker, &of_agents);
  member->deals = true;
  member->runs_children = false;
  member->deque.set_bound(0);
  return worker->thread.agent_member = member;
}

// The place of a task's agent: another one of the primary's partition for each thread (OpenMP 6.0, 12.1.3).
int16_t place_for(const Worker* worker, const Team* team) {
  const Placement& primary = team->members[0].placement;
  if (primary.place < 0 || primary.count == 0) return primary.place;
  return static_cast<int16_t>(primary.first + (primary.place + worker->gtid) % primary.count);
}

// The own team answers as the other team, but for the thread's number and the number of threads (omp_api.cpp). A
// helper's is that of an initial thread, as a target region wants it (OpenMP 5.2, 13.8), and what its tasks make runs
// at once.
void stand_in_for(Team* own, Team* team, bool helps) {
  own->served = team;
  own->helps = helps;
  constexpr int32_t kUnassigned = -2; // omp_unassigned_thread, of Intel's <omp.h>
  own->members[0].number = helps ? 0 : kUnassigned;
  own->set_size(helps ? 1 : 2);
  served_by(own->scheduler_state) = team;
  own->level = helps ? 0 : team->level;
  own->active_level = helps ? 0 : team->active_level;
  own->parent_member = helps ? nullptr : team->parent_member;
  own->team_number = team->team_number;
  own->league_size = team->league_size;
  own->group = team->group;
  own->set_total_threads(team->total_threads());
  own->set_may_spin(team->may_spin());
}

} // namespace

void team_serve_as_agent(Worker* worker, const AgentTask& work) {
  agents_call_if_missing();
  Member* member = own_member(worker);
  Team* team = work.team;
  stand_in_for(member->team, team, work.helps);
  member->deals = !work.helps;
  worker->member = member;
  worker->current = &member->implicit_task;
  member->implicit_task.set_owner(worker->id);
  member->deque.raise_floor();
  if (binding_on && place_for(worker, team) != worker->thread.bound_place)
    binding_follow(worker, place_for(worker, team));
  fp_control_follow(work.fp_control);
  work.task->leaves_queue();
  take_over(worker, work.task);
  if (announcing()) event_implicit_begin(worker, &member->implicit_task); // only helpers are observed
  run_task(worker, member, work.task);
  DCHECK(!member->deque.holds_above(0)); // its scheduler deals, or it is a team of one
  if (announcing()) event_implicit_end(worker, &member->implicit_task);
  if (member->hot_child != nullptr || member->serial_child != nullptr) team_release_cached(member);
  agent_leaves(work);
  team->counts.complete_outside(member->counts.take_pending()); // last: the team may be gone afterwards
  wake_one_sleeper(team);
  worker_return_to_pool(worker);
}

} // namespace chomp
