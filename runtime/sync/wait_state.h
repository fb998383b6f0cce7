// How a thread waits: where it sleeps, its place in a queue of a program's lock, and what it knows of the CPU.
#pragma once

#include "runtime/base/atomic.h"
#include "runtime/base/cacheline.h"
#include "runtime/sync/program_lock.h"
#include "runtime/sync/shown_wait.h"
#include "runtime/sync/waiting.h"

namespace chomp {

/// Values of WaitState::parked.
inline constexpr uint32_t kAwake = 0, kParked = 1;
inline constexpr uint32_t kAskedToBeSentinel = 2; // parked, and its domain has lost its sentinel (wait/sentinel.h)
/// Parked for a while without the heavy fence, so not asked. The second sleeps on DomainLine::brief_events, too.
inline constexpr uint32_t kParkedBriefly = 3, kParkedWithDomain = 4;
inline constexpr uint32_t kParkedForItself = 5; // parked, and not asked: it may begin nothing (Wait::begins_nothing)

struct WaitState {
  // Written by the worker, its wakers and sentinels that stop sleeping.
  alignas(kCacheLine) atomic<uint32_t> parked{kAwake};
  atomic<int> wakers_cpu{-1}; // where the last waker ran, or the thread that made this one
  LockQueueNode lock_node;    // in the queue of a program's lock (program_lock.cpp)
  // Owner only.
  alignas(kCacheLine) CpuOffers cpu_offers;
  ShownWait shown; // for the stall report, under its own lock
};

} // namespace chomp
