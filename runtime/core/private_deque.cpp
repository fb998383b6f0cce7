// The slow half of the private deque: forced steal, growth, and what the owner does when it meets a thief.
#include "runtime/core/private_deque.h"

#include "runtime/base/preemption.h"
#include "runtime/core/memory.h"
#include "runtime/core/worker.h"
#include "runtime/wait/work_loop.h"

namespace chomp {

void PrivateDeque::init(uint64_t slots) {
  slots_ = static_cast<Task**>(memory_permanent(slots * sizeof(Task*)));
  mask_ = slots - 1;
  reset_after_fork();
}

void PrivateDeque::reset_after_fork() {
  lock_.reset_after_fork();
  // relaxed: nobody else uses the deque yet (start-up), or no other thread exists (fork).
  limit_.store(membarrier_available.load(std::memory_order_relaxed) ? base() : kFenceMode, std::memory_order_relaxed);
}

void PrivateDeque::forget_after_fork() {
  base_.store(top(), std::memory_order_relaxed); // relaxed: no other thread exists
  reset_after_fork();
}

// The owner has lowered top to `index`, below the limit: a thief takes tasks there, or has taken some, or pops always
// take the lock.
Task* PrivateDeque::pop_contended(uint64_t index) {
  // This spares the lock where the owner looks again and again at what was taken long ago. acquire: pairs with release
  // in steal_by_force().
  bool gone = base_.load(std::memory_order_acquire) > index;
  Task* task = nullptr;
  if (!gone) {
    std::lock_guard guard(lock_);
    gone = base() > index;
    if (!gone) {
      task = slots_[index & mask_];
      task->leaves_queue();
    }
  }
  if (gone) top_.store(index + 1, std::memory_order_release); // release: pairs as in push()
  return task;
}

void PrivateDeque::set_limit_locked(uint64_t limit) {
  // relaxed, both: ordered by the fence of steal_by_force() where it matters; the owner's slow path takes the lock.
  if (limit_.load(std::memory_order_relaxed) != kFenceMode) limit_.store(limit, std::memory_order_relaxed);
}

// The heavy side of every pop.
void PrivateDeque::fence_locked() {
  heavy_fence();
  // relaxed, all: ordered by the fences.
  if (CHOMP_LIKELY(membarrier_available.load(std::memory_order_relaxed))) return;
  if (limit_.load(std::memory_order_relaxed) == kFenceMode) return;
  // The system has begun to refuse membarrier(2). Pops never execute a fence: from now on they take the lock.
  limit_.store(kFenceMode, std::memory_order_relaxed);
  thread_fence(std::memory_order_seq_cst); // pairs with the visit: the owner sees it
  fence_by_visits_slow();
}

// The tasks of [base, base + count) leave the deque linked in order. They are counted before the owner can see that
// they are gone: from then on it may believe that it has nothing left (barrier.cpp).
TaskBatch PrivateDeque::export_oldest_locked(uint64_t count, Member* exporter) {
  TaskBatch batch;
  if (count == 0) return batch;
  uint64_t first = base();
  QueueHook* last = nullptr;
  for (uint64_t i = 0; i < count; ++i) {
    Task* task = slots_[(first + i) & mask_];
    task->leaves_queue();
    task_count_exported(exporter, task);
    (last == nullptr ? batch.oldest : last->next) = task;
    task->prev = last;
    last = task;
  }
  last->next = nullptr;
  batch.newest = last;
  batch.count = static_cast<unsigned>(count);
  base_.store(first + count, std::memory_order_release); // release: pairs with acquire in pop_contended()
  return batch;
}

TaskBatch PrivateDeque::take_oldest(unsigned count, Member* owner) {
  TaskBatch batch;
  if (!lock_.try_lock()) return batch;
  uint64_t waiting = top() - base();
  if (count > waiting) count = static_cast<unsigned>(waiting);
  set_limit_locked(base() + count);
  batch = export_oldest_locked(count, owner);
  if (batch.newest != nullptr) owner->worker->stealing.published_flags = static_cast<Task*>(batch.newest)->flags;
  lock_.unlock();
  return batch;
}

Task* PrivateDeque::take_oldest_eligible(const Eligible& eligible) {
  if (!lock_.try_lock()) return nullptr;
  uint64_t first = base();
  Task* task = first < top() ? slots_[first & mask_] : nullptr;
  if (task != nullptr && !eligible.may_run(eligible.context, task)) task = nullptr;
  if (task != nullptr) {
    set_limit_locked(first + 1);
    base_.store(first + 1, std::memory_order_release); // release: pairs as in export_oldest_locked()
    task->leaves_queue();
  }
  lock_.unlock();
  return task;
}

void PrivateDeque::grow() {
  uint64_t slots_now = mask_ + 1;
  Task** larger = static_cast<Task**>(memory_permanent(2 * slots_now * sizeof(Task*)));
  std::lock_guard guard(lock_);
  for (uint64_t index = base(); index < top(); ++index) larger[index & (2 * slots_now - 1)] = slots_[index & mask_];
  slots_ = larger; // the old slots stay mapped: together they are smaller than the new ones
  mask_ = 2 * slots_now - 1;
  if (bound_ == slots_now) bound_ = 2 * slots_now;
}

void PrivateDeque::push_growing(Task* task) {
  // acquire: pairs as in make_room().
  if (top() - base_.load(std::memory_order_acquire) > mask_) grow();
  uint64_t top_now = top();
  slots_[top_now & mask_] = task;
  task->enters_queue();
  top_.store(top_now + 1, std::memory_order_release); // release: pairs as in push()
}

TaskBatch PrivateDeque::steal_by_force(Member* thief, const Wait& wait) {
  TaskBatch batch;
  long_preemption_point(); // meanwhile the deque may come to hold tasks of another region
  if (size() == 0 || !lock_.try_lock()) return batch;
  uint64_t first = base();
  uint64_t wanted = (size() + 1) / 2;
  constexpr uint64_t kMost = policy::kBatch; // the owner may have to wait until they are moved
  if (wanted > kMost) wanted = kMost;
  set_limit_locked(first + wanted);
  thief->worker->observe.counters.revocations.add();
  // Where pops take the lock this is not needed, but then it is only a fence of this CPU. pairs with the light side in
  // pop_above(): either the owner sees the limit or we see its top
  fence_locked();
  // acquire: pairs with release in push() and pop_above(); the slots below top are written.
  uint64_t top_now = top_.load(std::memory_order_acquire);
  // The thief's region may have ended since it looked around, and the next one begun. What it counted as exported would
  // be forgotten when it follows the start signal.
  if (!tasks_possible(wait, thief)) top_now = first;
  if (top_now < first + wanted) {
    wanted = top_now > first ? top_now - first : 0;
    set_limit_locked(first + wanted);
  }
  batch = export_oldest_locked(wanted, thief);
  thief->worker->observe.counters.revoked_tasks.add(batch.count);
  lock_.unlock();
  return batch;
}

} // namespace chomp
