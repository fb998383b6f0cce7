// sections constructs. Called by abi/kmpc_loop.cpp.
#pragma once

#include <cstdint>

namespace chomp {

struct Worker;

/// sections (OpenMP 5.2, 11.3): next returns 0 … count - 1, or count when there is none left for this member. (GCC's
/// code names the count at the beginning: there, sections are a dynamic loop.)
void sections_begin(Worker* worker);
int32_t sections_next(Worker* worker, int32_t count);

} // namespace chomp
