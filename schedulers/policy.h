// The numbers of the schedulers' policies.
#pragma once

#include <cstdint>

namespace chomp::policy {

/// Tasks that hierarchical, mts, sherwood and central want published for each hungry member.
inline constexpr unsigned kPerHungry = 2;
/// Tasks that a member offers in its own queue while anybody is hungry (steal, depth; hierarchical: at least).
inline constexpr unsigned kOnOffer = 2;
/// hierarchical: lists of a domain; where it has more members, some share one.
inline constexpr int kMostLists = 64;
/// Other domains that a domain's thief looks at, before its member looks at its own again: all others of a large
/// machine take longer than a steal.
inline constexpr int kVictimsInPassing = 4;
/// hierarchical: a member that waits in a tied task looks at the lists of so many members, each of which took from the
/// one before, and everywhere at each so many-th look only.
inline constexpr int kMostTakers = 3;
inline constexpr unsigned kFullLook = 32;
/// How long a domain's thief that found nothing keeps away from the others' cache lines, in cycles, doubling. The
/// longest is below what the fence before parking costs, so that a thread that goes to sleep always looks once more.
inline constexpr uint64_t kFirstPause = 1 << 8, kLongestPause = 1 << 12;
/// Tasks that wait at most in a queue that tasks are dealt to (lifo, fifo, nemesis), and in the list of those that
/// owners may not run, from which everybody takes. Beyond that a new task runs at its creation.
inline constexpr unsigned kMostDealt = 64;
/// xqueue: slots of each of the rings, one for each pair of members.
inline constexpr unsigned kRingSlots = 32;
/// xqueue-steal: tasks that an answer to a thief brings at most.
inline constexpr unsigned kGiven = 8;

} // namespace chomp::policy
