// sections constructs.
#pragma once

#include <cstdint>

namespace chomp {

struct Worker;

/// sections (OpenMP 5.2, 11.3). Returns whether they are shared out; a serial team that is not told the count executes
/// all at once, and does not ask for the next. sections_next() returns 0 … count - 1, or count when there is none left
/// for this member. GCC's code gives the count at the beginning only, Clang's each time.
bool sections_begin(Worker* worker, int32_t count = 0);
int32_t sections_count(const Worker* worker);
int32_t sections_next(Worker* worker, int32_t count);

} // namespace chomp
