// See priority_queue.h.
#include "runtime/core/priority_queue.h"

#include <string.h>

#include "runtime/core/memory.h"
#include "runtime/core/task.h"
#include "runtime/core/task_list.h"

namespace chomp {

void PriorityQueue::make_room_locked() {
  if (level_count_ < capacity_) return;
  uint32_t larger = capacity_ == 0 ? 16 : 2 * capacity_;
  auto* levels = static_cast<Level*>(memory_permanent(larger * sizeof(Level)));
  if (level_count_ > 0) memcpy(static_cast<void*>(levels), levels_, level_count_ * sizeof(Level));
  levels_ = levels; // the old ones stay mapped: together they are smaller
  capacity_ = larger;
}

PriorityQueue::Level* PriorityQueue::level_of_locked(int32_t priority) {
  uint32_t low = 0, high = level_count_; // the level is in [low, high], if there is one
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (levels_[middle].priority > priority)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == level_count_ || levels_[low].priority != priority) {
    make_room_locked();
    memmove(static_cast<void*>(&levels_[low + 1]), &levels_[low], (level_count_ - low) * sizeof(Level));
    levels_[low] = Level{priority, {}};
    ++level_count_;
    if (low < first_) ++first_;
  }
  if (low < first_) first_ = low;
  return &levels_[low];
}

void PriorityQueue::note_change_locked(uint32_t count) {
  while (first_ < level_count_ && levels_[first_].tasks.count == 0) ++first_;
  // relaxed, all: hints; wake_one_sleeper() orders them for those that go to sleep.
  highest_.store(first_ < level_count_ ? levels_[first_].priority : 0, std::memory_order_relaxed);
  count_.store(count, std::memory_order_relaxed);
  changes_.store(changes() + 1, std::memory_order_relaxed);
}

void PriorityQueue::push(Task* task, int32_t priority) {
  std::lock_guard guard(lock_);
  task->enters_queue();
  task->next = task->prev = nullptr;
  append(level_of_locked(priority)->tasks, TaskBatch{task, task, 1});
  note_change_locked(size() + 1);
}

Task* PriorityQueue::take(const Eligible& eligible, int32_t least) {
  if (size() == 0) return nullptr;
  std::lock_guard guard(lock_);
  for (uint32_t level = first_; level < level_count_ && levels_[level].priority > least; ++level) {
    QueueHook* task = remove_first(levels_[level].tasks, eligible);
    if (task == nullptr) continue;
    note_change_locked(size() - 1);
    static_cast<Task*>(task)->leaves_queue();
    return static_cast<Task*>(task);
  }
  return nullptr;
}

void PriorityQueue::forget_after_fork() {
  reset_after_fork();
  levels_ = nullptr; // another thread may have been in the middle of a change
  level_count_ = capacity_ = first_ = 0;
  // relaxed, both: one thread exists.
  count_.store(0, std::memory_order_relaxed);
  highest_.store(0, std::memory_order_relaxed);
}

} // namespace chomp
