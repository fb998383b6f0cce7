// State of worksharing constructs: loops, sections, single, ordered, doacross, copyprivate. One part per team, one per
// member. Called by abi/kmpc_loop.cpp, abi/kmpc_sync.cpp and abi/gomp_loop.cpp through the functions below.
//
// Every member of a team meets the same constructs in the same order, so each counts them for itself, and a construct's
// number names its shared state: loop n uses slot n % kLoopSlots of a ring. A member that runs ahead (nowait) waits
// until all members have left loop n - kLoopSlots. It runs no tasks meanwhile: that is no task scheduling point.
//
//   numbers of loops go on from region to region: Team::first_loop
//   a member is in loop n  =>  every member's ring.left > n - kLoopSlots
//   a slot is as new for loop n  <=>  slot.serves == n + 1
//   iterations in index space: 0 … last (inclusive, so that 2^64 iterations have a representation)
//
// A zeroed TeamWorksharing and MemberWorksharing are valid: an initial team needs no call of worksharing_begin_*().
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/base/cacheline.h"
#include "runtime/loops/loop_ranges.h"
#include "runtime/sync/numbered_eventcount.h"
#include "runtime/loops/shared_block.h"

namespace chomp {

struct Member;
struct Team;
struct Worker;

inline constexpr unsigned kLoopSlots = 8;

/// What the members share of one loop. Who comes first makes it as new; loops in any order use nothing_left only.
struct SharedLoop {
  // 1 + the number of the loop that the slot serves; with kPreparing: is about to.
  alignas(kCacheLine) std::atomic<uint64_t> serves{0};
  std::atomic<uint64_t> taken{0};        // dynamic: chunks; guided: iterations; sections: sections
  std::atomic<uint64_t> nothing_left{0}; // any order: 1 + the number of the loop in which somebody found nothing
  // ordered: the iteration whose turn it is.
  alignas(kCacheLine) std::atomic<uint64_t> ordered_turn{0};
  // Those who sleep until it is theirs. A line of its own, which hardly ever changes: the turn's is always under way.
  alignas(kCacheLine) NumberedEventcount ordered_turns;

  static constexpr uint64_t kPreparing = uint64_t{1} << 63;
};

/// How far a member is in the ring of loops. The member writes, but for `sleepers`.
struct RingPlace {
  // The member will not touch the slots of loops before this one again, nor do others find ranges of its own in them.
  alignas(kCacheLine) std::atomic<uint64_t> left{0};
  std::atomic<uint32_t> eventcount{0}; // grows when `left` has changed and somebody sleeps on it
  std::atomic<uint32_t> sleepers{0};   // members that wait for `left` to change
};

struct TeamWorksharing {
  // single: the number of single constructs of this region that somebody has entered.
  alignas(kCacheLine) std::atomic<uint32_t> singles_taken{0};
  void* copyprivate = nullptr; // written between two barriers
  // Whether blocks have been used in this region: resetting them costs nothing otherwise.
  std::atomic<bool> blocks_used{false};
  // How often a member's share of a loop has turned out to be long (loop_ranges.h). Read in every loop, seldom written.
  alignas(kCacheLine) std::atomic<uint32_t> long_shares{0};
  SharedLoop loops[kLoopSlots];
  SharedBlock blocks[kBlockSlots];
};

enum class LoopKind : uint8_t {
  kStatic,        // one block per member
  kStaticChunked, // chunks dealt round robin
  kDynamic,       // chunks in order, who asks first
  kGuided,        // the same, in chunks that shrink
  kAnyOrder,      // loop_ranges.h
};

/// A schedule as the engine needs it.
struct LoopSchedule {
  LoopKind kind = LoopKind::kStatic;
  bool ordered = false;
  bool always_shared = false; // take a slot even if the kind needs none: the members may have decoded different kinds
  uint64_t chunk = 1;         // at least 1
  uint64_t multiple = 1;      // every chunk but the last is a multiple of this (simd)
};

/// The iterations of a loop: the value of iteration i is lower + i * stride, modulo 2^64.
struct LoopRange {
  const void* site = nullptr; // which loop of the program it is: an address in it or of it
  uint64_t lower = 0;
  uint64_t stride = 1;
  uint64_t last = 0; // index
  bool empty = true;
  bool down = false;      // as the program says: a stride beyond 2^63 may go up
  bool holds_last = true; // false if another team of the league has the last iteration (distribute)
};

/// A chunk for a member to execute: values, inclusive.
struct LoopChunk {
  uint64_t lower, upper;
  bool last; // this member has executed, or will now, the last iteration of the loop
};

/// A member's part of the loop it is in.
struct MemberLoop {
  SharedLoop* shared = nullptr; // null when the schedule needs nothing shared
  LoopRange range;
  LoopSchedule schedule;
  bool active = false; // between begin and the end of its iterations
  bool had_last = false;
  bool ordered_done = false;                // the current iteration has gone through its ordered region
  uint64_t number = 0;                      // of the loop
  uint64_t last_chunk = 0;                  // index of the last chunk (dynamic, static chunked)
  uint64_t own_chunk = 0;                   // static: the next chunk of this member
  uint64_t block_first = 0, block_last = 0; // static: this member's block
  uint64_t chunk_first = 0;                 // ordered: iterations of the chunk handed out last
  uint64_t chunk_last = 0;
  uint64_t ordered_passed = 0; // ordered: how many of them have had their turn
  MemberRanges ranges;         // any order
};

struct DoacrossDimension {
  int64_t lower, upper, stride; // as the ABI passes them
};

struct MemberDoacross {
  static constexpr int kInlineDimensions = 4;
  BlockHold block; // none outside a doacross loop, and in a serial team
  struct DoacrossShared* shared = nullptr;
  int dimension_count = 0;
  uint64_t* lengths = nullptr;             // iterations of each dimension
  DoacrossDimension* dimensions = nullptr; // [dimension_count]
  uint64_t inline_lengths[kInlineDimensions];
  DoacrossDimension inline_dimensions[kInlineDimensions];
};

struct MemberWorksharing {
  uint32_t singles_seen = 0;
  uint32_t barriers = 0;  // passed in this region, modulo 2^29 (cancel.cpp)
  uint64_t next_loop = 0; // number of the next loop that the member meets
  uint64_t all_left = 0;  // loops that every member has left, at least
  uint64_t blocks_seen = 0;
  MemberLoop loop;
  RingPlace ring;
  SharedRange ranges[kLoopSlots]; // others take from them
  LoopMemories loop_memories;
  MemberDoacross doacross;
  BlockHold memory; // of the construct the member is in (workshare_memory())
  // Combining reductions along a tree (region_reduction.cpp).
  std::atomic<uint32_t> reduction_state{0};   // idle, data offered, or somebody waits for the offer
  void* reduction_offer = nullptr;            // valid while offered
  std::atomic<uint32_t> reduction_pending{0}; // this member's data is still being read
  std::atomic<uint32_t> reduction_await{0};   // this member waits for another one's offer
  uint8_t reduction_method = 0;               // of the construct the member is in
};

/// Called by the primary before a region starts, when the team's size is set and no member runs.
void worksharing_begin_region(Team* team);

/// Called by each member, the primary too, when it starts a region.
void worksharing_begin_member(Member* member);

/// Called by each member when it has met all constructs of the region, before it arrives at the region's end.
void worksharing_end_member(Member* member);

// ---- loop_schedule.cpp ----------------------------------------------------------------------------------------------

/// Decodes the ABI's schedule (sched_type, with modifiers) and chunk for the current task: `runtime` reads
/// run-sched-var.
LoopSchedule loop_schedule_decode(const Worker* worker, int32_t code, int64_t chunk);

/// What a schedule clause says, for the current task. The first five values are GCC's.
enum class ScheduleClause : int {
  kRuntime = 0,
  kStatic = 1,
  kDynamic = 2, // in order, as kGuided and kRuntime
  kGuided = 3,
  kRuntimeNonmonotonic = 4,
  kDynamicNonmonotonic,
  kGuidedNonmonotonic,
};

/// The same from a clause; `chunk` 0: none given.
LoopSchedule loop_schedule_of(const Worker* worker, ScheduleClause clause, uint64_t chunk, bool ordered);

// ---- worksharing.cpp: loops -----------------------------------------------------------------------------------------

/// Enters a loop. A loop that the member has not left (it was cancelled) is left first.
void loop_begin(Worker* worker, const LoopRange& range, const LoopSchedule& schedule);

/// The next chunk of this member; false when there is none: the member has left the loop. `chunk->last` is valid either
/// way.
bool loop_next(Worker* worker, LoopChunk* chunk);

/// Leaves the loop if the member is still in it.
void loop_end(Worker* worker);

/// Zeroed memory that the members share until each has called workshare_memory_end(), whether or not the construct has
/// iterations for it.
void* workshare_memory(Worker* worker, size_t bytes);
void workshare_memory_end(Worker* worker);

/// The block of `range` that belongs to part `part` of `parts` (distribute).
LoopRange loop_range_part(const LoopRange& range, uint32_t part, uint32_t parts);

/// ordered (OpenMP 5.2, 15.10.1): waits for the turn of the current iteration; passes it on.
void ordered_begin(Worker* worker);
void ordered_end(Worker* worker);
/// End of one iteration of an ordered loop; passes the turn on if the iteration had no ordered region.
void ordered_finish_iteration(Worker* worker);
/// The same for a whole chunk, for compilers that do not say when an iteration ends.
void ordered_finish_chunk(Worker* worker);

// ---- worksharing.cpp: sections, single ------------------------------------------------------------------------------

/// sections (OpenMP 5.2, 11.3): next returns 0 … count - 1, or count when there is none left for this member. (GCC's
/// code names the count at the beginning: there, sections are a dynamic loop.)
void sections_begin(Worker* worker);
int32_t sections_next(Worker* worker, int32_t count);

/// single (OpenMP 5.2, 11.1): whether this member executes the region.
bool single_begin(Worker* worker);

/// copyprivate: `copy(mine, theirs)` on every member but the one that executed the region.
void copyprivate_broadcast(Worker* worker, void* data, void (*copy)(void*, void*), bool executed);
/// The pointer that the member which executed the region passes; the others pass null. A barrier must follow the last
/// use.
void* copyprivate_exchange(Worker* worker, void* data);

// ---- doacross.cpp ---------------------------------------------------------------------------------------------------

/// ordered(n) with depend(sink/source) (OpenMP 5.2, 15.9.6). `vector` holds the loop variables' values, one per
/// dimension.
void doacross_begin(Worker* worker, int dimension_count, const DoacrossDimension* dimensions);
void doacross_wait(Worker* worker, const int64_t* vector);
void doacross_post(Worker* worker, const int64_t* vector);
void doacross_end(Worker* worker);
/// How many dimensions the loop has; 0 outside one, and in a serial team.
int doacross_dimension_count(const Worker* worker);

} // namespace chomp
