// The teams that offer tasks to free agents. See free_agents.h.
#include "runtime/threads/free_agents.h"

#include <algorithm>
#include <utility>

#include "runtime/machine/fp_control.h"
#include "runtime/base/policy.h"
#include "runtime/config/config.h"
#include "runtime/core/icv.h"
#include "runtime/core/priority_queue.h"
#include "runtime/core/task_list.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/machine/topology.h"
#include "runtime/threads/thread_pool.h"
#include "runtime/threads/wake.h"

namespace chomp {
namespace {

struct Offers {
  Lock lock;
  Team* first = nullptr; // linked through TeamInbox::next_listed
  // relaxed, both: the fences of agents_offer() and serve_teams() order the first; the second is an estimate.
  atomic<int32_t> teams{0};  // in the list
  atomic<int32_t> agents{0}; // of all teams
};
constinit Offers offers;

int32_t most_agents_of_group(int32_t thread_limit) { return std::max(thread_limit - config.reserved_structured, 0); }

/// Counts one more agent in a contention group that has a limit, if the limit leaves room (OpenMP 6.0, 4.3.10).
bool join_group(Team* group, int32_t thread_limit) {
  int64_t now = group->group_threads.load(std::memory_order_relaxed); // relaxed, all: counts
  do {
    auto agents = static_cast<int32_t>(now / Team::kOneAgent), others = static_cast<int32_t>(now % Team::kOneAgent);
    if (agents >= most_agents_of_group(thread_limit) || agents + others >= thread_limit) return false;
  } while (!group->group_threads.compare_exchange_weak(now, now + Team::kOneAgent, std::memory_order_relaxed));
  return true;
}

void list(Team* team) {
  std::lock_guard guard(offers.lock);
  team->inbox.next_listed = offers.first;
  offers.first = team;
  offers.teams.fetch_add(1, std::memory_order_relaxed); // relaxed: see Offers
}

// relaxed, both: under the inbox's lock.
uint32_t pool_tasks(const TeamInbox& inbox) { return inbox.pool_tasks.load(std::memory_order_relaxed); }
void set_pool_tasks(TeamInbox& inbox, uint32_t tasks) { inbox.pool_tasks.store(tasks, std::memory_order_relaxed); }

bool may_have_helper(const TeamInbox& inbox) { return inbox.targets.count != 0 && inbox.helpers < config.helpers; }
bool lacks_helper(const TeamInbox& inbox) { return inbox.targets.count != 0 && inbox.helpers == 0; }
bool may_have_agent(const TeamInbox& inbox) { return pool_tasks(inbox) != 0 && inbox.agents < inbox.most_agents; }
bool may_have_another(const TeamInbox& inbox) { return may_have_helper(inbox) || may_have_agent(inbox); }

// Behind all that are as urgent.
void add_target_locked(TaskBatch& targets, Task* task) {
  QueueHook* before = targets.newest;
  while (before != nullptr && task_priority(static_cast<Task*>(before)) < task_priority(task)) before = before->prev;
  insert_after(targets, before, task);
}

// Helpers are not counted in thread-limit-var: they start what the device does, and wait for it.
AgentTask take_target_locked(Team* team) {
  TeamInbox& inbox = team->inbox;
  Eligible any{};
  any.may_run = [](void*, QueueHook*) { return true; };
  QueueHook* task = remove_first(inbox.targets, any);
  ++inbox.helpers;
  return {.task = static_cast<Task*>(task), .team = team, .fp_control = inbox.fp_control, .helps = true};
}

AgentTask take_locked(Team* team) {
  TeamInbox& inbox = team->inbox;
  if (may_have_helper(inbox)) return take_target_locked(team);
  bool counted = inbox.thread_limit != INT32_MAX;
  if (!may_have_agent(inbox) || (counted && !join_group(team->group, inbox.thread_limit))) return {};
  Eligible for_agents{};
  for_agents.may_run = [](void*, QueueHook* task) { return static_cast<Task*>(task)->is(kPool); };
  QueueHook* task = remove_first(inbox.tasks, for_agents);
  CHECK(task != nullptr);
  set_pool_tasks(inbox, pool_tasks(inbox) - 1);
  ++inbox.agents;
  inbox.count.store(inbox.tasks.count, std::memory_order_relaxed); // relaxed: a hint
  return {.task = static_cast<Task*>(task), .team = team, .fp_control = inbox.fp_control, .counted = counted};
}

/// Walks over the listed teams until visit(team) is true, under the locks of the list and of the team's inbox. Teams
/// that offer nothing any more leave the list.
template <typename Visit> void find_offer(Visit visit) {
  std::lock_guard guard(offers.lock);
  for (Team** link = &offers.first; *link != nullptr;) {
    Team* team = *link;
    std::lock_guard inbox_guard(team->inbox.lock);
    if (pool_tasks(team->inbox) == 0 && team->inbox.targets.count == 0) {
      *link = team->inbox.next_listed;
      team->inbox.listed = false;
      offers.teams.fetch_sub(1, std::memory_order_relaxed); // relaxed: see Offers
      continue;
    }
    if (visit(team)) return;
    link = &team->inbox.next_listed;
  }
}

// No thread can be had: members run target tasks of teams that have no helper.
void leave_targets_to_members() {
  find_offer([](Team* team) {
    TeamInbox& inbox = team->inbox;
    if (!lacks_helper(inbox)) return false;
    set_pool_tasks(inbox, pool_tasks(inbox) + inbox.targets.count);
    append(inbox.tasks, std::exchange(inbox.targets, {}));
    inbox.count.store(inbox.tasks.count, std::memory_order_relaxed); // relaxed: wake_one_sleeper() orders it
    wake_one_sleeper(team);
    return false;
  });
}

// `for_first_helper`: a team lacks one. Agents in any number do not keep it away, for all of them may wait for what it
// is to run. A team's helper looks at the list when it ends, so a team that has one gets others as the CPUs allow.
void call_agent(bool for_first_helper) {
  thread_fence(std::memory_order_seq_cst); // pairs with serve_teams(): the thread sees the list, or we see it parked
  int32_t most = std::max<int32_t>({topology.usable_cpus, config.reserved_free_agents, config.helpers});
  bool may_make = for_first_helper || offers.agents.load(std::memory_order_relaxed) < most; // relaxed: an estimate
  if (!workers_call_idle(may_make)) leave_targets_to_members();
}

} // namespace

int32_t agents_allowed(const Worker* worker) {
  if (config.library == Library::kSerial) return 0;
  const Icvs& now = icvs(worker);
  int32_t allowed = now.num_threads - bound_team(worker->member)->total_threads();
  return std::min(std::max(allowed, config.reserved_free_agents), most_agents_of_group(now.thread_limit));
}

bool agents_want_tasks(const Worker* worker, Team* team, bool target) {
  int32_t allowed = agents_allowed(worker);
  if (allowed <= 0 && !target) return false;
  TeamInbox& inbox = team->inbox;
  std::lock_guard guard(inbox.lock);
  inbox.most_agents = std::max(allowed, 1); // after fork() more than none says that tasks may be lost (after_fork.cpp)
  inbox.thread_limit = icvs(worker).thread_limit;
  inbox.fp_control = !team->serial() ? team->fp_control : config.inherit_fp_control ? fp_control_now() : 0;
  if (target) return inbox.targets.count < policy::kThrottle || !config.task_throttling;
  return pool_tasks(inbox) < policy::kPerRequest * static_cast<uint32_t>(allowed);
}

void agents_offer(Team* team, Task* task) {
  task->next = task->prev = nullptr;
  TeamInbox& inbox = team->inbox;
  bool pool = task->is(kPool), target = pool && is_target(task), calls, lacks, is_new = false;
  // A helper that puts a task back will look at the list itself.
  const bool puts_back = target && task->extra->has_begun && tls_worker->member->team->helps;
  {
    std::lock_guard guard(inbox.lock);
    target ? add_target_locked(inbox.targets, task) : append(inbox.tasks, TaskBatch{task, task, 1});
    inbox.count.store(inbox.tasks.count, std::memory_order_relaxed); // relaxed: wake_one_sleeper() orders it
    if (pool) {
      if (!target) set_pool_tasks(inbox, pool_tasks(inbox) + 1);
      is_new = !inbox.listed;
      inbox.listed = true;
    }
    calls = pool && may_have_another(inbox) && !puts_back;
    lacks = lacks_helper(inbox);
  }
  tls_worker->observe.counters.published.add();
  if (is_new) {
    list(team);
    agents_call_if_missing(); // also for what others have offered before the team was in the list
  } else if (calls) {
    call_agent(lacks);
  }
  if (!target) wake_one_sleeper(team);
}

bool agents_are_wanted() { return offers.teams.load(std::memory_order_relaxed) != 0; } // relaxed: see Offers

AgentTask agents_take() {
  AgentTask taken;
  find_offer([&](Team* team) {
    taken = take_locked(team);
    return taken.task != nullptr;
  });
  if (taken.task != nullptr) offers.agents.fetch_add(1, std::memory_order_relaxed); // relaxed: an estimate
  return taken;
}

Task* agents_take_another(Team* team, const Eligible& eligible) {
  if (!agents_find_offered(team)) return nullptr;
  Eligible for_agents = eligible;
  for_agents.context = const_cast<Eligible*>(&eligible);
  for_agents.may_run = [](void* context, QueueHook* task) {
    const auto* inner = static_cast<const Eligible*>(context);
    return static_cast<Task*>(task)->is(kPool) && inner->may_run(inner->context, task);
  };
  TeamInbox& inbox = team->inbox;
  std::lock_guard guard(inbox.lock);
  QueueHook* task = remove_first(inbox.tasks, for_agents);
  if (task == nullptr) return nullptr;
  set_pool_tasks(inbox, pool_tasks(inbox) - 1);
  inbox.count.store(inbox.tasks.count, std::memory_order_relaxed); // relaxed: a hint
  return static_cast<Task*>(task);
}

// relaxed: exact after a heavy fence.
bool agents_find_offered(const Team* team) { return team->inbox.pool_tasks.load(std::memory_order_relaxed) != 0; }

void agents_call_if_missing() {
  bool missing = false, lacks = false;
  find_offer([&](const Team* team) {
    missing = missing || may_have_another(team->inbox);
    return lacks = lacks_helper(team->inbox);
  });
  if (missing) call_agent(lacks);
}

void agent_leaves(const AgentTask& done) {
  Team* team = done.team;
  offers.agents.fetch_sub(1, std::memory_order_relaxed); // relaxed: an estimate
  if (done.counted)
    team->group->group_threads.fetch_sub(Team::kOneAgent, std::memory_order_relaxed); // relaxed: a count
  std::lock_guard guard(team->inbox.lock);
  --(done.helps ? team->inbox.helpers : team->inbox.agents);
}

void agents_reset_after_fork() {
  offers.lock.reset_after_fork();
  offers.first = nullptr;
  offers.teams.store(0, std::memory_order_relaxed); // relaxed, both: one thread exists
  offers.agents.store(0, std::memory_order_relaxed);
}

bool is_free_agent(const Member* member) {
  for (; member != nullptr; member = member->team->parent_member) {
    if (member->team->served != nullptr) return !member->team->helps;
    if (member->tid != 0) return false;
  }
  return false;
}

} // namespace chomp
