// Parallel regions: fork, join, and what a pool thread does between them (OpenMP 5.2, 10.1).
#pragma once

#include <cstdint>

#include "runtime/core/team.h"
#include "runtime/threads/free_agents.h"

namespace chomp {

/// What compiled code asks for: a region that its if clause makes serial; one whose microtask is its body; one whose
/// body is a function that the microtask calls, its first argument (GCC's).
enum class RegionForm : uint8_t { kSerial, kBodyIsMicrotask, kBodyIsArgument };

/// Forks a parallel region (OpenMP 5.2, 10.1) with the size that clauses, ICVs and limits give; returns after its end.
/// `proc_bind` and num_threads come from TeamsState::next_region, where push_* have put them.
void team_fork(Worker* worker, Microtask microtask, int argc, void** argv, RegionForm form);

/// The halves of team_fork(), for callers that run the primary's part of the region themselves. `argv` need not outlive
/// the call if `argc` is at most kMostKeptArguments.
void team_begin(Worker* worker, Microtask microtask, int argc, void** argv, RegionForm form);
void team_end(Worker* worker);

/// num_threads(list) of OpenMP 6.0: the number for the next region, and for regions nested in it, level by level.
void team_request_threads(Worker* worker, const int32_t* counts, uint32_t length);

/// Enters and leaves a serialised region: the calling thread alone, no microtask (the caller runs the body).
/// `placement` is where a team of a league runs; null: where the worker is.
void team_enter_serial(Worker* worker, const Placement* placement = nullptr);
void team_leave_serial(Worker* worker);

/// Enters the region of an initial thread other than the calling one (a target region on the host; OpenMP 5.2, 13.8).
/// It is at no nesting level, and has the ICVs that the settings give. `thread_limit` is the clause's, 0: none.
/// team_leave_serial() leaves it.
void team_enter_initial(Worker* worker, int32_t thread_limit);

/// Calls the outlined body of the current region once more, on this thread; false if the region has none (its code is
/// in line, or there is no region).
bool team_call_microtask(Worker* worker);

/// What a pool thread does in a member, until the team is dismissed.
void team_serve(Worker* worker, Member* member);

/// The same for a light thread, which then ends (wait/light_team.h).
void team_serve_light(void* argument);

/// A thread of the program outside of regions ends: waits for the tasks that it has made.
void team_finish_tasks(Worker* worker);

/// A task of no region (spawned_tasks.cpp).
struct SpawnedTask {
  void (*body)(void*);
  void* argument;
  void (*ended)(void*); // called after the task, all its descendants and their events; or null
  void* ended_argument;
};

/// From any thread. False: the system refuses a thread.
bool spawn_outside_regions(Worker* worker, const SpawnedTask& task);
/// What the thread does that is lent for such tasks. It returns to the pool.
void serve_spawned_tasks(Worker* worker);
void spawned_tasks_reset_after_fork(const Worker* self);

/// Called by a pool thread that has taken a task of a team that it is not in: runs the task, and returns to the pool.
void team_serve_as_agent(Worker* worker, const AgentTask& work);

} // namespace chomp
