// sections constructs.
#pragma once

#include <cstdint>

namespace chomp {

struct Worker;

/// sections (OpenMP 5.2, 11.3): whether they are shared out; in a serial team the caller executes all. sections_next()
/// returns 0 … count - 1, or count when there is none left for this member. (GCC's code gives the count at the
/// beginning, so its sections are a dynamic loop.)
bool sections_begin(Worker* worker);
int32_t sections_next(Worker* worker, int32_t count);

} // namespace chomp
