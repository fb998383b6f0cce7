// Publishing batches, and the team's inbox. See publish.h.
#include "runtime/stealing/publish.h"

#include "runtime/base/policy.h"
#include "runtime/core/events.h"
#include "runtime/core/task.h"
#include "runtime/core/task_list.h"
#include "runtime/threads/wake.h"
#include "runtime/core/worker.h"

namespace chomp {

void request_tasks(Member* owner) {
  owner->requests.store(&requested, std::memory_order_relaxed); // relaxed: a hint
}

// How many tasks the member should publish now, whether it has seen requests in its domain or one of its own. A request
// is answered even if something is on offer already, since the member that requests may have to refuse that. While
// steals are not worth it, only a member that probes is answered, with one task: see Granularity::wants_answer().
// Owner only.
static unsigned wanted_now(Member* member) {
  const Team* team = member->team;
  unsigned wanted = 0;
  bool by_others = other_chips_ask(member);
  if (by_others || member->worth->wants_answer()) wanted = team->scheduler->wanted(team->scheduler_state, member->tid);
  if (wanted > 1 && !by_others && !member->worth->pays()) wanted = 1;
  // relaxed, both: a request that comes in between is answered with this one.
  if (member->requests.load(std::memory_order_relaxed) != &requested) return wanted;
  member->requests.store(team->scheduler_state->request_word(member->domain), std::memory_order_relaxed);
  return wanted > policy::kPerRequest ? wanted : policy::kPerRequest;
}

void publish_oldest(Member* member) {
  unsigned wanted = wanted_now(member);
  if (wanted == 0) return;
  uint64_t waiting = member->deque.size();
  if (waiting == 0) return;
  uint64_t half = (waiting + 1) / 2;
  TaskBatch batch = member->deque.take_oldest(half < wanted ? static_cast<unsigned>(half) : wanted, member);
  if (batch.count == 0) return;
  member->worth->note_answer();
  publish_batch(member, batch);
}

bool publish_wanted(Member* member) { return wanted_now(member) > 0; }

void publish_batch(Member* member, TaskBatch batch) {
  Team* team = member->team;
  for (QueueHook* task = batch.oldest; task != nullptr; task = task->next) static_cast<Task*>(task)->enters_queue();
  tls_worker->observe.counters.published.add(batch.count); // `member` may be another worker's
  if (CHOMP_UNLIKELY(team->observed())) event_published(tls_worker, batch.count);
  if (team->scheduler->publish(team->scheduler_state, member->tid, batch)) wake_one_sleeper(team);
}

void publish_one(Member* member, Task* task) {
  task->next = task->prev = nullptr;
  publish_batch(member, TaskBatch{task, task, 1});
}

bool publish_dealt(Member* member, Task* task) {
  Team* team = member->team;
  task->next = task->prev = nullptr;
  task->enters_queue();
  int owner =
      team->scheduler->deal(team->scheduler_state, member->tid, team->size(), task, member->worker->stealing.counts);
  if (owner < 0) {
    task->leaves_queue();
    return false;
  }
  member->worker->observe.counters.published.add();
  if (owner != member->tid) worker_wake(team->members[owner].worker);
  return true;
}

void publish_dealt_always(Member* member, Task* task) {
  if (!publish_dealt(member, task)) publish_one(member, task);
}

// The lists of all chips; exact after a heavy fence.
static bool any_urgent(const Team* team) {
  if (!team->has_urgent()) return false;
  for (int32_t domain = 0; domain < team->shape.domain_count; ++domain)
    if (team->domain_lines[domain].urgent.size() != 0) return true;
  return false;
}

bool anything_published(const Team* team) {
  // relaxed: exact after a heavy fence.
  return team->scheduler->has_tasks(team->scheduler_state) || team->inbox.count.load(std::memory_order_relaxed) != 0 ||
         any_urgent(team);
}

void publish_to_inbox(Team* team, TaskBatch batch) {
  tls_worker->observe.counters.published.add(batch.count);
  QueueHook* task = batch.oldest; // there is one
  do static_cast<Task*>(task)->enters_queue();
  while ((task = task->next) != nullptr);
  {
    std::lock_guard guard(team->inbox.lock);
    append(team->inbox.tasks, batch);
    team->inbox.count.store(team->inbox.tasks.count,
                            std::memory_order_relaxed); // relaxed: wake_one_sleeper() orders it
  }
  wake_one_sleeper(team);
}

Task* inbox_take(Team* team, const Eligible& eligible) {
  if (team->inbox.count.load(std::memory_order_relaxed) == 0) return nullptr; // relaxed: exact after a heavy fence
  std::lock_guard guard(team->inbox.lock);
  auto task = static_cast<Task*>(remove_first(team->inbox.tasks, eligible));
  if (task != nullptr) task->leaves_queue();
  if (task != nullptr && task->is(kPool))
    team->inbox.pool_tasks.fetch_sub(1, std::memory_order_relaxed);            // relaxed: under the lock
  team->inbox.count.store(team->inbox.tasks.count, std::memory_order_relaxed); // relaxed: a hint
  return task;
}

void publish_by_priority(Member* member, Team* team, Task* task) {
  tls_worker->observe.counters.published.add();
  bool own = member->team == team;
  if (own) member->pushed_urgent = true;
  team->note_urgent();
  (own ? member->urgent : team->members[0].urgent)->push(task, task_priority(task));
  if (!own || somebody_asks(member)) wake_one_sleeper(team); // else a sentinel finds what the creator leaves
}

} // namespace chomp
