// The threads of the process: those of the program, which register, and those of the pool, which chomp has made. Called
// by teams/, which take threads and give them back, by whoever sleeps as a pool thread, and at start-up and fork().
#pragma once

#include <cstdint>

namespace chomp {

struct Worker;

/// Takes up to `count` idle pool threads, making new ones as needed; fewer (with one warning) if the system, or the
/// limit of the process, refuses. Fills `taken`; returns how many.
int workers_take(int count, Worker** taken);

/// Wakes an idle thread of the pool; if there is none and `may_make`, makes one. The caller has executed a fence since
/// it stored what the thread is to see.
bool workers_call_idle(bool may_make);

/// Another thread may run a task of a thread's implicit parallel region: the end of the program waits for the task.
void workers_await_initial_tasks();

/// The same for one thread, which may be the first; null if it is refused.
Worker* worker_take();
/// Has it run what programs spawn outside of regions (teams/spawned_tasks.cpp).
void worker_lend_to_spawned(Worker* worker);

/// Gives a thread back to the pool. Called by the thread itself when it has left its team.
void worker_return_to_pool(Worker* worker);

/// How long a thread of the pool may sleep, in a team or not, until it calls pool_sleep_limit_reached(). For the pool
/// ends some time after the program's last thread that uses OpenMP. The caller has executed a fence since it has shown
/// that it sleeps.
int64_t pool_sleep_limit_ns(Worker* worker);
void pool_sleep_limit_reached(Worker* worker);

/// Whether the worker is outside of all regions and tasks.
bool worker_is_outside(const Worker* worker);

/// Notifies observers that a thread that is in no team begins or ends. A tool's handler may ask the library what any
/// thread outside of regions may ask.
void worker_announce(Worker* worker, bool begins);

/// Ends the idle pool threads, and those that serve the teams of `worker`, a thread of the program outside regions.
/// Waits until they have left the runtime.
void workers_end_pool(Worker* worker);

/// A record for a light thread (wait/light_team.h); null: all are in use. And back: the thread's memory has been
/// released.
Worker* worker_take_record();
void worker_put_record(Worker* worker);
/// Frees what a thread that ends leaves behind; its record stays.
void worker_release_memory(Worker* worker);

/// Called in the child of fork(): forgets all threads but the calling one.
void workers_reset_after_fork();

/// Threads known to the runtime now (KMP_DEVICE_THREAD_LIMIT bounds their number).
int workers_alive();

} // namespace chomp
