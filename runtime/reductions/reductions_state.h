// What a worker remembers of task reductions (task_reduction.cpp). Owner only.
#pragma once

#include <cstdint>

namespace chomp {

/// An answer of task_reduction_copy(): tasks of one group ask for the same items again and again.
struct alignas(32) ReductionLookup {
  uint64_t reduction = 0; // the number of the innermost group's reduction; 0: there is no answer
  const void* address = nullptr;
  void* copy = nullptr;
};
inline constexpr unsigned kReductionLookups = 4;

struct ReductionsState {
  uint64_t begun = 0;
  ReductionLookup lookups[kReductionLookups]; // by address
};

} // namespace chomp
