// Worksharing loops whose chunks are handed out at run time (OpenMP 5.2, 11.5). Static loops need none of this:
// abi/kmpc_loop.cpp computes their bounds (loop_index.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/core/events.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/loops/worksharing_state.h"

namespace chomp {

/// Enters a loop. A loop that the member has not left (it was cancelled) is left first.
void loop_begin(Worker* worker, const LoopRange& range, const LoopSchedule& schedule);

/// A team of one that nobody observes passes over a loop: its only chunk is all of it. False: loop_begin() has to be
/// called.
inline bool loop_in_one_go(Worker* worker) {
  MemberLoop& loop = worker->member->worksharing.loop;
  if (announcing() || !worker->member->team->serial() || CHOMP_UNLIKELY(loop.shared != nullptr)) return false;
  loop.active = false;
  return true;
}

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

} // namespace chomp
