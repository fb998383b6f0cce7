// The only names that the runtime, the schedulers and abi/ use for atomics (tools/testing/checks/memory_order.py
// looks). They stand for those of the standard library. A build may put instrumented twins in their place.
#pragma once

#include <atomic>

namespace chomp {

template <typename T> using atomic = std::atomic<T>;
template <typename T> using atomic_ref = std::atomic_ref<T>;

/// Stores a value unless it is there already. So a line that others read stays in their caches if nothing changes.
template <typename T> inline void store_if_new(T& field, const T& value) {
  if (!(field == value)) field = value;
}
template <typename T> inline void store_if_new(atomic<T>& word, T value) {
  // relaxed, both: only the caller writes the word; what publishes the value is the caller's affair.
  if (word.load(std::memory_order_relaxed) != value) word.store(value, std::memory_order_relaxed);
}

/// A fence of this CPU. The caller's comment names its partner.
inline void thread_fence(std::memory_order order) { std::atomic_thread_fence(order); }

/// A fence of the compiler only: the light side of a pair with heavy_fence() (os_linux.h).
inline void signal_fence(std::memory_order order) { std::atomic_signal_fence(order); }

} // namespace chomp
