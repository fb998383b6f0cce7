// The unit in which processors share memory. Fields are grouped by writer, one cache line per group.
#pragma once

#include <cstddef>

namespace chomp {

inline constexpr size_t kCacheLine = 64;

} // namespace chomp
