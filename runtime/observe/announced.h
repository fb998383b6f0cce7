// The entry points of locks, critical sections, single and taskgroups while there is a tool
// (runtime/core/program_call.h). Each does what the entry point does without a tool, and reports the tool's events
// before and after.
#pragma once

#include "abi/abi.h"
#include "runtime/core/team.h"
#include "runtime/loops/doacross.h"
#include "runtime/loops/ordered.h"
#include "runtime/core/program_call.h"
#include "runtime/sync/sync.h"
#include "runtime/tasks/taskgroup.h"

namespace chomp::abi {

/// A simple lock or a critical section.
[[gnu::noinline, gnu::cold]] inline void announced_lock(MutexKind kind, void* object, uint64_t hint, const void* site) {
  event_mutex_wait(kind, hint, object, site);
  lock_in(object)->lock(kind == MutexKind::kCritical ? lock_hint(hint) : ProgramLock::Hint::kNone);
  event_mutex_acquired(kind, object, site);
}

[[gnu::noinline, gnu::cold]] inline bool announced_try_lock(void* object, const void* site) {
  event_mutex_wait(MutexKind::kTestLock, 0, object, site);
  bool taken = lock_in(object)->try_lock();
  taken ? event_mutex_acquired(MutexKind::kTestLock, object, site) : event_mutex_given_up();
  return taken;
}

[[gnu::noinline, gnu::cold]] inline void announced_unlock(MutexKind kind, void* object, const void* site) {
  lock_in(object)->unlock();
  event_mutex_released(kind, object, site);
}

[[gnu::noinline, gnu::cold]] inline void announced_nest_set(void** object, const void* site) {
  event_mutex_wait(MutexKind::kNestLock, 0, object, site);
  if (nest_lock_set(static_cast<NestLock*>(*object)) == 1)
    return event_mutex_acquired(MutexKind::kNestLock, object, site);
  event_mutex_given_up();
  event_nest_lock(true, object, site);
}

[[gnu::noinline, gnu::cold]] inline int announced_nest_test(void** object, const void* site) {
  event_mutex_wait(MutexKind::kTestNestLock, 0, object, site);
  int count = nest_lock_test(static_cast<NestLock*>(*object));
  if (count == 1) {
    event_mutex_acquired(MutexKind::kTestNestLock, object, site);
  } else {
    event_mutex_given_up();
    if (count > 1) event_nest_lock(true, object, site);
  }
  return count;
}

[[gnu::noinline, gnu::cold]] inline void announced_nest_unset(void** object, const void* site) {
  if (nest_lock_unset(static_cast<NestLock*>(*object)) == 0)
    event_mutex_released(MutexKind::kNestLock, object, site);
  else
    event_nest_lock(false, object, site);
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

/// Begin and end of a taskgroup region. `site` and `frame` are those of the entry point's call.
[[gnu::noinline, gnu::cold]] inline void announced_taskgroup_begin(Worker* worker, const void* site,
                                                                   const void* frame) {
  ProgramCall call(worker, site, frame);
  taskgroup_begin(worker);
}

[[gnu::noinline, gnu::cold]] inline void announced_taskgroup_end(Worker* worker, const void* site, const void* frame) {
  ProgramCall call(worker, site, frame);
  taskgroup_end(worker);
}

inline void tell_doacross(bool sink, const int64_t* vector) {
  if (!announcing()) return;
  Worker* worker = this_worker();
  if (int count = doacross_dimension_count(worker)) event_doacross(worker, sink, vector, count);
}

} // namespace chomp::abi
