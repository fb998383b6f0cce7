// Start-up of the runtime in a process, and what fork() does to it. Nothing here runs before the first OpenMP construct
// that needs it. runtime_start() is called when a thread registers (threads/thread_pool.cpp), runtime_start_parallel()
// by the first region of several threads (teams/region.cpp). The routines of abi/chomp_api.cpp call both. Each does its
// work once, under the start-up lock.
#pragma once

namespace chomp {

struct Worker;

/// Reads settings and counts CPUs. Only the first call does anything.
void runtime_start();

/// Does once what the first region with more than one thread needs: finds domains, and looks for another OpenMP
/// runtime. Each such region calls it: in a child for which no handler of ours has run it makes the state the child's.
void runtime_start_parallel();

/// Whether runtime_start_parallel() has done its work, so that the topology is known.
bool runtime_has_started_parallel();

inline constexpr int kPauseSoft = 1, kPauseHard = 2, kPauseStopTool = 3; // OpenMP 6.0, 20.11.1

/// omp_pause_resource. A soft pause keeps all, since parked threads cost no time. A hard one ends idle threads, and so
/// their threadprivate variables; the caller keeps its own. False: `kind` is unknown, or the thread is in a parallel
/// region.
bool runtime_pause(Worker* worker, int kind);

} // namespace chomp
