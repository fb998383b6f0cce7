// ordered regions of worksharing loops.
#pragma once

namespace chomp {

struct Worker;

/// An ordered region (OpenMP 5.2, 15.10.1): its beginning waits for the turn of the current iteration, its end passes
/// the turn.
void ordered_begin(Worker* worker);
void ordered_end(Worker* worker);
/// The end of one iteration of an ordered loop: passes the turn if the iteration had no ordered region.
void ordered_finish_iteration(Worker* worker);
/// The same for a whole chunk, for compilers that do not say when an iteration ends.
void ordered_finish_chunk(Worker* worker);

} // namespace chomp
