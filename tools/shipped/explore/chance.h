// What is another thing in each run, by the looks of it.
#pragma once

#include <stddef.h>

namespace explore {

/// Copies a text, and puts `?` for numbers that look like addresses or the numbers of threads and processes, and, if
/// the program asks for the time, like times and rates. `to` has room for as many bytes, and a 0; returns how many.
size_t copy_without_chance(const char* text, size_t bytes, bool asks_for_time, char* to);

} // namespace explore
