// A number that one thread counts up, for statistics that others may read at any time. Costs a plain addition.
#pragma once

#include <atomic>
#include <cstdint>

namespace chomp {

class Counter {
public:
  // relaxed, all: one writer; readers get some value of it.
  void add(uint64_t count = 1) { value_.store(value() + count, std::memory_order_relaxed); }
  uint64_t value() const { return value_.load(std::memory_order_relaxed); } // relaxed: as above

private:
  std::atomic<uint64_t> value_{0};
};

} // namespace chomp
