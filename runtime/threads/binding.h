// Where each thread runs: the place list in force, and the binding of threads to places
// (OpenMP 5.2, 10.1.3, 21.1.6, 21.1.7).
//
// A member has a placement, which the primary decides before a region (binding_place_members()). The thread that takes
// the member compares that with its own place (ThreadState::bound_place), and calls the system only if the two differ
// (binding_follow()). So a region with the places of the last region costs one comparison per thread. Without a setting
// that asks for places nothing is read, decided or bound: `binding_on` is false, and every place is kNotBound.
//
// Invariant: the runtime binds a thread only in binding_follow(), on that thread itself; the initial thread keeps its
// mask until its first region.
#pragma once

#include <cstdint>

#include "runtime/config/config.h"
#include "runtime/config/places.h"

namespace chomp {

struct Member;
struct Team;
struct Worker;

// Values of ThreadState::bound_place that are no places.
inline constexpr int16_t kNotBound = -1;   // the thread has the mask that the process began with
inline constexpr int16_t kMakersMask = -2; // a pool thread that has its maker's mask so far
inline constexpr int16_t kOwnMask = -3;    // the program has chosen (kmp_set_affinity)

/// True when threads are bound. Constant after binding_start(), except in a forked child, where it becomes false.
extern constinit bool binding_on;

/// Builds the place list that the settings ask for, and restricts the process's CPUs to KMP_HW_SUBSET. Called once,
/// under the start-up lock, after config_read().
void binding_start();

/// Notes which domain the CPUs of the places are in. Called once, after topology_discover_domains().
void binding_find_domains();

/// Called in the child of fork(). As in libomp, nothing is bound any more: the child probably shares the machine with
/// its parent.
void binding_reset_after_fork(Worker* worker);

// ---- regions (teams/) -----------------------------------------------------------------------------------------------

/// Returns TeamPlaces for the region that `worker` is about to fork, from the clause (`pushed` is a ProcBind, or -1),
/// bind-var and the worker's place. An initial thread that has no place gets one. Called only when binding_on.
TeamPlaces binding_of_region(Worker* worker, int pushed);

/// Gives the first `size` members their placements; their pool threads are known by now. Returns whether the members
/// are in the domains of their places. If not, another team has to be made.
bool binding_place_members(Team* team, const TeamPlaces& places, int size);

/// The domains that the members of a new team should be in: domains[size]; workers[tid - 1] is the thread of member
/// tid.
void binding_wanted_domains(const TeamPlaces& places, int size, Worker* const* workers, uint16_t* domains);

/// Sorts pool threads by their numbers, if the numbers decide where threads run.
void binding_sort_workers(const TeamPlaces& places, int count, Worker** workers);

/// Binds the calling thread to `place`. With kNotBound, a pool thread that still has its maker's mask gets the
/// process's mask, and any other thread keeps its own. Called when `place` is not bound_place.
void binding_follow(Worker* worker, int16_t place);

/// Called by a thread that has been woken. A pool thread that is not bound leaves the CPU of the thread that woke it.
/// Linux puts it there when the other CPUs look busy, as halted CPUs of a virtual machine do, and moves it only tens of
/// milliseconds later.
void binding_leave_wakers_cpu(Worker* worker);

/// Called by `maker`, which is about to make threads: fills `mask` with the CPUs on which these may begin. The maker's
/// CPU is left out: there they would wait some milliseconds, until the kernel takes it from the maker. Returns that
/// CPU; or -1 if the threads inherit the maker's mask, as they do where the machine is crowded.
int binding_of_new_threads(const Worker* maker, CpuMask* mask);

/// Where team `number` of a league of `teams` runs (KMP_TEAMS_PROC_BIND).
Placement binding_of_league_team(Worker* worker, int number, int teams);

/// Called behind an outermost region: KMP_AFFINITY=reset gives the initial thread its mask back.
void binding_end_outermost(Worker* worker);

// ---- questions of the program (omp_get_place_num and others) --------------------------------------------------------

int binding_place_count();
/// CPUs in a place; 0 if there is no such place. Copies their numbers unless `cpus` is null.
int binding_place_cpus(int place, int* cpus);
/// The calling thread's placement. As in libomp, this call binds an initial thread.
Placement binding_ask(Worker* worker);
/// bind-var as an omp_proc_bind_t.
int binding_policy(const Worker* worker);

/// Whether there are places at all (not with KMP_AFFINITY=disabled).
bool binding_capable();
/// The CPUs that threads may be bound to.
const CpuMask& binding_available();
/// Called when the program has given the calling thread a mask, so that its current task follows no policy any more.
/// With `own` false, the thread has the initial mask again, until it next takes a member.
void binding_mask_changed(Worker* worker, bool own);

} // namespace chomp
