// doacross loops: ordered(n) with depend(sink/source).
#pragma once

#include <cstdint>

#include "runtime/base/check.h"
#include "runtime/loops/worksharing_state.h"

namespace chomp {

struct Worker;

/// The beginning of the loop, then depend(sink) and depend(source) (OpenMP 5.2, 15.9.6). `vector` holds the values of
/// the loop variables, one per dimension.
void doacross_begin(Worker* worker, int dimension_count, const DoacrossDimension* dimensions);
/// Called at the beginning of the loop that follows: from the number of its iterations it finds out which form the
/// dimensions have. Clang's code gives the number of a dimension's iterations for its upper bound.
CHOMP_SLOW void doacross_note_loop_slow(MemberDoacross& loop, uint64_t iterations);
/// doacross_wait(): false if there is no such iteration, the loop is not shared, or the region is cancelled.
bool doacross_wait(Worker* worker, const int64_t* vector);
void doacross_post(Worker* worker, const int64_t* vector);
void doacross_end(Worker* worker);
/// How many dimensions the loop has; 0 outside one, and in a serial team.
int doacross_dimension_count(const Worker* worker);

} // namespace chomp
