// ordered regions of worksharing loops.
#pragma once

#include <cstdint>

namespace chomp {

struct OrderedLoop;
struct Team;
struct Worker;

/// The member that resets the slot of an ordered loop for its members calls this before they see the slot.
void ordered_prepare(Team* team, uint64_t number);
/// What the members of the ordered loop share.
OrderedLoop* ordered_loop(const Team* team, uint64_t number);

/// An ordered region (OpenMP 5.2, 15.10.1): its beginning waits for the turn of the current iteration, its end passes
/// the turn.
void ordered_begin(Worker* worker);
void ordered_end(Worker* worker);
/// The end of one iteration of an ordered loop: passes the turn if the iteration had no ordered region.
void ordered_finish_iteration(Worker* worker);
/// The same for a whole chunk, for compilers that do not say when an iteration ends.
void ordered_finish_chunk(Worker* worker);

} // namespace chomp
