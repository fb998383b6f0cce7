// The private deque: where the tasks that a worker creates wait, unseen by others. Owner: pushes and pops at the top
// with plain loads and stores. Thief: revokes, and takes the oldest half. No allocation, lock or callback while `busy`.
//
// The asymmetric lock (proof: runtime/README.md, "Revocation"; model: test/model/revocation.pml):
//
//   owner                                   thief (holds revoker)
//   busy = 1                                revoked = 1
//   (compiler barrier)                      heavy fence: every owner store before it is visible, every
//   if revoked: step back, wait                          owner load after it sees revoked == 1
//   … plain accesses …                      wait for busy == 0, or withdraw
//   busy = 0 (release)                      … plain accesses …
//                                           revoked = 0 (release)
//
// Where the kernel refuses membarrier(2), `revoked` carries kFenceMode for ever: every owner operation then takes the
// slow path, which uses a real fence. Indices are 64-bit and only grow at the base: base <= top, waiting = top - base.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/base/cacheline.h"
#include "runtime/base/check.h"
#include "runtime/base/lock.h"
#include "runtime/task.h"

namespace chomp {

class alignas(kCacheLine) PrivateDeque {
public:
  static constexpr uint64_t kInitialCapacity = 512;
  static constexpr unsigned kMostRevoked = 256; // tasks taken by one revocation

  /// Gives the deque its first slots. Once, before the member's first task.
  void init();

  // relaxed: the owner reads its own store; thieves guess.
  uint64_t top() const { return top_.load(std::memory_order_relaxed); }
  uint64_t base() const { return base_.load(std::memory_order_relaxed); } // relaxed: a guess unless inside the lock
  uint64_t size() const {
    uint64_t base_now = base(), top_now = top();
    return top_now > base_now ? top_now - base_now : 0;
  }
  /// Pops stop here: above it are only tasks created by the current task and by what ran on top of it since.
  uint64_t mark = 0; // owner only
  /// push() refuses at this index; recomputed by task_spawn.cpp (throttle, capacity).
  uint64_t push_limit = 0; // owner only

  /// Owner only. False when top has reached push_limit: nothing was pushed.
  bool push(Task* task) {
    uint64_t top_now = top();
    if (CHOMP_UNLIKELY(top_now >= push_limit)) return false;
    enter_owner_only();
    slots_[top_now & mask_] = task;
    top_.store(top_now + 1, std::memory_order_relaxed); // relaxed: published by leave_owner_only()
    leave_owner_only();
    return true;
  }

  /// Owner only. The newest task, if it lies above `floor`; else null.
  Task* pop_above(uint64_t floor) {
    uint64_t top_now = top();
    if (top_now <= floor) return nullptr;
    enter_owner_only();
    if (CHOMP_UNLIKELY(top_now <= base())) {
      leave_owner_only();
      return nullptr;
    }
    Task* task = slots_[(top_now - 1) & mask_];
    top_.store(top_now - 1, std::memory_order_relaxed); // relaxed: published by leave_owner_only()
    leave_owner_only();
    return task;
  }

  /// Owner only. Puts back what pop_above() just gave.
  void push_back(Task* task) {
    enter_owner_only();
    uint64_t top_now = top();
    slots_[top_now & mask_] = task;
    top_.store(top_now + 1, std::memory_order_relaxed); // relaxed: published by leave_owner_only()
    leave_owner_only();
  }

  /// Owner only. Takes up to `count` of the oldest tasks.
  TaskBatch take_oldest(unsigned count);

  /// Owner only. Makes room for as many again. Allocates outside the lock.
  void grow();

  uint64_t capacity() const { return mask_ + 1; }

  /// Any thread. Takes the oldest half of another member's tasks, at most kMostRevoked; empty if there are none,
  /// somebody else is revoking, or the owner was preempted inside an operation.
  TaskBatch revoke();

  /// Decides once, at start-up or after fork(), whether owners need real fences.
  void set_fence_mode(bool on);

private:
  static constexpr uint32_t kFree = 0, kRevoked = 1, kOwnerSleeps = 2, kFenceMode = 4;

  void enter_owner_only() {
    // relaxed: ordered before the load of revoked_ by the thief's heavy fence.
    busy_.store(1, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst); // light side: pairs with heavy_fence() in revoke()
    // acquire: pairs with release in revoke(); the owner sees what the thief took.
    if (CHOMP_UNLIKELY(revoked_.load(std::memory_order_acquire) != kFree)) enter_slow();
  }
  void leave_owner_only() { busy_.store(0, std::memory_order_release); } // release: pairs with acquire in revoke()
  CHOMP_SLOW void enter_slow();
  void wait_until_returned();
  TaskBatch link_oldest_locked(unsigned count);

  // Written by the owner at every operation (base_: by whoever is inside the lock).
  std::atomic<uint32_t> busy_{0};
  std::atomic<uint64_t> top_{0};
  std::atomic<uint64_t> base_{0};
  Task** slots_ = nullptr;
  uint64_t mask_ = 0;
  // Written by thieves, rarely.
  alignas(kCacheLine) std::atomic<uint32_t> revoked_{kFree};
  Lock revoker_;
};

} // namespace chomp
