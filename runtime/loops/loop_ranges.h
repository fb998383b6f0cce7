// Which member executes what of a loop whose chunks may be handed out in any order: nonmonotonic dynamic, auto,
// static_steal, trapezoidal. Called by loop.cpp and worksharing.cpp; proof: runtime/loops/README.md, "Ranges of loops".
//
// A loop's chunks are divided as by schedule(static): each member has its share, the same one each time the loop runs.
// It takes its share in batches of about 3 us by the clock, and shorter ones towards the end. The contiguous chunks of
// a batch are one piece of work for the compiled code. A member whose range is empty takes the upper half of what
// another one has left. The last unit of the loop is in no range: it lies beside the range of the last member that has
// a share. A member that finds nothing else takes it, and then leaves the loop. Compiled code copies lastprivate
// variables from the thread that had the last iteration, so this must be the thread's last one.
//
// A share that is known to be short is taken in one piece, the last unit with it. Where all shares are short, no member
// looks for anything else to take: such a loop costs one compare-exchange on a line of the member's own.
//
//   What a member has left is one word (SharedRange). It changes by compare-exchange only, except that its owner
//   replaces a word that holds nothing by another: so each unit is in one range, or taken by one member.
//   Nothing but the word matters, so a compare-exchange that succeeds on an old value is right.
#pragma once

#include <cstdint>

#include "runtime/core/loop_range_state.h"
#include "runtime/loops/loop_index.h"

namespace chomp {

struct Member;

/// Called when the member enters loop `number`.
void ranges_enter(Member* member, uint64_t number);

/// The next iterations (indices) for this member; false: there is nothing left for it.
bool ranges_take(Member* member, IndexBlock<uint64_t>* taken);

/// Called when the member has left the loop that had `slot`, or will never come to it. Offers the member's share of
/// loop `next`, which will have the slot.
void ranges_offer(Member* member, uint32_t slot, uint64_t next);

} // namespace chomp
