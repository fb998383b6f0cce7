// The slow half of the private deque: revocation, growth, and what the owner does when it finds itself revoked.
#include "runtime/private_deque.h"

#include "runtime/memory.h"

namespace chomp {

void PrivateDeque::init() {
  slots_ = static_cast<Task**>(memory_permanent(kInitialCapacity * sizeof(Task*)));
  mask_ = kInitialCapacity - 1;
  set_fence_mode(!membarrier_available);
}

void PrivateDeque::set_fence_mode(bool on) {
  // relaxed: nobody else uses the deque yet (start-up), or no other thread exists (fork).
  revoked_.store(on ? kFenceMode : kFree, std::memory_order_relaxed);
  busy_.store(0, std::memory_order_relaxed); // relaxed: as above
}

// busy_ is 1 and revoked_ is not free: either a thief is inside or about to be, or owners need real fences here.
void PrivateDeque::enter_slow() {
  for (;;) {
    std::atomic_thread_fence(std::memory_order_seq_cst); // fence mode: pairs with the fence in heavy_fence(), revoke()
    // acquire: pairs with release in revoke(); the owner sees what the thief took.
    if ((revoked_.load(std::memory_order_acquire) & ~kFenceMode) == kFree) return;
    busy_.store(0, std::memory_order_release); // release: pairs with acquire in revoke()
    wait_until_returned();
    busy_.store(1, std::memory_order_relaxed); // relaxed: the fence above orders it before the next look at revoked_
  }
}

void PrivateDeque::wait_until_returned() {
  for (int spin = 0; spin < 200; ++spin) {
    // relaxed: enter_slow() looks again with acquire.
    if ((revoked_.load(std::memory_order_relaxed) & ~kFenceMode) == kFree) return;
    cpu_pause();
  }
  // relaxed: only announces that somebody sleeps; the thief's exchange in revoke() sees it and wakes.
  uint32_t seen = revoked_.fetch_or(kOwnerSleeps, std::memory_order_relaxed);
  if ((seen & kRevoked) == 0) {
    revoked_.fetch_and(~kOwnerSleeps, std::memory_order_relaxed); // relaxed: undoes our own announcement
    return;
  }
  futex_wait(&revoked_, seen | kOwnerSleeps);
}

// Inside the lock. The tasks leave the deque linked in order.
TaskBatch PrivateDeque::link_oldest_locked(unsigned count) {
  uint64_t first = base();
  TaskBatch batch;
  batch.count = count;
  batch.oldest = slots_[first & mask_];
  QueueHook* last = batch.oldest;
  last->prev = nullptr;
  for (uint64_t index = first + 1; index < first + count; ++index) {
    QueueHook* task = slots_[index & mask_];
    last->next = task;
    task->prev = last;
    last = task;
  }
  last->next = nullptr;
  batch.newest = last;
  base_.store(first + count, std::memory_order_relaxed); // relaxed: released with busy_ or revoked_
  return batch;
}

TaskBatch PrivateDeque::take_oldest(unsigned count) {
  TaskBatch batch;
  enter_owner_only();
  uint64_t waiting = top() - base();
  if (count > waiting) count = static_cast<unsigned>(waiting);
  if (count > 0) batch = link_oldest_locked(count);
  leave_owner_only();
  return batch;
}

void PrivateDeque::grow() {
  uint64_t capacity_now = capacity();
  Task** larger = static_cast<Task**>(memory_permanent(2 * capacity_now * sizeof(Task*)));
  enter_owner_only();
  for (uint64_t index = base(); index < top(); ++index) larger[index & (2 * capacity_now - 1)] = slots_[index & mask_];
  slots_ = larger; // the old slots stay mapped: together they are smaller than the new ones
  mask_ = 2 * capacity_now - 1;
  leave_owner_only();
}

TaskBatch PrivateDeque::revoke() {
  TaskBatch batch;
  if (size() == 0 || !revoker_.try_lock()) return batch;
  // seq_cst: with real fences on both sides this is the store of the store-load pair; pairs with enter_owner_only().
  revoked_.fetch_or(kRevoked, std::memory_order_seq_cst);
  heavy_fence();
  bool inside = false;
  for (int spin = 0; spin < 1000 && !inside; ++spin) {
    inside = busy_.load(std::memory_order_acquire) == 0; // acquire: pairs with release in leave_owner_only()
    if (!inside) cpu_pause();
  }
  if (inside) {
    uint64_t waiting = top() - base();
    uint64_t half = (waiting + 1) / 2;
    if (half > kMostRevoked) half = kMostRevoked;
    if (half > 0) batch = link_oldest_locked(static_cast<unsigned>(half));
  }
  // release: pairs with acquire in enter_owner_only() and enter_slow(); the owner sees the new base.
  uint32_t seen = revoked_.fetch_and(kFenceMode, std::memory_order_release);
  if ((seen & kOwnerSleeps) != 0) futex_wake(&revoked_, 1);
  revoker_.unlock();
  return batch;
}

} // namespace chomp
