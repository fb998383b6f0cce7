// What is another thing in each run, by the looks of it.
#pragma once

#include <stddef.h>

namespace explore {

/// What the program asks for: the number of a thread, a process or a CPU; the time.
struct Asked {
  bool id, time;
};

/// Copies a text, and puts `?` for numbers that look like addresses or, if the program asks for these, like numbers of
/// threads, processes and CPUs, and like times and rates. `to` has room for as many bytes, and a 0; returns how many.
size_t copy_without_chance(const char* text, size_t bytes, Asked asked, char* to);

} // namespace explore
