// Constructs and mutexes as a tool sees them (OpenMP 5.2, 19.5.2). See ompt_events.cpp.
#include <string.h>

#include "runtime/core/events.h"
#include "runtime/observe/ompt.h"
#include "runtime/tasks/cancel.h"

namespace chomp::ompt {
namespace {

// ---- Worksharing ----------------------------------------------------------------------------------------------------

void report_work(Worker* worker, WorkKind kind, Endpoint endpoint, uint64_t count, const void* site) {
  if (auto report = callback<Work>(kWork))
    report(static_cast<int>(kind), endpoint, current_region(worker), &current_view(worker)->data, count, site);
}

void work_begin(Worker* worker, WorkKind kind, uint64_t count, const void* site) {
  report_work(worker, kind, kBegin, count, site);
}

void work_end(Worker* worker, WorkKind kind, uint64_t count, const void* site) {
  report_work(worker, kind, kEnd, count, site);
}

void chunk(Worker* worker, ChunkKind kind, uint64_t first, uint64_t iterations) {
  auto report = callback<Dispatch>(kDispatch);
  if (report == nullptr) return;
  Chunk chunk{first, iterations};
  ToolWord instance{reinterpret_cast<uint64_t>(&chunk)};
  report(current_region(worker), &current_view(worker)->data, static_cast<int>(kind), instance);
}

void section(Worker* worker, const void* site) {
  if (auto report = callback<Dispatch>(kDispatch))
    report(current_region(worker), &current_view(worker)->data, static_cast<int>(ChunkKind::kSection),
           ToolWord{reinterpret_cast<uint64_t>(site)});
}

void masked(Worker* worker, bool begin, const void* site) {
  if (auto report = callback<Masked>(kMasked))
    report(begin ? kBegin : kEnd, current_region(worker), &current_view(worker)->data, site);
}

void reduction(Worker* worker, bool begin, const void* site) {
  ToolTask* task = current_view(worker);
  task->state = begin ? kWorkReduction : 0;
  if (auto report = callback<SyncRegion>(kReduction))
    report(kReductionRegion, begin ? kBegin : kEnd, current_region(worker), &task->data, site);
}

void doacross(Worker* worker, bool sink, const int64_t* vector, int count) {
  auto report = callback<ompt::Dependences>(kDependences);
  if (report == nullptr) return;
  constexpr int kSource = 5, kSink = 6;
  auto* list = static_cast<ompt::Dependence*>(__builtin_alloca(sizeof(ompt::Dependence) * static_cast<size_t>(count)));
  for (int i = 0; i < count; ++i) list[i] = {{static_cast<uint64_t>(vector[i])}, sink ? kSink : kSource};
  report(&current_view(worker)->data, list, count);
}

// ---- Mutual exclusion -----------------------------------------------------------------------------------------------

constexpr unsigned kQueuing = 2; // the kind of all our locks (ompt_entry.cpp)

uint64_t id_of(const void* object) { return reinterpret_cast<uint64_t>(object); }

uint32_t state_for(MutexKind kind) {
  switch (kind) {
  case MutexKind::kCritical: return kWaitCritical;
  case MutexKind::kAtomic: return kWaitAtomic;
  case MutexKind::kOrdered: return kWaitOrdered;
  default: return kWaitLock;
  }
}

void lock_init(Worker*, MutexKind kind, uint64_t hint, const void* object, const void* site) {
  if (auto report = callback<MutexAcquire>(kLockInit))
    report(static_cast<int>(kind), static_cast<unsigned>(hint), kQueuing, id_of(object), site);
}

void lock_destroy(Worker*, MutexKind kind, const void* object, const void* site) {
  if (auto report = callback<ompt::Mutex>(kLockDestroy)) report(static_cast<int>(kind), id_of(object), site);
}

void mutex_wait(Worker* worker, MutexKind kind, uint64_t hint, const void* object, const void* site) {
  ToolTask* task = current_view(worker);
  task->state = state_for(kind);
  task->wait_id = id_of(object);
  if (auto report = callback<MutexAcquire>(kMutexAcquire))
    report(static_cast<int>(kind), static_cast<unsigned>(hint), kQueuing, id_of(object), site);
}

void mutex_given_up(Worker* worker) {
  ToolTask* task = current_view(worker);
  task->state = 0;
  task->wait_id = 0;
}

void mutex_acquired(Worker* worker, MutexKind kind, const void* object, const void* site) {
  mutex_given_up(worker);
  if (auto report = callback<ompt::Mutex>(kMutexAcquired)) report(static_cast<int>(kind), id_of(object), site);
}

void mutex_released(Worker*, MutexKind kind, const void* object, const void* site) {
  if (auto report = callback<ompt::Mutex>(kMutexReleased)) report(static_cast<int>(kind), id_of(object), site);
}

void nest_lock(Worker*, bool begin, const void* object, const void* site) {
  if (auto report = callback<ompt::NestLock>(kNestLock)) report(begin ? kBegin : kEnd, id_of(object), site);
}

// ---- Others ---------------------------------------------------------------------------------------------------------

void flush(Worker* worker, const void* site) {
  if (auto report = callback<Flush>(kFlush)) report(&worker->observe.tool.data, site);
}

void cancel(Worker* worker, CancelKind kind, bool activated, const void* site) {
  auto report = callback<Cancel>(kCancel);
  if (report == nullptr) return;
  int what = kind == CancelKind::kParallel   ? kCancelParallel
             : kind == CancelKind::kLoop     ? kCancelLoop
             : kind == CancelKind::kSections ? kCancelSections
                                             : kCancelTaskgroup;
  report(&current_view(worker)->data, what | (activated ? kCancelActivated : kCancelDetected), site);
}

void error(Worker*, int severity, const char* message, const void* site) {
  if (auto report = callback<Error>(kError)) report(severity, message, strlen(message), site);
}

} // namespace

void observe_constructs(Observer* observer) {
  observer->work_begin = work_begin;
  observer->work_end = work_end;
  observer->chunk = chunk;
  observer->section = section;
  observer->masked = masked;
  observer->reduction = reduction;
  observer->doacross = doacross;
  observer->cancel = cancel;
  observer->flush = flush;
  observer->error = error;
  observer->lock_init = lock_init;
  observer->lock_destroy = lock_destroy;
  observer->mutex_wait = mutex_wait;
  observer->mutex_acquired = mutex_acquired;
  observer->mutex_given_up = mutex_given_up;
  observer->mutex_released = mutex_released;
  observer->nest_lock = nest_lock;
}

} // namespace chomp::ompt
