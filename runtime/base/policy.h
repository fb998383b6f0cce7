// The numbers that decide when tasks move and threads sleep, for the runtime and its schedulers. Where possible a
// number is a multiple of something that the runtime measures while it runs. A "cost" is what an acquisition takes
// (runtime/core/worth.h), a "fence" what a membarrier takes (heavy_fence_cycles()). Each comment ends with what goes
// wrong if the number is a quarter ("less") or four times as large ("more").
#pragma once

#include <cstdint>

namespace chomp::policy {

// --- What waits where: tasks -----------------------------------------------------------------------------------------
/// How many tasks may wait in a private deque before new ones run at their creation. The number is libomp's. A
/// revocation takes half of what the victim has, and at most a quarter of this. Less: thieves find little. More:
/// memory.
inline constexpr uint64_t kThrottle = 256;
/// Tasks that are published for each hungry member, and that a member keeps on offer while anybody is hungry. Less:
/// owners publish more often. More: they take tasks back.
inline constexpr unsigned kPerHungry = 2;

// --- What hand-overs are worth: costs --------------------------------------------------------------------------------
/// A hand-over is worth it if the thief is busy for this many costs. The owner pays as much as the thief, and the lines
/// of the task itself move too. Less: short tasks are shared. More: long ones are not.
inline constexpr uint32_t kWorthCosts = 4;
/// From this many costs on it is worth it beyond doubt. A member that waits in a tied task requests once in that time,
/// or eight times in kProbeCosts while hand-overs are not worth it. Less: graphs run far ahead. More: creators help
/// early, and tied waits find their tasks late.
inline constexpr uint32_t kClearlyWorthCosts = 16;
/// A smaller value moves the mean by 1/kPartDown of the difference. A larger one at most doubles it. Less: the worth of
/// large tasks is lost. More: short tasks are shared for long.
inline constexpr uint32_t kPartDown = 64;
/// Costs from one probe to the next while hand-overs are not worth it. Less: probes cost time that shows.
/// More: changes are noticed late.
inline constexpr uint32_t kProbeCosts = 1024;
/// Fences within which an owner should answer. A member that has been hungry for that long watches an owner. If that
/// does not touch its deque for as long again, the member revokes tasks from it.
/// A member that accepts gifts counts as present for as long after it has said so. Less: owners are interrupted. More:
/// stuck tasks wait.
inline constexpr uint32_t kAnswerFences = 4;

// --- Waiting: nanoseconds --------------------------------------------------------------------------------------------
/// How long an idle worker spins before it parks, unless the user gives a blocktime: libomp's default, 200 ms, burns
/// whole CPUs in programs with serial phases. A wake costs some 50 us, so spinning 100 times as long wastes at most 1 %
/// either way. Less: more wakes. More: CPUs burnt.
inline constexpr int64_t kDefaultSpinNs = 5'000'000;
/// A yield that took longer gave the CPU to somebody. With 20 us here calls of another library's threads, of 30 us,
/// with regions between them take 1.26 of their time.
inline constexpr int64_t kIdleYieldNs = 1'000;
/// After this time of spinning a thread offers its CPU to others; if somebody took it last time, at once. Less: brief
/// waits yield. More: others wait.
inline constexpr int64_t kYieldAfterNs = 20'000;
/// How long a domain's lookout sleeps between two looks around: at first; at most while tasks wait somewhere; at most
/// while none do. The pause doubles from the first to the limit. A sleep without the heavy fence may miss a wake, so it
/// ends after kBusyPauseNs, and so does the pause after a probe for which the member was woken. Less: CPU time. More:
/// stuck tasks wait.
inline constexpr int64_t kFirstPauseNs = 50'000, kBusyPauseNs = 1'000'000, kQuietPauseNs = 10'000'000;

// --- Large teams -----------------------------------------------------------------------------------------------------
/// Others' deques that a spinning member looks at each time that it looks at the clock; other domains that a domain's
/// thief looks at before its member looks at its own again; and members, each of which took from the one before, whose
/// lists one that waits in a tied task looks at. Less: far and stuck tasks are found late. More: owners' lines move.
inline constexpr int32_t kLooksInPassing = 4;
/// hierarchical: lists of a domain; where it has more members, some share one. Less: members wait for locks. More: the
/// bits of a domain need more than a word.
inline constexpr int kMostLists = 64;

/// Of a larger team so many members, in turn, measure what hand-overs are worth. Less: changes are noticed late. More:
/// members wait for the line of what they measure.
inline constexpr int kMeasuring = 4;

// --- Team sizes that the runtime chooses: cycles ---------------------------------------------------------------------
/// A longer region is not small: it is never tried with fewer threads than it asks for.
inline constexpr uint64_t kSmallRegionCycles = 1 << 19;
/// Of shorter regions only some are timed, one in about so many cycles, since looking at the clock twice takes some 50.
inline constexpr uint64_t kUntimedCycles = 1 << 12;

/// From one look at the container's quota and the threads' masks to the next: half a second at most. The second counts.
inline constexpr uint64_t kCountAgainCycles = 1 << 29;

// --- Schedulers: cycles, tasks ---------------------------------------------------------------------------------------
/// hierarchical: of a member that waits in a tied task only every kFullLook-th look goes everywhere. Less: lines move.
/// More: descendants are found late.
inline constexpr unsigned kFullLook = 32;
/// Cycles for which a domain's thief that found nothing keeps away from the others' cache lines. That is shorter than
/// the fence before parking, so a thread that goes to sleep always looks once more. Less: far lines move. More: the
/// last look is skipped.
inline constexpr uint64_t kThiefPause = 1 << 10;
/// The most tasks that wait in a queue that tasks are dealt to: of a member, or of a pair (xqueue). The list of tasks
/// that owners may not run, from which everybody takes, has the same limit. Beyond it a new task runs at its creation.
/// Less: creators run more tasks themselves. More: memory.
inline constexpr unsigned kMostDealt = 32;
/// xqueue-steal: the most tasks that an answer to a thief brings. Less: more requests. More: givers are left without.
inline constexpr unsigned kGiven = 8;

} // namespace chomp::policy
