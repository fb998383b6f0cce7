// Lets an owner use what is its own without a locked instruction, though another thread may, rarely, take its place:
// Dekker's pattern with an asymmetric fence. It guards the consumer's end of queues with one consumer.
//
//   owner                                     another
//   inside = 1                                closed = 1 (exchange: one at a time)
//   light fence                               heavy fence
//   closed? then inside = 0, and stay out     inside? then closed = 0, and stay out
//   … what is guarded …                       … what is guarded …
//   inside = 0 (release)                      closed = 0 (release)
//
// Neither waits. Model: test/model/xqueue.pml.
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/base/os_linux.h"

namespace chomp {

class OwnerGate {
public:
  /// Owner only. False: another thread is inside.
  bool enter_owner_only() {
    inside_.store(1, std::memory_order_relaxed); // relaxed: ordered by the fence
    light_fence();                               // pairs with heavy_fence() in try_enter()
    // acquire: pairs with release in leave(); the owner sees what the other thread did.
    if (__builtin_expect(closed_.load(std::memory_order_acquire) == 0, 1)) return true;
    leave_owner_only();
    return false;
  }
  void leave_owner_only() { inside_.store(0, std::memory_order_release); } // release: pairs with acquire in try_enter()

  /// Any thread but the owner. False: the owner or a third thread is inside. Interrupts every CPU of the process.
  bool try_enter() {
    // acquire: pairs with release in leave(). relaxed: a look before the exchange.
    if (closed_.load(std::memory_order_relaxed) != 0 || closed_.exchange(1, std::memory_order_acquire) != 0)
      return false;
    heavy_fence(); // pairs with light_fence() in enter_owner_only(): either we see it inside or it sees the gate closed
    if (inside_.load(std::memory_order_acquire) == 0) return true; // acquire: pairs with release in leave_owner_only()
    leave();
    return false;
  }
  void leave() { closed_.store(0, std::memory_order_release); } // release: pairs with acquire in enter_owner_only()

private:
  atomic<uint32_t> inside_{0}; // written by the owner
  atomic<uint32_t> closed_{0};
};

} // namespace chomp
