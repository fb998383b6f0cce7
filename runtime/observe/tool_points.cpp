// Notifies a tool of events other than those of tasks. See tool_points.h.
#include "runtime/observe/tool_points.h"

#include <string.h>

#include "runtime/base/dynamic.h"
#include "runtime/core/events.h"
#include "runtime/core/icv.h"
#include "runtime/core/team.h"
#include "runtime/observe/ompt.h"
#include "runtime/teams/league.h"
#include "runtime/teams/region.h"

namespace chomp {

using namespace ompt;

// ---- Calls of entry points ------------------------------------------------------------------------------------------

namespace {

/// If the last thing that a task does is a call, compilers make it a jump, and it returns to this library. Then the
/// place is where the task's code begins, as if a call there had returned.
const void* place_in_program(const Worker* worker, const void* site) {
  if (!is_of_this_library(reinterpret_cast<uintptr_t>(site))) return site;
  Task* task = worker->current;
  uintptr_t code = task->is(kImplicit) ? code_of(worker->member->team) : code_of(task->payload());
  return code == 0 || is_of_this_library(code) ? site : reinterpret_cast<const void*>(code + 1);
}

} // namespace

void ProgramCall::begin(const void* site, const void* frame, BarrierKind barrier) {
  site = place_in_program(worker_, site);
  task_ = current_view(worker_);
  outer_site_ = worker_->observe.tool.site;
  outer_barrier_ = worker_->observe.tool.barrier;
  outer_frame_ = task_->frame.enter;
  worker_->observe.tool.site = site;
  worker_->observe.tool.barrier = static_cast<uint32_t>(barrier);
  task_->frame.enter = frame;
}

void ProgramCall::end() {
  worker_->observe.tool.site = outer_site_;
  worker_->observe.tool.barrier = outer_barrier_;
  task_->frame.enter = outer_frame_;
}

void tool_serial_region(Worker* worker, const void* site, const void* frame) {
  current_view(worker)->frame.enter = frame; // until the region ends
  const void* outer_site = worker->observe.tool.site;
  worker->observe.tool.site = site;
  team_enter_serial(worker);
  worker->observe.tool.site = outer_site;
  current_view(worker)->frame.exit = frame;
}

bool tool_league_next(Worker* worker, bool first, const void* site, const void* frame) {
  if (first) current_view(worker)->frame.enter = frame; // until the last team has ended
  const void* outer_site = worker->observe.tool.site;
  worker->observe.tool.site = site;
  bool entered = league_next(worker, first);
  worker->observe.tool.site = outer_site;
  if (entered)
    current_view(worker)->frame.exit = frame;
  else
    tool_back_in_program(worker);
  return entered;
}

void tool_serial_region_ends(Worker* worker) {
  bool has_barrier = worker->member->team->tool.initial.teams == 0; // initial tasks end without a barrier
  worker->observe.tool.barrier =
      static_cast<uint32_t>(has_barrier ? BarrierKind::kParallel : BarrierKind::kImplementation);
}

void tool_back_in_program(Worker* worker) { current_view(worker)->frame.enter = nullptr; }

// ---- Worksharing ----------------------------------------------------------------------------------------------------

void tool_work_at(Worker* worker, WorkKind kind, bool begin, uint64_t count, const void* site) {
  begin ? event_work_begin(worker, kind, count, site) : event_work_end(worker, kind);
  if (auto report = callback<Work>(kWork))
    report(static_cast<int>(kind), begin ? kBegin : kEnd, current_region(worker), &current_view(worker)->data, count,
           site);
}

void tool_work_begin(Worker* worker, WorkKind kind, uint64_t count, const void* site) {
  tool_work_end(worker, site); // of a cancelled construct the end was not reported
  ToolMember& own = worker->member->tool;
  own.work = static_cast<uint32_t>(kind);
  own.work_count = count;
  tool_work_at(worker, kind, true, count, site);
}

void tool_work_end(Worker* worker, const void* site) {
  ToolMember& own = worker->member->tool;
  if (own.work == 0) return;
  auto kind = static_cast<WorkKind>(own.work);
  own.work = 0;
  tool_work_at(worker, kind, false, own.work_count, site);
}

void tool_chunk(Worker* worker, ChunkKind kind, uint64_t first, uint64_t iterations) {
  auto report = callback<Dispatch>(kDispatch);
  if (report == nullptr) return;
  Chunk chunk{first, iterations};
  ToolWord instance{reinterpret_cast<uint64_t>(&chunk)};
  report(current_region(worker), &current_view(worker)->data, static_cast<int>(kind), instance);
}

void tool_section(Worker* worker, const void* site) {
  if (auto report = callback<Dispatch>(kDispatch))
    report(current_region(worker), &current_view(worker)->data, static_cast<int>(ChunkKind::kSection),
           ToolWord{reinterpret_cast<uint64_t>(site)});
}

void tool_masked(Worker* worker, bool begin, const void* site) {
  if (auto report = callback<Masked>(kMasked))
    report(begin ? kBegin : kEnd, current_region(worker), &current_view(worker)->data, site);
}

void tool_reduction(Worker* worker, bool begin, const void* site) {
  ToolTask* task = current_view(worker);
  task->state = begin ? kWorkReduction : 0;
  if (auto report = callback<SyncRegion>(kReduction))
    report(kReductionRegion, begin ? kBegin : kEnd, current_region(worker), &task->data, site);
}

void tool_doacross(Worker* worker, bool sink, const int64_t* vector, int count) {
  auto report = callback<ompt::Dependences>(kDependences);
  if (report == nullptr) return;
  constexpr int kSource = 5, kSink = 6;
  auto* list = static_cast<ompt::Dependence*>(__builtin_alloca(sizeof(ompt::Dependence) * static_cast<size_t>(count)));
  for (int i = 0; i < count; ++i) list[i] = {{static_cast<uint64_t>(vector[i])}, sink ? kSink : kSource};
  report(&current_view(worker)->data, list, count);
}

// ---- Mutual exclusion -----------------------------------------------------------------------------------------------

namespace {

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

} // namespace

void tool_lock_init(MutexKind kind, uint64_t hint, const void* object, const void* site) {
  this_worker();
  if (auto report = callback<MutexAcquire>(kLockInit))
    report(static_cast<int>(kind), static_cast<unsigned>(hint), kQueuing, id_of(object), site);
}

void tool_lock_destroy(MutexKind kind, const void* object, const void* site) {
  this_worker();
  if (auto report = callback<ompt::Mutex>(kLockDestroy)) report(static_cast<int>(kind), id_of(object), site);
}

void tool_mutex_acquire(MutexKind kind, uint64_t hint, const void* object, const void* site) {
  ToolTask* task = current_view(this_worker());
  task->state = state_for(kind);
  task->wait_id = id_of(object);
  event_mutex_wait(tls_worker, kind, object, site);
  if (auto report = callback<MutexAcquire>(kMutexAcquire))
    report(static_cast<int>(kind), static_cast<unsigned>(hint), kQueuing, id_of(object), site);
}

static void wait_no_more() {
  ToolTask* task = current_view(this_worker());
  task->state = 0;
  task->wait_id = 0;
}

void tool_mutex_given_up() {
  wait_no_more();
  event_mutex_given_up(tls_worker);
}

void tool_mutex_acquired(MutexKind kind, const void* object, const void* site) {
  wait_no_more();
  event_mutex_acquired(tls_worker);
  if (auto report = callback<ompt::Mutex>(kMutexAcquired)) report(static_cast<int>(kind), id_of(object), site);
}

void tool_mutex_released(MutexKind kind, const void* object, const void* site) {
  event_mutex_released(this_worker(), object);
  if (auto report = callback<ompt::Mutex>(kMutexReleased)) report(static_cast<int>(kind), id_of(object), site);
}

void tool_nest_lock(bool begin, const void* object, const void* site) {
  this_worker();
  if (auto report = callback<ompt::NestLock>(kNestLock)) report(begin ? kBegin : kEnd, id_of(object), site);
}

// ---- Others ---------------------------------------------------------------------------------------------------------

void tool_flush(const void* site) {
  if (auto report = callback<Flush>(kFlush)) report(&this_worker()->observe.tool.data, site);
}

void tool_cancel(Worker* worker, CancelKind kind, bool activated, const void* site) {
  auto report = callback<Cancel>(kCancel);
  if (report == nullptr) return;
  int what = kind == CancelKind::kParallel   ? kCancelParallel
             : kind == CancelKind::kLoop     ? kCancelLoop
             : kind == CancelKind::kSections ? kCancelSections
                                             : kCancelTaskgroup;
  report(&current_view(worker)->data, what | (activated ? kCancelActivated : kCancelDetected), site);
}

void tool_error(int severity, const char* message, const void* site) {
  this_worker();
  if (auto report = callback<Error>(kError)) report(severity, message, strlen(message), site);
}

int tool_control(int command, int modifier, void* argument, const void* site, const void* frame) {
  constexpr int kNoTool = -2, kNoCallback = -1;
  Worker* worker = this_worker();
  if (!tool_attached()) return kNoTool;
  auto control = callback<ControlTool>(kControlTool);
  if (control == nullptr) return kNoCallback;
  ProgramCall call(worker, site, frame);
  return control(static_cast<uint64_t>(command), static_cast<uint64_t>(modifier), argument, site);
}

} // namespace chomp
