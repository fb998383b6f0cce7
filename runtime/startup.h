// Start-up and shutdown of the runtime in a process, and what fork() does to it. Nothing here runs before the first
// OpenMP construct that needs it.
#pragma once

namespace chomp {

/// Reads settings and counts CPUs. Once; later calls return at once.
void runtime_start();

/// What the first region with more than one thread needs: domains, and a look for another OpenMP runtime. Once.
void runtime_start_parallel();

} // namespace chomp
