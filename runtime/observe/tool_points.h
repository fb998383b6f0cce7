// Where a tool of the OMPT interface (OpenMP 5.2, chapter 19) is notified of events. The entry points of abi/ and the
// files of runtime/ call these functions; the points about tasks are in events.h. Callers ask tool_on() before each
// call: without a tool that is one test of a byte that nobody writes. The functions are in tool_points.cpp and
// ompt_events.cpp; ompt.cpp finds the tool.
//
// A tool's functions are called outside all locks, on the thread that causes the event. They may not use OpenMP.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/base/check.h"
#include "runtime/core/task.h"
#include "runtime/core/worker.h"
#include "runtime/loops/worksharing_state.h"
#include "runtime/tasks/cancel.h"

namespace chomp {

struct Team;

extern atomic<bool> tool_active;

/// Whether a tool, or an observer of events.h, wants any of these points.
inline bool tool_on() {
  return CHOMP_UNLIKELY(tool_active.load(std::memory_order_relaxed)); // relaxed: the thread that attaches it sees it
}

/// Whether there is a tool.
bool tool_attached();

/// Called in the child of fork(): another thread may have been starting the tool.
void tool_reset_after_fork();

/// Ends the tool, if there is one.
void tool_end();

/// Sets tool_active anew. Called when a tool has gone, or an observer has come.
void tool_points_decide();

/// While it lives, the current task is in a call of an entry point. `site` (the return address) and `frame` (of the
/// entry point) describe the call to the tool. For entry points at which tasks wait or are made.
class ProgramCall {
public:
  ProgramCall(Worker* worker, const void* site, const void* frame, BarrierKind barrier = BarrierKind::kNone)
      : worker_(tool_on() ? worker : nullptr) {
    if (CHOMP_UNLIKELY(worker_ != nullptr)) begin(site, frame, barrier);
  }
  ~ProgramCall() {
    if (CHOMP_UNLIKELY(worker_ != nullptr)) end();
  }
  ProgramCall(const ProgramCall&) = delete;
  ProgramCall& operator=(const ProgramCall&) = delete;

private:
  CHOMP_SLOW void begin(const void* site, const void* frame, BarrierKind barrier);
  CHOMP_SLOW void end();

  Worker* worker_; // null: there is no tool
  // Set by begin().
  ToolTask* task_;
  const void* outer_site_;
  const void* outer_frame_;
  uint32_t outer_barrier_;
};

/// Makes a ProgramCall for the entry point that uses this. `worker` is the calling thread's.
#define CHOMP_PROGRAM_CALL(worker, ...)                                                                                \
  chomp::ProgramCall program_call((worker), __builtin_return_address(0),                                               \
                                  __builtin_frame_address(0) __VA_OPT__(, ) __VA_ARGS__)

// ---- Threads, regions, implicit tasks -------------------------------------------------------------------------------

/// Looks for a tool, once, and starts it. Called by the first thread that uses OpenMP, once chomp has registered the
/// thread.
CHOMP_SLOW void tool_attach();
CHOMP_SLOW void tool_thread_begin(Worker* worker);
CHOMP_SLOW void tool_thread_end(Worker* worker);
/// The initial task of a thread of the program.
CHOMP_SLOW void tool_initial_begin(Worker* worker);
CHOMP_SLOW void tool_initial_end(Worker* worker);
/// Notes that the program wants `threads` for the region that follows; `body`: ToolRegion::body.
CHOMP_SLOW void tool_region_requested(Worker* worker, int threads, const void* body);
/// A serialised region whose code the program itself calls; and the end of that region.
void tool_serial_region(Worker* worker, const void* site, const void* frame);
void tool_back_in_program(Worker* worker);
/// Called before the calling thread waits for the tasks that its serial region has left. That wait is the region's
/// barrier.
CHOMP_SLOW void tool_serial_region_ends(Worker* worker);
CHOMP_SLOW void tool_region_begin(Worker* worker, Team* team);
CHOMP_SLOW void tool_region_end(Worker* worker, Team* team);
CHOMP_SLOW void tool_implicit_begin(Worker* worker, Member* member);
CHOMP_SLOW void tool_implicit_end(Worker* worker, Member* member);
/// The teams construct.
CHOMP_SLOW void tool_league_begin(Worker* worker, ToolRegion* league, int teams);
CHOMP_SLOW void tool_league_end(Worker* worker, ToolRegion* league);
/// league_next(), called by the program at `site` through the entry point whose frame is `frame`.
bool tool_league_next(Worker* worker, bool first, const void* site, const void* frame);
/// Notes that the worker's next serial region is an initial task: of team `index` in a league of `teams`; or, without a
/// league, of a target region. Then `teams` and `index` are 1.
CHOMP_SLOW void tool_initial_next(Worker* worker, ToolRegion* league, int teams, int index);
/// Returns where to note the frame that will call the current task's code.
CHOMP_SLOW const void** tool_exit_frame(Worker* worker);
/// Called when that code has returned.
CHOMP_SLOW void tool_back(Worker* worker);
/// Called when the program itself is about to call an undeferred task. The current task stays in the runtime, at
/// `frame`. Called again with null when the undeferred task has ended.
CHOMP_SLOW void tool_undeferred(Worker* worker, const void* frame);

// ---- Worksharing ----------------------------------------------------------------------------------------------------

CHOMP_SLOW void tool_work_begin(Worker* worker, WorkKind kind, uint64_t count, const void* site);
/// Ends the construct that the member is in, if it is in one.
CHOMP_SLOW void tool_work_end(Worker* worker, const void* site);
/// The same for single and scope, of which the member remembers nothing.
CHOMP_SLOW void tool_work_at(Worker* worker, WorkKind kind, bool begin, uint64_t count, const void* site);
CHOMP_SLOW void tool_chunk(Worker* worker, ChunkKind kind, uint64_t first, uint64_t iterations);
CHOMP_SLOW void tool_section(Worker* worker, const void* site);
CHOMP_SLOW void tool_masked(Worker* worker, bool begin, const void* site);
CHOMP_SLOW void tool_reduction(Worker* worker, bool begin, const void* site);
/// ordered depend(sink) and depend(source), with one value for each loop.
CHOMP_SLOW void tool_doacross(Worker* worker, bool sink, const int64_t* vector, int count);

/// The kind of a loop with this schedule.
inline WorkKind work_kind_of(const LoopSchedule& schedule) {
  switch (schedule.kind) {
  case LoopKind::kStatic:
  case LoopKind::kStaticChunked: return WorkKind::kLoopStatic;
  case LoopKind::kGuided: return WorkKind::kLoopGuided;
  default: return WorkKind::kLoopDynamic;
  }
}

// ---- Mutual exclusion -----------------------------------------------------------------------------------------------
// These functions register the calling thread with the runtime, if need be.

CHOMP_SLOW void tool_lock_init(MutexKind kind, uint64_t hint, const void* object, const void* site);
CHOMP_SLOW void tool_lock_destroy(MutexKind kind, const void* object, const void* site);
CHOMP_SLOW void tool_mutex_acquire(MutexKind kind, uint64_t hint, const void* object, const void* site);
CHOMP_SLOW void tool_mutex_acquired(MutexKind kind, const void* object, const void* site);
/// Called when a test has failed: the task waits no longer.
CHOMP_SLOW void tool_mutex_given_up();
CHOMP_SLOW void tool_mutex_released(MutexKind kind, const void* object, const void* site);
/// Called when the owner of a nestable lock sets it once more, or unsets it without freeing it.
CHOMP_SLOW void tool_nest_lock(bool begin, const void* object, const void* site);

// ---- Others ---------------------------------------------------------------------------------------------------------

CHOMP_SLOW void tool_flush(const void* site);
CHOMP_SLOW void tool_cancel(Worker* worker, CancelKind kind, bool activated, const void* site);
CHOMP_SLOW void tool_error(int severity, const char* message, const void* site);
/// omp_control_tool() (18.14).
int tool_control(int command, int modifier, void* argument, const void* site, const void* frame);
/// ompt_libomp_connect(): an offload library passes its ompt_start_tool_result_t.
void tool_connect_offload(void* start_result);

} // namespace chomp
