// Waking those that are parked: the waker's half of the protocol whose other half is Idler::park() (wait/idle.cpp).
// Proof: runtime/wait/README.md, "Parking".
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"

namespace chomp {

struct Team;
struct Worker;

/// Set, and for ever, when a thread of this process sleeps briefly, without the heavy fence (wait/idle.cpp).
extern atomic<bool> threads_sleep_briefly;

/// Wakes a worker if it is parked. Called after the store that it waits for. Contains the light side of the fence.
void worker_wake(Worker* worker);

/// The same for a member of the team, if its bit says that it sleeps. Only then its own lines are read.
void wake_if_asleep(Team* team, int32_t tid);

/// Wakes one sleeping member of the team's current region for published work. Contains the light side of the fence.
void wake_one_sleeper(Team* team);

/// Claims and wakes the first sleeper at or above `from`, but not `except`. The caller has fenced. Returns whether
/// there was one.
bool wake_next_sleeper(Team* team, int32_t from, int32_t except = -1);

/// A barrier has been opened for the domain: wakes its members that sleep. Contains the light side of the fence.
void wake_sleepers_of_domain(Team* team, int domain);

/// A start signal has been stored for the domain: wakes its members that sleep between regions, with one system call,
/// and those that went to sleep in the last region. Contains the light side of the fence.
void wake_for_start(Team* team, int domain);

/// Whether as many members are awake as there are CPUs, `without` not counted; an estimate.
bool all_cpus_taken(const Team* team, int32_t without = 0);

} // namespace chomp
