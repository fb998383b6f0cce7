// Publishing batches, the team's inbox and the list of tasks with priority. See publish.h.
#include "runtime/publish.h"

#include "runtime/idle.h"
#include "runtime/task.h"

namespace chomp {
namespace {

void append_locked(TaskBatch& list, TaskBatch batch) {
  batch.oldest->prev = list.newest;
  if (list.newest != nullptr)
    list.newest->next = batch.oldest;
  else
    list.oldest = batch.oldest;
  list.newest = batch.newest;
  list.count += batch.count;
}

void remove_locked(TaskBatch& list, QueueHook* task) {
  (task->prev != nullptr ? task->prev->next : list.oldest) = task->next;
  (task->next != nullptr ? task->next->prev : list.newest) = task->prev;
  --list.count;
}

// The first task of the list that may run. `count` mirrors the list's length for those who look without the lock.
Task* take_first(TaskBatch& list, Lock& lock, std::atomic<uint32_t>& count, const Eligible& eligible) {
  if (count.load(std::memory_order_relaxed) == 0) return nullptr; // relaxed: a hint; exact after a heavy fence
  LockGuard guard(lock);
  for (QueueHook* task = list.oldest; task != nullptr; task = task->next) {
    if (!eligible.may_run(eligible.context, task)) continue;
    remove_locked(list, task);
    count.store(list.count, std::memory_order_relaxed); // relaxed: a hint
    return static_cast<Task*>(task);
  }
  return nullptr;
}

int32_t priority_of(QueueHook* task) { return static_cast<Task*>(task)->extra->priority; }

} // namespace

void publish_oldest(Member* member) {
  Team* team = member->team;
  unsigned wanted = team->scheduler->wanted(team->scheduler_state, member->tid);
  if (wanted == 0) return;
  uint64_t waiting = member->deque.size();
  if (waiting == 0) return;
  uint64_t half = (waiting + 1) / 2;
  TaskBatch batch = member->deque.take_oldest(half < wanted ? static_cast<unsigned>(half) : wanted, member);
  if (batch.count > 0) publish_batch(member, batch);
}

void publish_batch(Member* member, TaskBatch batch) {
  Team* team = member->team;
  team->scheduler->publish(team->scheduler_state, member->tid, batch);
  idle_wake_one(team);
}

void publish_one(Member* member, Task* task) {
  task->next = task->prev = nullptr;
  publish_batch(member, TaskBatch{task, task, 1});
}

bool anything_published(const Team* team) {
  // relaxed, both: exact after a heavy fence.
  return team->scheduler->has_tasks(team->scheduler_state) || team->inbox_count.load(std::memory_order_relaxed) != 0 ||
         team->priority_count.load(std::memory_order_relaxed) != 0;
}

void publish_to_inbox(Team* team, TaskBatch batch) {
  {
    LockGuard guard(team->inbox_lock);
    append_locked(team->inbox, batch);
    team->inbox_count.store(team->inbox.count, std::memory_order_relaxed); // relaxed: idle_wake_one() orders it
  }
  idle_wake_one(team);
}

Task* inbox_take(Team* team, const Eligible& eligible) {
  return take_first(team->inbox, team->inbox_lock, team->inbox_count, eligible);
}

void publish_by_priority(Member* member, Task* task) {
  Team* team = member->team;
  {
    LockGuard guard(team->priority_lock);
    TaskBatch& list = team->priority_list;
    QueueHook* after = list.newest; // the last task that stays ahead of this one: FIFO among equals
    while (after != nullptr && priority_of(after) < priority_of(task)) after = after->prev;
    task->prev = after;
    task->next = after != nullptr ? after->next : list.oldest;
    (after != nullptr ? after->next : list.oldest) = task;
    (task->next != nullptr ? task->next->prev : list.newest) = task;
    ++list.count;
    team->priority_count.store(list.count, std::memory_order_relaxed); // relaxed: idle_wake_one() orders it
  }
  idle_wake_one(team);
}

Task* priority_take(Team* team, const Eligible& eligible) {
  return take_first(team->priority_list, team->priority_lock, team->priority_count, eligible);
}

} // namespace chomp
