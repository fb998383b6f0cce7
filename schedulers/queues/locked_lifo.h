// A list of tasks under a lock: the members that share it push and pop at the newest end, others steal from the oldest.
// A thread that waits in a task asks only once for each task whether it may run it (RefusedLists). Those that it has
// not asked about are at the newest end. So after a look in vain it takes the lock again only when something was
// pushed.
#pragma once

#include <algorithm>

#include "runtime/base/atomic.h"
#include "runtime/base/cacheline.h"
#include "runtime/base/lock.h"
#include "schedulers/scheduler.h"

namespace chomp {

class alignas(kCacheLine) LockedLifo {
public:
  /// The members that took tasks, as far as they have said so: index 0 is the last one; -1: no more are known. A hint.
  /// The word lies on the line that these members have locked anyway.
  // relaxed, all: a hint; one that is noted at the same time may be lost.
  static constexpr int kThieves = 4;
  int thief(int index) const {
    return static_cast<int>(thieves_.load(std::memory_order_relaxed) >> kThiefBits * index & kOneThief) - 1;
  }
  void note_thief(int thief) {
    uint64_t before = thieves_.load(std::memory_order_relaxed), number = static_cast<uint64_t>(thief) + 1;
    if ((before & kOneThief) == number) return;
    int from = 1; // the index that the thief had, or the last one: those before it move up
    while (from < kThieves - 1 && (before >> kThiefBits * from & kOneThief) != number) ++from;
    uint64_t moving = (uint64_t{1} << kThiefBits * from) - 1;
    uint64_t staying = ~((moving << kThiefBits) | kOneThief);
    thieves_.store((before & staying) | (before & moving) << kThiefBits | number, std::memory_order_relaxed);
  }

  /// How many tasks wait; an estimate outside the lock.
  // relaxed: an estimate; exact after a heavy fence.
  unsigned size() const { return count_.load(std::memory_order_relaxed); }

  void push(TaskBatch batch) {
    std::lock_guard guard(lock_);
    batch.oldest->prev = newest_;
    (newest_ != nullptr ? newest_->next : oldest_) = batch.oldest;
    newest_ = batch.newest;
    // relaxed, both: the lock orders them.
    ever_pushed_.store(ever_pushed() + batch.count, std::memory_order_relaxed);
    count_.store(size() + batch.count, std::memory_order_relaxed);
  }

  /// The newest task that may run.
  QueueHook* pop(const Eligible& eligible) {
    if (size() == 0 || eligible.unseen(this, ever_pushed()) == 0) return nullptr;
    std::lock_guard guard(lock_);
    QueueHook* task = newest_;
    for (uint64_t unseen = eligible.unseen(this, ever_pushed()); task != nullptr && unseen > 0;
         --unseen, task = task->prev)
      if (eligible.may_run(eligible.context, task)) return remove_locked(task);
    eligible.refuse_all(this, ever_pushed());
    return nullptr;
  }

  /// The oldest task that may run. A thief that looks in passing does not wait for the lock. If all that see a task
  /// waited, the owner would have to wait behind them.
  QueueHook* steal_one(const Eligible& eligible) {
    if (size() == 0 || eligible.unseen(this, ever_pushed()) == 0 || !lock_for(eligible)) return nullptr;
    QueueHook* task = oldest_unseen_locked(eligible);
    while (task != nullptr && !eligible.may_run(eligible.context, task)) task = task->next;
    if (task != nullptr)
      remove_locked(task);
    else
      eligible.refuse_all(this, ever_pushed());
    lock_.unlock();
    return task;
  }

  /// Up to `most` of the oldest tasks, but at most half of what waits (rounded up), in order. It does not wait for the
  /// lock where steal_one() does not.
  TaskBatch steal(unsigned most, const Eligible& eligible) {
    TaskBatch batch;
    if (size() == 0 || !lock_for(eligible)) return batch;
    batch = steal_locked(most);
    lock_.unlock();
    return batch;
  }

  /// All that waits, in order.
  TaskBatch take_all() {
    TaskBatch batch;
    if (size() == 0) return batch;
    std::lock_guard guard(lock_);
    batch = {oldest_, newest_, size()};
    oldest_ = newest_ = nullptr;
    count_.store(0, std::memory_order_relaxed); // relaxed: the lock orders it
    return batch;
  }

  /// Called in the child of fork().
  void reset_after_fork() { lock_.reset_after_fork(); }

private:
  // How many tasks were ever pushed.
  // relaxed: as size(); it changes before a task can be missed.
  uint64_t ever_pushed() const { return ever_pushed_.load(std::memory_order_relaxed); }

  bool lock_for(const Eligible& eligible) {
    if (eligible.in_passing) return lock_.try_lock();
    lock_.lock();
    return true;
  }

  TaskBatch steal_locked(unsigned most) {
    TaskBatch batch;
    unsigned half = (size() + 1) / 2;
    unsigned count = std::min(most, half);
    if (count == 0) return batch;
    batch.oldest = batch.newest = oldest_;
    for (batch.count = 1; batch.count < count; ++batch.count) batch.newest = batch.newest->next;
    oldest_ = batch.newest->next;
    (oldest_ != nullptr ? oldest_->prev : newest_) = nullptr;
    batch.newest->next = nullptr;
    count_.store(size() - batch.count, std::memory_order_relaxed); // relaxed: the lock orders it
    return batch;
  }

  QueueHook* oldest_unseen_locked(const Eligible& eligible) const {
    uint64_t unseen = eligible.unseen(this, ever_pushed());
    if (unseen >= size()) return oldest_;
    QueueHook* task = unseen > 0 ? newest_ : nullptr;
    while (unseen > 1) {
      task = task->prev;
      --unseen;
    }
    return task;
  }

  QueueHook* remove_locked(QueueHook* task) {
    (task->prev != nullptr ? task->prev->next : oldest_) = task->next;
    (task->next != nullptr ? task->next->prev : newest_) = task->prev;
    count_.store(size() - 1, std::memory_order_relaxed); // relaxed: the lock orders it
    return task;
  }

  atomic<unsigned> count_{0};
  Lock lock_;
  atomic<uint64_t> ever_pushed_{0};
  QueueHook* newest_ = nullptr;
  QueueHook* oldest_ = nullptr;
  static constexpr int kThiefBits = 16;
  static constexpr uint64_t kOneThief = (1 << kThiefBits) - 1;
  atomic<uint64_t> thieves_{0}; // numbers + 1, the last one in the lowest bits; 0: none
};

} // namespace chomp
