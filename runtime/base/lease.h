// A role that one of several threads takes for all of them, such as looking after owners that seem stuck. The holder
// renews the lease now and then. A holder that has not done so for a while was preempted, and the next thread that asks
// takes the role. So for a moment two threads may hold one lease: it is good for speed only.
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/base/os_linux.h"
#include "runtime/base/policy.h"

namespace chomp {

class Lease {
public:
  /// A thread's part of a lease. Owner only.
  class Hold {
  public:
    explicit operator bool() const { return renewed_at_ != 0; }

  private:
    friend class Lease;
    uint64_t renewed_at_ = 0; // by the cycle counter; 0: the thread does not hold the lease
  };

  /// Takes the lease, or renews it. False: another thread has it.
  bool take_or_renew(Hold& hold) {
    uint64_t now = cycle_counter(), seen = hold.renewed_at_;
    if (seen != 0 && now - seen < policy::kLeaseCycles / 4) return true;
    // relaxed, all: nothing is handed over with the role.
    if (seen == 0 && is_held_at(seen = renewed_at_.load(std::memory_order_relaxed), now)) return false;
    bool holds = renewed_at_.compare_exchange_strong(seen, now, std::memory_order_relaxed);
    hold.renewed_at_ = holds ? now : 0;
    return holds;
  }

  void drop(Hold& hold) {
    // relaxed: as above. If the exchange fails, another thread has taken over.
    if (hold) renewed_at_.compare_exchange_strong(hold.renewed_at_, 0, std::memory_order_relaxed);
    hold.renewed_at_ = 0;
  }

  /// Whether some thread has it; an estimate.
  bool is_held() const {
    uint64_t renewed_at = renewed_at_.load(std::memory_order_relaxed); // relaxed: an estimate
    return renewed_at != 0 && is_held_at(renewed_at, cycle_counter());
  }

private:
  static bool is_held_at(uint64_t renewed_at, uint64_t now) {
    return renewed_at != 0 && now - renewed_at < policy::kLeaseCycles;
  }

  atomic<uint64_t> renewed_at_{0}; // by the cycle counter; 0: nobody holds it
};

} // namespace chomp
