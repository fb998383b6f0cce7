// Which member executes what of a loop whose chunks are handed out at run time: dynamic, auto, static_steal,
// trapezoidal. Proof: runtime/loops/README.md, "The front of a loop".
//
// A loop has one front, the first unit that nobody has. Members take batches off it, so the units that a member gets
// increase. A batch is as long as hides the transfers of the front's line among all members. Where units take longer
// than that, a batch is one unit: then units begin in their order, and any of them may wait for any other one.
//
// In a team on several chips, units are taken by the chip, unless the loop can be dealt, or whole batches are handed
// out: one member takes units for all that wait. In any order the chip has a front, too, once units in a row have been
// seen not to wait for later ones: a member that finds nothing there fetches a batch.
//
// A loop in any order whose units are known not to wait for later ones is dealt: what is left at the front becomes
// equal shares. A member takes from its own share, then from others'. Only where a call for each unit would cost more
// than a unit does, and the member has seen many such units in a row, does the compiled code get a whole batch.
//
// The last unit is taken when nothing else of the loop is left to begin. Compiled code copies lastprivate variables
// from the thread that had the last iteration, so this must be the thread's last one.
#pragma once

#include <cstdint>

#include "runtime/loops/loop_front_state.h"
#include "runtime/loops/loop_index.h"

namespace chomp {

struct Member;
struct Team;
struct Worker;

/// Called when the member enters a loop.
void front_enter(Member* member);

/// The next iterations (indices) for this member; false: there is nothing left for it.
bool front_take(Worker* worker, IndexBlock<uint64_t>* taken);

/// Called before the first member enters a loop, where the one that had its slot may have been cancelled.
void front_prepare(Team* team, uint64_t number);

/// Called when the member leaves a loop, perhaps before its end.
void front_leave(Member* member);

/// Called by the primary after a region that was cancelled: others may have taken from the share of a member that did
/// not come to the loop, and so did not leave it.
void front_forget(Team* team);

} // namespace chomp
