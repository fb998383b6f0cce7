// Locks, critical sections, single, ordered and taskgroups as programs call them: while there is a tool
// (runtime/core/program_call.h), its events are reported before and after. `site` is where the program calls.
#pragma once

#include <new>

#include "runtime/base/backoff.h"
#include "runtime/core/team.h"
#include "runtime/loops/doacross.h"
#include "runtime/loops/ordered.h"
#include "runtime/core/program_call.h"
#include "runtime/sync/sync.h"
#include "runtime/tasks/cancel.h"
#include "runtime/tasks/taskgroup.h"

namespace chomp {

// ---- Simple locks and critical sections -----------------------------------------------------------------------------

[[gnu::noinline, gnu::cold]] inline void announced_lock(void* object, MutexKind kind, uint64_t hint, const void* site) {
  event_mutex_wait(kind, hint, object, site);
  lock_in(object)->lock(kind == MutexKind::kCritical ? lock_hint(hint) : ProgramLock::Hint::kNone);
  lock_in(object)->note_announced();
  event_mutex_acquired(kind, object, site);
}

[[gnu::noinline, gnu::cold]] inline bool announced_try_lock(void* object, const void* site) {
  event_mutex_wait(MutexKind::kTestLock, 0, object, site);
  bool taken = lock_in(object)->try_lock();
  if (!taken) return event_mutex_given_up(), false;
  lock_in(object)->note_announced();
  event_mutex_acquired(MutexKind::kTestLock, object, site);
  return true;
}

/// Threads wait for the lock, or observers do to hear of its release. Called last by the entry point.
[[gnu::noinline]] inline void unlock_for_others(void* object, MutexKind kind, const void* site) {
  bool announced = lock_in(object)->is_announced();
  lock_in(object)->unlock_slow();
  if (announced && announcing()) event_mutex_released(kind, object, site);
}

/// Inlined, and takes the site itself, to spare the quick path instructions: one that is passed is loaded there first.
[[gnu::always_inline]] inline void unlock(void* object, MutexKind kind) {
  if (CHOMP_UNLIKELY(!lock_in(object)->release())) unlock_for_others(object, kind, __builtin_return_address(0));
}

inline void critical_begin(void* object, uint64_t hint, const void* site) {
  if (announcing()) return announced_lock(object, MutexKind::kCritical, hint, site);
  lock_in(object)->lock(lock_hint(hint));
}
[[gnu::always_inline]] inline void critical_end(void* object) { unlock(object, MutexKind::kCritical); }

/// Writes four bytes: GCC's omp_lock_t has no more. Registers the thread, since a tool is attached before the first
/// lock, as in libomp.
inline void simple_lock_init(void** lock, uint64_t hint, const void* site) {
  this_worker();
  new (lock) ProgramLock(lock_hint(hint));
  if (announcing()) event_lock_init(MutexKind::kLock, hint, lock, site);
}
inline void simple_lock_destroy(void** lock, const void* site) {
  if (announcing()) event_lock_destroy(MutexKind::kLock, lock, site);
}
inline void simple_lock_set(void** lock, const void* site) {
  if (announcing()) return announced_lock(lock, MutexKind::kLock, 0, site);
  lock_in(lock)->lock();
}
[[gnu::always_inline]] inline void simple_lock_unset(void** lock) { unlock(lock, MutexKind::kLock); }
inline bool simple_lock_test(void** lock, const void* site) {
  return announcing() ? announced_try_lock(lock, site) : lock_in(lock)->try_lock();
}

// ---- Nestable locks -------------------------------------------------------------------------------------------------

inline NestLock* nest_lock_in(void** lock) { return static_cast<NestLock*>(*lock); }

[[gnu::noinline, gnu::cold]] inline void announced_nest_set(void** lock, const void* site) {
  event_mutex_wait(MutexKind::kNestLock, 0, lock, site);
  if (nest_lock_set(nest_lock_in(lock)) == 1) return event_mutex_acquired(MutexKind::kNestLock, lock, site);
  event_mutex_given_up();
  event_nest_lock(true, lock, site);
}

[[gnu::noinline, gnu::cold]] inline int announced_nest_test(void** lock, const void* site) {
  event_mutex_wait(MutexKind::kTestNestLock, 0, lock, site);
  int count = nest_lock_test(nest_lock_in(lock));
  if (count == 1) {
    event_mutex_acquired(MutexKind::kTestNestLock, lock, site);
  } else {
    event_mutex_given_up();
    if (count > 1) event_nest_lock(true, lock, site);
  }
  return count;
}

[[gnu::noinline, gnu::cold]] inline void announced_nest_unset(void** lock, const void* site) {
  if (nest_lock_unset(nest_lock_in(lock)) == 0)
    event_mutex_released(MutexKind::kNestLock, lock, site);
  else
    event_nest_lock(false, lock, site);
}

inline void nest_lock_init(void** lock, uint64_t hint, const void* site) {
  *lock = nest_lock_make(lock_hint(hint));
  if (announcing()) event_lock_init(MutexKind::kNestLock, hint, lock, site);
}
inline void nest_lock_destroy(void** lock, const void* site) {
  if (announcing()) event_lock_destroy(MutexKind::kNestLock, lock, site);
  nest_lock_destroy(nest_lock_in(lock));
  *lock = nullptr;
}
inline void nest_lock_set(void** lock, const void* site) {
  if (announcing()) return announced_nest_set(lock, site);
  nest_lock_set(nest_lock_in(lock));
}
inline void nest_lock_unset(void** lock, const void* site) {
  if (announcing()) return announced_nest_unset(lock, site);
  nest_lock_unset(nest_lock_in(lock));
}
inline int nest_lock_test(void** lock, const void* site) {
  return announcing() ? announced_nest_test(lock, site) : nest_lock_test(nest_lock_in(lock));
}

// ---- Barriers, flush, single, ordered, taskgroup, doacross ----------------------------------------------------------

/// Called last by the entry point, whose frame this then is.
[[gnu::noinline, gnu::cold]] inline void announced_barrier(Worker* worker, BarrierKind kind, const void* site) {
  ProgramCall call(worker, site, __builtin_frame_address(0), kind);
  counted_barrier(worker);
}

inline void program_barrier(Worker* worker, BarrierKind kind, const void* site) {
  if (announcing()) return announced_barrier(worker, kind, site);
  [[clang::always_inline]] counted_barrier(worker); // one thread needs little of it
}

/// A flush orders all accesses, in both directions (OpenMP 5.2, 15.8.5).
inline void flush(const void* site) {
  thread_fence(std::memory_order_seq_cst); // seq_cst: pairs with the flush of any other thread
  if (announcing()) event_flush(site);
  light_pause(); // the program may look again and again for what a thread of this kernel thread stores
}

/// Whether the calling thread executes a single construct, since its region has no other, and nobody is to be told.
inline bool executes_single_quietly() {
  const Worker* worker = tls_worker;
  return CHOMP_LIKELY(worker != nullptr) && worker->member->alone && !announcing();
}

/// single: the member that executes the region reports its end later.
inline void tell_single(Worker* worker, bool executes, const void* site) {
  if (executes) return event_work_at(worker, WorkKind::kSingleExecutor, true, 1, site);
  event_work_at(worker, WorkKind::kSingleOther, true, 1, site);
  event_work_at(worker, WorkKind::kSingleOther, false, 1, site);
}

/// An ordered region. To the tool it is a mutex, with the team as wait id.
[[gnu::noinline, gnu::cold]] inline void announced_ordered_begin(Worker* worker, const void* site) {
  event_mutex_wait(MutexKind::kOrdered, 0, worker->member->team, site);
  ordered_begin(worker);
  event_mutex_acquired(MutexKind::kOrdered, worker->member->team, site);
}

[[gnu::noinline, gnu::cold]] inline void announced_ordered_end(Worker* worker, const void* site) {
  ordered_end(worker);
  event_mutex_released(MutexKind::kOrdered, worker->member->team, site);
}

inline void begin_ordered(const void* site) {
  Worker* worker = this_worker();
  announcing() ? announced_ordered_begin(worker, site) : ordered_begin(worker);
}

inline void end_ordered(const void* site) {
  Worker* worker = this_worker();
  announcing() ? announced_ordered_end(worker, site) : ordered_end(worker);
}

/// `frame` is that of the entry point.
[[gnu::noinline, gnu::cold]] inline void announced_taskgroup(Worker* worker, void (*function)(Worker*),
                                                             const void* site, const void* frame) {
  ProgramCall call(worker, site, frame);
  function(worker);
}

inline void begin_taskgroup(const void* site, const void* frame) {
  Worker* worker = this_worker();
  announcing() ? announced_taskgroup(worker, taskgroup_begin, site, frame) : taskgroup_begin(worker);
}

inline void end_taskgroup(const void* site, const void* frame) {
  Worker* worker = this_worker();
  announcing() ? announced_taskgroup(worker, taskgroup_end, site, frame) : taskgroup_end(worker);
}

inline void tell_doacross(bool sink, const int64_t* vector) {
  if (!announcing()) return;
  Worker* worker = this_worker();
  if (int count = doacross_dimension_count(worker)) event_doacross(worker, sink, vector, count);
}

} // namespace chomp
