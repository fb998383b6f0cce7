// The numbers that decide when tasks move and threads sleep, for the runtime and its schedulers: what was chosen, not
// sizes of structures. Where possible a number is a multiple of something that the runtime measures while it runs. A
// "cost" is what an acquisition takes (runtime/core/granularity.h), a "fence" what a membarrier takes
// (heavy_fence_cycles()). Each comment ends with what goes wrong if the number is a quarter ("less") or four times as
// large ("more"). What is given in terms of a number, here or elsewhere, moves with it.
#pragma once

#include <cstdint>

namespace chomp::policy {

// --- What waits where: tasks -----------------------------------------------------------------------------------------
/// How many tasks may wait in a private deque before new ones run at their creation. The number is libomp's. A
/// forced steal takes half of what the victim has, and at most kBatch; as many are timed or resumed in a row.
/// Less: thieves find little. More: memory.
inline constexpr uint64_t kThrottle = 256, kBatch = kThrottle / 4;
/// How many unfinished children a task may have before it helps, if they have dependences and are worth a steal
/// (else kThrottle: so many still have to end); how many tasks with priorities, or with affinity to another domain, may
/// wait: so many that the order of priorities means something. Less: creators help early. More: memory.
inline constexpr int64_t kManyChildren = 4 * kThrottle;
inline constexpr uint32_t kMostElsewhere = 16 * kThrottle;
/// A creator that finds no task to run waits so long for each child that is too many. Less: memory. More: it is late to
/// make what the children wait for.
inline constexpr int64_t kNsPerChild = 256;
/// Tasks published for each requesting member, and tasks that a member keeps on offer while anybody is requesting.
/// Less: owners publish more often. More: they take tasks back.
inline constexpr unsigned kPerRequest = 2;

// --- What steals are worth: costs ------------------------------------------------------------------------------------
/// A steal is worth it if the thief is busy for this many costs. The owner pays as much as the thief, and the lines
/// of the task itself move too. Less: short tasks are shared. More: long ones are not.
inline constexpr uint32_t kGrainCosts = 4;
/// From this many costs on a steal is worth it beyond doubt. A member that waits in a tied task requests once in
/// that time; while steals are not worth it, eight times in kProbeCosts. Less: graphs run far ahead. More: creators
/// help early, and tied waits find their tasks late.
inline constexpr uint32_t kCoarseGrainCosts = 4 * kGrainCosts;
/// A measured value below the mean moves the mean by 1/kPartDown of the difference. A larger value at most doubles the
/// mean. Less: the worth of large tasks is lost. More: short tasks are shared for long.
inline constexpr uint32_t kPartDown = 64;
/// Costs from one probe to the next while steals are not worth it. Less: probes cost time that shows.
/// More: changes are noticed late.
inline constexpr uint32_t kProbeCosts = 1152;
/// Fences within which an owner should answer. A member that has been requesting for that long watches an owner. If the
/// owner does not touch its deque for as long again, the member steals tasks by force from it. A member that accepts
/// hand-offs counts as present for as long after it has said so. A thread waits as long for another one's membarrier.
/// Less: owners are interrupted. More: stuck tasks wait.
inline constexpr uint32_t kAnswerFences = 4;

// --- Waiting: nanoseconds --------------------------------------------------------------------------------------------
/// About what a wake takes. After this time of spinning a thread offers its CPU to others; if somebody took it last
/// time, at once; where yields have been costly lately, it sleeps at once. The first of a lock's queue lets others take
/// the lock before it for as long. Less: each brief wait becomes a system call. More: others wait.
inline constexpr int64_t kWakeNs = 50'000;
/// How long an idle worker spins before it parks, unless the user gives a blocktime: libomp's default, 200 ms, burns
/// whole CPUs in programs with serial phases. Spinning 100 times as long as a wake takes wastes at most 1 % either way.
/// Less: more wakes. More: CPUs burnt.
inline constexpr int64_t kDefaultSpinNs = 100 * kWakeNs;
/// Pauses between two looks at the clock; looks of a waiting task before it leaves its stack. A member that leaves
/// tasks to others looks itself after half as many, a sentinel lets all sleepers look after twice as many in vain. Of a
/// member that waits in a tied task every kFullLook-th look goes everywhere. Less: the clock costs time, lines move.
/// More: threads yield and sleep late, descendants are found late.
inline constexpr uint32_t kRoundsBeforeClock = 32, kFullLook = kRoundsBeforeClock;
/// More threads than CPUs: yields before a thread sleeps. Less: more wakes. More: those that work wait.
inline constexpr uint32_t kYieldsBeforeSleep = 16;
/// A wait for a store that is about to come: pauses before the thread yields at each look. At a barrier, or for the
/// next region, a thread looks half to twice as often, by the team's size, before it enters the work loop: 2 to 7 us.
/// Less: yields, and brief waits cost more. More: a thread without a CPU is late, tasks are found late.
inline constexpr int kPausesBeforeYield = 200;
/// Cycles from which on a yield is long: 0.2 ms, which is longer than most calls of another library's threads, and
/// twice that for each thread that shares the CPU, since these work too: with a tenth of it, eight regions of two
/// threads on two CPUs slept and woke where libomp yields (1.15 of its time). Less: threads sleep where yields serve.
/// More: they lose their time slices to other programs.
inline constexpr uint64_t kSharersYieldCycles = 1'000'000, kLongYieldCycles = kSharersYieldCycles * 2 / 5;
/// A yield that took longer than a microsecond let somebody run. Each short one of these adds 0.2 ms to the time that a
/// long yield is compared with: it has spared a sleep and a wake. With 20 us here, calls of another library's threads,
/// of 30 us, with regions between them, take 1.26 times as long.
inline constexpr uint64_t kIdleYieldCycles = 3'000;
/// For how long it is remembered that yields are costly, at first and at most: some 50 ms, 3 s. The
/// container's quota and the threads' masks are looked at every 0.2 s; the first look only notes the time. A thread
/// that has held a lease for kLeaseCycles, 2 to 4 ms, without renewing it has lost its CPU: that is longer than a
/// sentinel sleeps while tasks wait. Less: looks cost time, and leases go while their owner works. More: changes are
/// noticed late.
inline constexpr uint64_t kCostlyFirstCycles = uint64_t{1} << 27, kCostlyLongestCycles = 64 * kCostlyFirstCycles;
inline constexpr uint64_t kCountAgainCycles = 4 * kCostlyFirstCycles, kLeaseCycles = kCostlyFirstCycles / 16;
/// How long a domain's sentinel sleeps between two looks around: at first; at most, while tasks wait somewhere; at
/// most, while none do. The pause doubles from the first value to the limit. A sleep without the heavy fence may miss a
/// wake, so such a sleep of a member ends after kQuietPauseNs, which is later than the kernel's next tick: an earlier
/// timer costs more. The pause after a probe for which the member was woken is 2 * kBusyPauseNs. Less: CPU time. More:
/// stuck tasks wait.
inline constexpr int64_t kFirstPauseNs = kWakeNs, kBusyPauseNs = 20 * kWakeNs, kQuietPauseNs = 10 * kBusyPauseNs;
/// How long the pool's threads stay when no thread of the program is left that uses them. Less: short threads make the
/// pool anew. More: a process ends late.
inline constexpr int64_t kPoolGraceNs = 250'000'000;

// --- Loops and locks: cycles -----------------------------------------------------------------------------------------
/// A line goes from one core to another, with what that costs the holder. Of a dynamic loop a unit that takes 6 of
/// them, and one more for each member, is taken off the front alone; a batch should take 32, and 2 more for each
/// member. The last holder of a contended lock has kMomentCycles to come back: a third of a hand-over, or more. After
/// its thief found nothing, a domain keeps away from the others' lines for kThiefPause. The fence before parking takes
/// longer, so a thread that goes to sleep always looks once more. Less: lines move. More: members wait at the loop's
/// end, locks stand idle, the last look is skipped.
inline constexpr uint64_t kTransferCycles = 256;
inline constexpr uint64_t kMomentCycles = kTransferCycles * 4 / 3, kThiefPause = 4 * kTransferCycles;
/// A member tells its team of so many units of a dynamic loop at once. After 32 times as many, none of which was slow,
/// batches are handed over whole. Less: all members' lines move. More: loops are learned late.
inline constexpr uint32_t kUnitsPerTelling = 256;
/// A dynamic loop that was met before is expected to be executed so often: a proof that its units do not wait for later
/// ones has to pay in that time. In all of these members may wait for it as long as eight take. Less: short loops are
/// not learned. More: proofs cost more than they save.
inline constexpr uint64_t kExpectedExecutions = 64;
/// Looks at a held lock before a thread queues; where there are more threads than CPUs 8 times as many before it
/// queues, and as many in the queue before it sleeps. Less: threads queue that need not. More: the lock's line moves.
inline constexpr int kLooksAtLock = 8;

// --- Large teams -----------------------------------------------------------------------------------------------------
/// For one look at what is its own, or near, a member looks at so many that are others', or far: deques for a look at
/// the clock, domains for one at its own, thieves for a request in a tied wait. And so many members at a time measure
/// what steals are worth. Less: far and stuck tasks are found late, and changes noticed late. More: owners' lines
/// move.
inline constexpr int kLooksInPassing = 4;
/// The cores of one domain at most: larger chips are divided. More members wait for one another at their queue. On a
/// made-up 1x32 a task of fib takes 6.5 ns with one domain, 2.7 with two and 1.6 with four; chains of dependences take
/// 5.1, 1.8 and 1.1 us.
inline constexpr int kMostUnitsOfDomain = 8;

// --- Team sizes that the runtime chooses: cycles ---------------------------------------------------------------------
/// A longer region is not small: it is never tried with fewer threads than it asks for. Of shorter ones only some are
/// timed, one in about kUntimedCycles and one in 16 at least, since two looks at the clock take some 50 cycles.
inline constexpr uint64_t kSmallRegionCycles = 1 << 19, kUntimedCycles = kSmallRegionCycles / 128;
/// After so many regions in a row that take half of the usual time, fewer threads are tried; a size is tried for half
/// as many. Less: chance decides. More: the wrong size stays.
inline constexpr uint8_t kRegionsInARow = 8, kMostUntimed = 2 * kRegionsInARow - 1;

// --- Schedulers: tasks -----------------------------------------------------------------------------------------------
/// The most tasks that wait in a queue that tasks are dealt to: the queue of a member, or of a pair (xqueue). The list
/// of tasks that owners may not run, from which everybody takes, has the same limit. Beyond it a new task runs at its
/// creation. An answer of xqueue-steal to a thief brings at most a quarter. Less: creators run more tasks themselves.
/// More: memory.
inline constexpr unsigned kMostDealt = 32;

} // namespace chomp::policy
