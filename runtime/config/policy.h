// The numbers that decide when tasks move and threads sleep.
#pragma once

#include <cstdint>

namespace chomp::policy {

/// How many tasks may wait in a private deque before new ones run at their creation. The number is libomp's.
inline constexpr uint64_t kThrottle = 256;
/// Tasks taken by one revocation, at most; never more than half of what the victim has.
inline constexpr unsigned kMostRevoked = 64;
/// A private deque that nobody has touched for so long, while somebody is hungry, is revoked.
inline constexpr int64_t kStuckNs = 20'000;
/// How long an idle worker spins before it parks, unless the user gives a blocktime: libomp's default, 200 ms, burns
/// whole CPUs in programs with serial phases. A wake costs some 50 us, so spinning 100 times as long wastes at most 1 %
/// either way.
inline constexpr int64_t kDefaultSpinNs = 5'000'000;
/// Members of a team in which every idle one may look at all others' lines.
inline constexpr int32_t kFewMembers = 16;

} // namespace chomp::policy
