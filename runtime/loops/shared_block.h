// Zeroed memory that the members of a team share for the length of one worksharing construct: the bits of a doacross
// loop (doacross.cpp), what GCC's code keeps for conditional lastprivate and for scans (abi/gomp_loop.cpp).
//
// All members take the same blocks in the same order, so each counts them for itself, and a block's number names its
// slot in a ring. The first member to come allocates, the last one to leave frees.
//
//   a slot belongs to block n  <=>  slot.generation == n / kBlockSlots
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "runtime/base/cacheline.h"

namespace chomp {

struct Worker;

inline constexpr unsigned kBlockSlots = 4;

struct SharedBlock {
  alignas(kCacheLine) std::atomic<uint64_t> generation{0};
  std::atomic<void*> memory{nullptr}; // kBeingMade while the first member allocates
  size_t bytes = 0;                   // written by who allocates, before `memory`
  std::atomic<int32_t> left{0};       // members that will not touch the block again
};

/// A member's hold on a block. slot is null while it holds none.
struct BlockHold {
  SharedBlock* slot = nullptr;
  uint64_t number = 0;
};

/// The next block of the team, of `bytes` bytes (the same number on every member). `hold` is empty.
void* shared_block_take(Worker* worker, BlockHold* hold, size_t bytes);

/// The member will not touch the block again. Does nothing if it holds none.
void shared_block_leave(Worker* worker, BlockHold* hold);

/// Makes a slot as new, between regions; frees what a cancelled construct left.
void shared_block_reset(SharedBlock* slot);

} // namespace chomp
