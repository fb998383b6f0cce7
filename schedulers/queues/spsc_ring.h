// A bounded FIFO with one producer and one consumer, as in FastForward (Giacomoni, Moseley, Vachharajani, PPoPP 2008)
// and XQueue. The slots themselves say which side may write them, so the two sides share no index. Each operation loads
// a slot and stores it, without a locked instruction or a fence.
//
//   a slot is null  <=>  the producer may write it
//
// Zeroed memory is an empty ring. Model: test/model/xqueue.pml.
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/base/cacheline.h"
#include "schedulers/scheduler.h"

namespace chomp {

template <uint32_t kSlots> class SpscRing {
  static_assert((kSlots & (kSlots - 1)) == 0);

public:
  /// Producer only.
  bool full() const {
    // acquire: pairs with release in pop(): the consumer has read the slot.
    return slots_[next_in_ & (kSlots - 1)].load(std::memory_order_acquire) != nullptr;
  }

  /// Producer only. False: full.
  bool push(QueueHook* task) {
    if (full()) return false;
    // release: pairs with acquire in pop(); what the task holds.
    slots_[next_in_++ & (kSlots - 1)].store(task, std::memory_order_release);
    return true;
  }

  /// Consumer only, or the thread that has taken its place. Null: empty.
  QueueHook* pop() {
    uint32_t next = next_out();
    QueueHook* task =
        slots_[next & (kSlots - 1)].load(std::memory_order_acquire); // acquire: pairs with release in push()
    if (task == nullptr) return nullptr;
    slots_[next & (kSlots - 1)].store(nullptr, std::memory_order_release); // release: pairs with acquire in full()
    next_out_.store(next + 1, std::memory_order_relaxed);                  // relaxed: the consumer's own
    return task;
  }

  /// Any thread: an estimate.
  bool empty() const {
    // relaxed: an estimate.
    return slots_[next_out() & (kSlots - 1)].load(std::memory_order_relaxed) == nullptr;
  }

private:
  // relaxed: the consumer reads its own store; others estimate.
  uint32_t next_out() const { return next_out_.load(std::memory_order_relaxed); }

  alignas(kCacheLine) uint32_t next_in_ = 0;         // the producer's
  alignas(kCacheLine) atomic<uint32_t> next_out_{0}; // the consumer's
  alignas(kCacheLine) atomic<QueueHook*> slots_[kSlots] = {};
};

} // namespace chomp
