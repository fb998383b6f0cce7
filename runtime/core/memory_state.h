// A worker's own blocks of memory, in size classes (memory.h).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "runtime/base/check.h"

namespace chomp {

struct Task;

// Classes 1 … 16 are multiples of 64 bytes; class 17 + k is 2048 << k.
inline constexpr unsigned kFineClasses = 16;
inline constexpr unsigned kSizeClasses = 48;
inline constexpr unsigned kBatch = 64; // blocks moved to or from the depot at once

inline unsigned size_class_of(size_t bytes) {
  if (CHOMP_LIKELY(bytes <= kFineClasses * 64)) return static_cast<unsigned>((bytes + 63) / 64);
  unsigned log = static_cast<unsigned>(std::bit_width(bytes - 1)); // bytes <= 1 << log, log >= 11
  return kFineClasses + 1 + (log - 11);
}
inline size_t size_of_class(unsigned size_class) {
  return size_class <= kFineClasses ? size_class * size_t{64} : size_t{2048} << (size_class - kFineClasses - 1);
}

/// A worker's own blocks. Owner only.
struct MemoryState {
  Task* free_blocks[kSizeClasses] = {}; // linked through Task::next
  uint32_t surplus[kSizeClasses] = {};  // freed here, but allocated elsewhere
};

} // namespace chomp
