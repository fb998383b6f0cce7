// The private deque: where the tasks that a worker creates wait, unseen by others. The owner pushes and pops at the top
// with plain loads and stores. A thief announces how much of the old end it takes, makes every CPU execute a fence, and
// takes what the owner has not popped meanwhile. Only when both want the same task does the owner take the lock.
//
// (Proof: runtime/core/README.md, "The private deque"; model: test/model/forced_steal.pml. The protocol is Cilk's
// T.H.E. with an asymmetric fence and batches.)
//
//   owner, pop                              thief (holds the lock)
//   top = top - 1                           limit = base + wanted
//   (compiler barrier)                      heavy fence: every owner store before it is visible, every
//   if top < limit: take the lock, look                  owner load after it sees the new limit
//   … the task at top is ours …             if top < limit: limit = top, or base
//                                           … the tasks of [base, limit) are ours …
//                                           base = limit (release)
//
// Indices are 64-bit: base <= limit, waiting = top - base. base and limit only grow, except that a thief may take back
// an announcement; outside the lock they are equal. Where the kernel refuses membarrier(2), limit is kFenceMode for
// ever: every pop then takes the lock. If it refuses later, the next thief sets it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/base/cacheline.h"
#include "runtime/base/check.h"
#include "runtime/base/lock.h"
#include "runtime/base/policy.h"
#include "runtime/core/task.h"
#include "schedulers/scheduler.h"

namespace chomp {

struct Member;
struct Wait;

class alignas(kCacheLine) PrivateDeque {
public:
  /// Gives the deque its first slots, so many, a power of two. Once, before the member's first task.
  void init(uint64_t slots);

  // relaxed: the owner reads its own store; for others it is an estimate.
  uint64_t top() const { return top_.load(std::memory_order_relaxed); }
  uint64_t base() const { return base_.load(std::memory_order_relaxed); } // relaxed: an estimate unless inside the lock
  uint64_t size() const {
    uint64_t base_now = base(), top_now = top();
    return top_now > base_now ? top_now - base_now : 0;
  }
  // The floor: pops stop there. Above it are only tasks created or released by the current task and by what ran on top
  // of it since. Owner only; nothing else writes it. Invariant: the floors of the tasks on the stack, from below, and
  // then the top, do not decrease, but where lower_floor() follows the top down.
  uint64_t floor() const { return floor_; }
  /// A task or a group begins: its floor is the top. Returns the floor before, for restore_floor() when it ends.
  uint64_t raise_floor() {
    uint64_t outer = floor_;
    raise_floor(top());
    return outer;
  }
  void raise_floor(uint64_t top_now) {
    DCHECK(top_now == top());
    floor_ = top_now;
  }
  void restore_floor(uint64_t outer) { floor_ = outer; }
  /// In builds with checks: a task that leaves some above its floor has said what stands for them (leave_deque()).
#ifdef CHOMP_CHECKS
  void note_left_in_order() { in_order_ = top(); }
  bool left_in_order() const { return !holds_above(floor_) || in_order_ == top(); }
#else
  void note_left_in_order() {}
#endif
  /// The current task has popped one that it had made before its group began.
  void lower_floor() { floor_ = std::min(floor_, top()); }
  /// The newest task will wait below the floor, for the task below the current one on the stack. The current task keeps
  /// one at most: if it never ends, others must not wait for it.
  void keep_newest_below() { floor_ = kept_floor_ = top(); }
  bool floor_is_fixed() const { return floor_is_fixed_; }
  bool may_keep_below() const { return !floor_is_fixed_ && top() == floor_ && floor_ != kept_floor_; }
  /// While one lives, code of the program runs on top of a caller that keeps the floor in a variable.
  class FixedFloor {
  public:
    explicit FixedFloor(PrivateDeque& deque) : deque_(deque), outer_(deque.floor_is_fixed_) {
      deque.floor_is_fixed_ = true;
    }
    ~FixedFloor() { deque_.floor_is_fixed_ = outer_; }
    FixedFloor(const FixedFloor&) = delete;
    FixedFloor& operator=(const FixedFloor&) = delete;

  private:
    PrivateDeque& deque_;
    bool outer_;
  };

  /// Owner only. push() refuses once `most` tasks are waiting, or as many as there are slots; 0: always.
  void set_bound(uint64_t most) {
    bound_ = most <= mask_ ? most : mask_ + 1;
    push_limit_ = 0;
  }
  bool full() const { return top() >= push_limit_; } // as far as is known
  uint64_t bound() const { return bound_; }
  /// Owner only, after push() refused: no longer counts tasks that thieves have taken. Returns whether there is room
  /// now.
  bool make_room() {
    // acquire: pairs with release in export_oldest_locked(): thieves have read the slots that are used again.
    push_limit_ = base_.load(std::memory_order_acquire) + bound_;
    return top() < push_limit_;
  }

  /// Owner only. False when the bound is reached, as far as is known: nothing was pushed.
  bool push(Task* task) {
    uint64_t top_now = top();
    if (CHOMP_UNLIKELY(top_now >= push_limit_)) return false;
    slots_[top_now & mask_] = task;
    task->enters_queue();
    // release: pairs with acquire in steal_by_force(); the slot, the task
    top_.store(top_now + 1, std::memory_order_release);
    return true;
  }

  /// Owner only. The newest task, if it lies above `floor`; else null. `*top_left` is the top then, if a task is
  /// returned. `contended(index)` is pop_contended(), which code in programs calls through a table (wait/inlined.h).
  template <typename Contended> Task* pop_above(uint64_t floor, uint64_t* top_left, Contended contended) {
    uint64_t top_now = top();
    if (top_now <= floor) return nullptr;
    *top_left = --top_now;
    top_.store(top_now, std::memory_order_release); // release: pairs as in push(), for slots below
    signal_fence(std::memory_order_seq_cst);        // light side: pairs with heavy_fence() in steal_by_force()
    // relaxed: a thief that announced too late for us sees our top.
    if (CHOMP_UNLIKELY(top_now < limit_.load(std::memory_order_relaxed))) return contended(top_now);
    Task* task = slots_[top_now & mask_];
    __builtin_assume(task != nullptr);
    task->leaves_queue();
    return task;
  }
  Task* pop_above(uint64_t floor, uint64_t* top_left) {
    return pop_above(floor, top_left, [this](uint64_t index) { return pop_contended(index); });
  }
  Task* pop_above(uint64_t floor) {
    uint64_t top_left;
    return pop_above(floor, &top_left);
  }

  /// Owner only. The rest of a pop that may meet a thief: the top has become `index`.
  CHOMP_SLOW Task* pop_contended(uint64_t index);

  /// Owner only. Takes up to `count` of the oldest tasks; none if a thief has the lock. Counts them as exported by
  /// `owner`.
  TaskBatch take_oldest(unsigned count, Member* owner);

  /// Owner only. Takes the oldest task, if `eligible` allows it; none if a thief has the lock. It is not exported: it
  /// runs here.
  Task* take_oldest_eligible(const Eligible& eligible);

  /// Owner only. Pushes beyond the bound, into new slots if none are free.
  void push_growing(Task* task);

  /// Owner only. Whether a task above `floor` is left.
  bool holds_above(uint64_t floor) const {
    // acquire: pairs with release in export_oldest_locked(); a caller that finds nothing sees what the exporter
    // counted.
    return top() > floor && top() > base_.load(std::memory_order_acquire);
  }

  /// Any member. Takes the oldest half of another member's tasks, at most kThrottle / 4, and counts them as exported by
  /// `thief`. Empty if there are none, if the lock is taken, or if they are of a later region than that in which the
  /// thief waits.
  TaskBatch steal_by_force(Member* thief, const Wait& wait);

  /// Decides again whether pops take the lock.
  void reset_after_fork();
  /// The child of fork() forgets the tasks, too.
  void forget_after_fork();

private:
  static constexpr uint64_t kFenceMode = ~uint64_t{0};

  void grow();
  void set_limit_locked(uint64_t limit);
  void fence_locked();
  TaskBatch export_oldest_locked(uint64_t count, Member* exporter);

  // Written by the owner at every operation.
  uint64_t floor_ = 0;
  atomic<uint64_t> top_{0};
  uint64_t push_limit_ = 0; // push() refuses at this index, at most base + bound_
  uint64_t bound_ = 0;      // at most the number of slots
  Task** slots_ = nullptr;  // and mask_: changed by the owner inside the lock
  uint64_t mask_ = 0;
  uint64_t kept_floor_ = ~uint64_t{0};
  bool floor_is_fixed_ = false;
#ifdef CHOMP_CHECKS
  uint64_t in_order_ = ~uint64_t{0}; // the top when a task that left said so
#endif
  // Written inside the lock, rarely.
  alignas(kCacheLine) atomic<uint64_t> limit_{0};
  atomic<uint64_t> base_{0};
  Lock lock_;
};

} // namespace chomp
