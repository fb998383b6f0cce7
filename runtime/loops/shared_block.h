// Zeroed memory that the members of a team share during one worksharing construct: the bits of a doacross loop
// (doacross.cpp), or what GCC's code keeps for conditional lastprivate and scans (abi/gomp_loop.cpp).
//
// All members take the same blocks in the same order, so each counts them for itself. A block's number names its slot
// in a ring. The first member that comes allocates the block, and the last one that leaves frees it.
//
//   a slot belongs to block n  <=>  slot.generation == n / kBlockSlots
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/base/check.h"
#include "runtime/loops/worksharing_state.h"

namespace chomp {

struct Worker;

/// The next block of the team, of `bytes` bytes (the same number on every member). `hold` is empty. Waits until all
/// have left the block that had the slot before. In a region that is being cancelled some never come to that block, so
/// the member gets one of its own.
void* shared_block_take(Worker* worker, BlockHold* hold, size_t bytes);

/// The member will not touch the block again. Does nothing if it holds none.
void shared_block_leave_slow(Worker* worker, BlockHold* hold);
inline void shared_block_leave(Worker* worker, BlockHold* hold) {
  if (CHOMP_UNLIKELY(hold->slot != nullptr || hold->unshared != nullptr)) shared_block_leave_slow(worker, hold);
}

/// Resets a slot, between regions; frees what a cancelled construct left.
void shared_block_reset(SharedBlock* slot);

} // namespace chomp
