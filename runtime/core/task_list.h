// Doubly linked lists of tasks (TaskBatch), for queues that hold them under a lock.
#pragma once

#include "schedulers/scheduler.h"

namespace chomp {

inline void append(TaskBatch& list, TaskBatch batch) {
  batch.oldest->prev = list.newest;
  (list.newest != nullptr ? list.newest->next : list.oldest) = batch.oldest;
  list.newest = batch.newest;
  list.count += batch.count;
}

/// Puts a task behind `before`; null: to the beginning.
inline void insert_after(TaskBatch& list, QueueHook* before, QueueHook* task) {
  task->prev = before;
  task->next = before != nullptr ? before->next : list.oldest;
  (before != nullptr ? before->next : list.oldest) = task;
  (task->next != nullptr ? task->next->prev : list.newest) = task;
  ++list.count;
}

/// Takes the oldest task that may run out of the list; null if there is none.
inline QueueHook* remove_first(TaskBatch& list, const Eligible& eligible) {
  QueueHook* task = list.oldest;
  while (task != nullptr && !eligible.may_run(eligible.context, task)) task = task->next;
  if (task == nullptr) return nullptr;
  (task->prev != nullptr ? task->prev->next : list.oldest) = task->next;
  (task->next != nullptr ? task->next->prev : list.newest) = task->prev;
  --list.count;
  return task;
}

} // namespace chomp
