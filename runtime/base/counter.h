// A number that one thread counts up, for statistics that other threads may read at any time. Counting costs a plain
// addition.
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"

namespace chomp {

class Counter {
public:
  // relaxed, all: there is one writer, and any recent value will do for readers.
  void add(uint64_t count = 1) { value_.store(value() + count, std::memory_order_relaxed); }
  uint64_t value() const { return value_.load(std::memory_order_relaxed); } // relaxed: as above

private:
  atomic<uint64_t> value_{0};
};

} // namespace chomp
