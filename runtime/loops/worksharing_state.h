// State of worksharing constructs, one part per team, one per member: loops, sections, single, ordered, doacross,
// copyprivate. The files of loops/ use it; loops/worksharing.h says how members agree on it.
//
// A zeroed TeamWorksharing and MemberWorksharing are valid: an initial team needs no call of worksharing_begin_*().
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/base/cacheline.h"
#include "runtime/loops/loop_front_state.h"
#include "runtime/sync/numbered_eventcount.h"
#include "runtime/sync/program_lock.h"

namespace chomp {

inline constexpr unsigned kBlockSlots = 4;

struct SharedBlock {
  alignas(kCacheLine) atomic<uint64_t> generation{0};
  atomic<void*> memory{nullptr}; // kBeingMade while the first member allocates
  size_t bytes = 0;              // written by the member that allocates, before `memory`
  atomic<int32_t> left{0};       // members that will not touch the block again
};

/// A member's hold on a block. `slot` is null if it holds none, or a block that it shares with nobody.
struct BlockHold {
  SharedBlock* slot = nullptr;
  uint64_t number = 0;
  void* unshared = nullptr; // taken in a region that is being cancelled
  size_t unshared_bytes = 0;
};

inline constexpr unsigned kLoopSlots = 32;

/// What the members share of one loop. The member that comes first resets it.
struct SharedLoop {
  // 1 + the number of the loop that the slot serves; with kPreparing, of the loop that it is about to serve.
  alignas(kCacheLine) atomic<uint64_t> serves{0};
  atomic<uint64_t> taken{0}; // dynamic: LoopFront; one by one, guided: chunks; sections: sections
  atomic<uint32_t> moves{0}; // dynamic: how often units went from share to share

  static constexpr uint64_t kPreparing = uint64_t{1} << 63;
};

/// The same of an ordered loop, beside its SharedLoop.
struct OrderedLoop {
  alignas(kCacheLine) atomic<uint64_t> turn{0}; // the iteration whose turn it is
  // Members that sleep until it is their turn. This is a line of its own, which hardly ever changes, while the line of
  // the turn always moves.
  alignas(kCacheLine) NumberedEventcount turns;
  ProgramLock region; // held by the member inside, where cancellation is on
};

/// How far a member is in the ring of loops. Only the member writes, except for `sleepers`.
struct RingPosition {
  // The member will not touch the slots of loops before this one again, and has nothing of its share there.
  alignas(kCacheLine) atomic<uint64_t> left{0};
  atomic<uint32_t> eventcount{0}; // grows when `left` has changed and somebody sleeps on it
  // Members that sleep until `left` changes, or, the patient ones, until it is a multiple of half the ring: otherwise
  // each loop that a late member leaves would wake all others for one loop.
  atomic<uint32_t> sleepers{0};
  static constexpr uint32_t kPatient = 1, kUrgent = 1 << 16;
};

struct TeamWorksharing {
  // single: the number of single constructs of this region that a member has entered.
  alignas(kCacheLine) atomic<uint32_t> singles_taken{0};
  void* copyprivate = nullptr; // written between two barriers
  // Whether blocks have been used in this region: resetting them costs nothing otherwise.
  atomic<bool> blocks_used{false};
  LoopMemories loop_memories;                  // read in every loop, seldom written
  atomic<OrderedLoop*> ordered_loops{nullptr}; // [kLoopSlots]; made by the team's first ordered loop
  // Barriers of the members that are left in a cancelled region (barrier_wait_rest()).
  atomic<uint32_t> rest{0};        // how many wait there, and how many have left
  atomic<uint32_t> rest_opened{0}; // how many such barriers have opened
  SharedLoop loops[kLoopSlots];
  SharedBlock blocks[kBlockSlots];
};

enum class LoopKind : uint8_t {
  kStatic,        // one block per member
  kStaticChunked, // chunks dealt round robin
  kOneByOne,      // chunks in order, one at a time, to the member that asks first: others wait for their turns
  kGuided,        // the same, in chunks that shrink
  kDynamic,       // loop_front.h
};

/// A schedule as the engine needs it.
struct LoopSchedule {
  LoopKind kind = LoopKind::kStatic;
  bool ordered = false;
  bool any_order = false;     // dynamic: a member may execute an iteration after a later one
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
  uint64_t end = 0; // the bound that is not reached, as the program says it; where chunks are half open (gomp_loop.cpp)
  bool empty = true;
  bool holds_last = true; // false if another team of the league has the last iteration (distribute)
};

/// A chunk for a member to execute: values, inclusive.
struct LoopChunk {
  uint64_t lower, upper;
  bool last; // this member has executed, or will now, the last iteration of the loop
};

/// A member's part of the loop it is in.
struct MemberLoop {
  SharedLoop* shared = nullptr;   // null when the schedule needs nothing shared
  OrderedLoop* ordered = nullptr; // void unless the schedule is ordered
  LoopRange range;
  LoopSchedule schedule;
  bool active = false; // between begin and the end of its iterations
  bool had_last = false;
  bool is_dealt = false;     // guided: there is no further chunk
  bool ordered_done = false; // the current iteration has gone through its ordered region
  uint64_t number = 0;       // of the loop
  uint64_t last_chunk = 0;   // index of the last chunk (dynamic, static chunked); sections: how many
  uint64_t own_chunk = 0;    // static: the next chunk of this member; guided: of all; sections alone: next
  uint64_t block_first = 0, block_last = 0; // static: this member's block; guided: where that chunk begins
  uint64_t chunk_first = 0;                 // ordered: iterations of the chunk handed out last
  uint64_t chunk_last = 0;
  uint64_t ordered_passed = 0; // ordered: how many of these iterations have had their turn
  MemberFront front;           // dynamic
};

struct DoacrossDimension {
  int64_t lower, upper, stride; // as the ABI passes them
};

struct MemberDoacross {
  static constexpr int kInlineDimensions = 4;
  BlockHold block;
  struct DoacrossShared* shared = nullptr; // none outside a doacross loop, and in a serial team
  int dimension_count = 0;
  bool upper_is_count = false;             // of Clang's code: an iteration may not have the upper bound's value
  bool is_too_long = false;                // for its bits, so `shared` is null: fatal if it has an iteration
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
  uint32_t reductions_seen = 0; // constructs with reduction(task, …) that the member has met in this region
  MemberLoop loop;
  RingPosition ring;
  LoopShare shares[kLoopSlots]; // others take from them
  MemberDoacross doacross;
  BlockHold memory;             // of the construct the member is in (workshare_memory())
  uint8_t reduction_method = 0; // of the construct the member is in (region_reduction.cpp)
  bool copies_in_rest = false;  // what copyprivate names, in a cancelled region (tasks/cancel.cpp)
};

} // namespace chomp
