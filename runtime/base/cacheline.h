// The unit in which processors share memory: fields are grouped by writer, one cache line per group. And that in which
// the system gives it: what a first region touches lies in few pages.
#pragma once

#include <cstddef>

namespace chomp {

inline constexpr size_t kCacheLine = 64;

/// Of a large variable that begins as zero, and of which little or nothing is used: it lies apart from the small ones.
#define CHOMP_LARGE __attribute__((section(".bss.large")))

} // namespace chomp
