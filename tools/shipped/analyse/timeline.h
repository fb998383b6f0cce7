// chomp trace: a recording as a timeline for Perfetto's viewer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace chomp::analyse {

struct TimelineOptions {
  std::string output;
  uint64_t most_slices = 1'000'000; // beyond, the shortest are drawn in groups; 0: all are drawn
};

/// Writes the processes of all recordings to one file, and says on standard output what is in it.
void write_timeline(const std::vector<std::string>& recordings, const TimelineOptions& options);

} // namespace chomp::analyse
