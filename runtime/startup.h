// Start-up and shutdown of the runtime in a process, and what fork() does to it. Nothing here runs before the first
// OpenMP construct that needs it.
#pragma once

namespace chomp {

/// Reads settings and counts CPUs. Once; later calls return at once.
void runtime_start();

/// What the first region with more than one thread needs: domains, and a look for another OpenMP runtime. Once.
void runtime_start_parallel();

/// Whether it has been called and has done its work: then the topology is known.
bool runtime_has_started_parallel();

} // namespace chomp
