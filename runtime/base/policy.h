// The numbers that decide when tasks move and threads sleep, for the runtime and its schedulers. Where possible a
// number is a multiple of something that the runtime measures while it runs. A "cost" is what an acquisition takes
// (runtime/core/granularity.h), a "fence" what a membarrier takes (heavy_fence_cycles()). Each comment ends with what
// goes wrong if the number is a quarter ("less") or four times as large ("more").
#pragma once

#include <cstdint>

namespace chomp::policy {

// --- What waits where: tasks -----------------------------------------------------------------------------------------
/// How many tasks may wait in a private deque before new ones run at their creation. The number is libomp's. A
/// forced steal takes half of what the victim has, and at most a quarter of this. Less: thieves find little. More:
/// memory.
inline constexpr uint64_t kThrottle = 256;
/// Tasks published for each requesting member, and tasks that a member keeps on offer while anybody is requesting.
/// Less: owners publish more often. More: they take tasks back.
inline constexpr unsigned kPerRequest = 2;

// --- What hand-overs are worth: costs --------------------------------------------------------------------------------
/// A hand-over is worth it if the thief is busy for this many costs. The owner pays as much as the thief, and the lines
/// of the task itself move too. Less: short tasks are shared. More: long ones are not.
inline constexpr uint32_t kGrainCosts = 4;
/// From this many costs on a hand-over is worth it beyond doubt. A member that waits in a tied task requests once in
/// that time; while hand-overs are not worth it, eight times in kProbeCosts. Less: graphs run far ahead. More: creators
/// help early, and tied waits find their tasks late.
inline constexpr uint32_t kCoarseGrainCosts = 16;
/// A measured value below the mean moves the mean by 1/kPartDown of the difference. A larger value at most doubles the
/// mean. Less: the worth of large tasks is lost. More: short tasks are shared for long.
inline constexpr uint32_t kPartDown = 64;
/// Costs from one probe to the next while hand-overs are not worth it. Less: probes cost time that shows.
/// More: changes are noticed late.
inline constexpr uint32_t kProbeCosts = 1024;
/// Fences within which an owner should answer. A member that has been requesting for that long watches an owner. If the
/// owner does not touch its deque for as long again, the member steals tasks by force from it. A member that accepts
/// hand-offs counts as present for as long after it has said so. Less: owners are interrupted. More: stuck tasks wait.
inline constexpr uint32_t kAnswerFences = 4;

// --- Waiting: nanoseconds --------------------------------------------------------------------------------------------
/// How long an idle worker spins before it parks, unless the user gives a blocktime: libomp's default, 200 ms, burns
/// whole CPUs in programs with serial phases. A wake costs some 50 us, so spinning 100 times as long wastes at most 1 %
/// either way. Less: more wakes. More: CPUs burnt.
inline constexpr int64_t kDefaultSpinNs = 5'000'000;
/// A yield that took longer gave the CPU to somebody. With 20 us here, calls of another library's threads, of 30 us,
/// with regions between them, take 1.26 times as long.
inline constexpr int64_t kIdleYieldNs = 1'000;
/// After this time of spinning a thread offers its CPU to others: about what a wake takes. If somebody took it last
/// time, the thread offers it at once, unless yields have been long lately: then it sleeps after that time. Less: where
/// others use the CPUs, each brief wait becomes a sleep and a wake (with 20 us regions of 13 us take 88, not 32). More:
/// others wait.
inline constexpr int64_t kYieldAfterNs = 50'000;
/// Pauses between two looks at the clock. Less: the clock costs time. More: threads yield and sleep late.
inline constexpr uint32_t kRoundsBeforeClock = 32;
/// More threads than CPUs: yields before a thread sleeps. Less: more wakes. More: those that work wait.
inline constexpr uint32_t kYieldsBeforeSleep = 16;
/// A wait for a store that is about to come: pauses before the thread yields at each look. Less: yields. More: a thread
/// without a CPU is late.
inline constexpr int kPausesBeforeYield = 200;
/// Cycles from which on a yield is long: 0.2 ms, which is longer than most calls of another library's threads, and
/// twice that for each thread that shares the CPU, since these work too: with a tenth of it, eight regions of two
/// threads on two CPUs slept and woke where libomp yields (1.15 of its time). For how long it is remembered that yields
/// take half of the time, at first and at most: some 50 ms, 3 s. Less: threads sleep where yields serve. More: they
/// lose their time slices to other programs.
inline constexpr uint64_t kLongYieldCycles = 400'000, kSharersYieldCycles = 1'000'000;
inline constexpr uint64_t kCostlyFirstCycles = uint64_t{1} << 27, kCostlyLongestCycles = uint64_t{1} << 33;
/// How long a domain's sentinel sleeps between two looks around: at first; at most, while tasks wait somewhere; at
/// most, while none do. The pause doubles from the first value to the limit. A sleep without the heavy fence may miss a
/// wake, so such a sleep ends after kBusyPauseNs. The pause after a probe for which the member was woken is as long.
/// Less: CPU time. More: stuck tasks wait.
inline constexpr int64_t kFirstPauseNs = 50'000, kBusyPauseNs = 1'000'000, kQuietPauseNs = 10'000'000;

// --- Large teams -----------------------------------------------------------------------------------------------------
/// How many deques of others a spinning member looks at for each look at the clock; how many other domains a thief
/// looks at before it looks at its own again; how many thieves in a row a member that waits in a tied task follows.
/// Less: far and stuck tasks are found late. More: owners' lines move.
inline constexpr int32_t kLooksInPassing = 4;
/// hierarchical: the most lists of a domain. In a domain with more members some share a list. Less: members wait for
/// locks. More: the bits of a domain need more than a word.
inline constexpr int kMostLists = 64;

/// In a larger team the members take turns, so many at a time, to measure what hand-overs are worth. Less: changes are
/// noticed late. More: members wait for the line of what they measure.
inline constexpr int kMeasuring = 4;

// --- Team sizes that the runtime chooses: cycles ---------------------------------------------------------------------
/// A longer region is not small: it is never tried with fewer threads than it asks for.
inline constexpr uint64_t kSmallRegionCycles = 1 << 19;
/// Of shorter regions only some are timed, one in about so many cycles, since two looks at the clock take some 50
/// cycles.
inline constexpr uint64_t kUntimedCycles = 1 << 12;

/// From one look at the container's quota and the threads' masks to the next: about half a second at most. The first
/// look only notes the time.
inline constexpr uint64_t kCountAgainCycles = 1 << 29;

// --- Schedulers: cycles, tasks ---------------------------------------------------------------------------------------
/// hierarchical: only every kFullLook-th look of a member that waits in a tied task goes everywhere. Less: lines move.
/// More: descendants are found late.
inline constexpr unsigned kFullLook = 32;
/// After its thief found nothing, a domain keeps away from the others' cache lines for so many cycles. The fence before
/// parking takes longer, so a thread that goes to sleep always looks once more. Less: far lines move. More: the last
/// look is skipped.
inline constexpr uint64_t kThiefPause = 1 << 10;
/// The most tasks that wait in a queue that tasks are dealt to: the queue of a member, or of a pair (xqueue). The list
/// of tasks that owners may not run, from which everybody takes, has the same limit. Beyond it a new task runs at its
/// creation. Less: creators run more tasks themselves. More: memory.
inline constexpr unsigned kMostDealt = 32;
/// xqueue-steal: the most tasks that an answer to a thief brings. Less: more requests. More: givers have none left.
inline constexpr unsigned kGiven = 8;

} // namespace chomp::policy
