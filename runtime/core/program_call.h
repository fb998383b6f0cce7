// What is noted of the program's calls while somebody observes: where the call came from, and the frames of tasks.
// Observers read it (events.h); an OMPT tool may ask for it at any time. Made where the program enters the runtime
// (abi/), and where regions and undeferred tasks are run.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/base/check.h"
#include "runtime/core/events.h"
#include "runtime/core/task.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"

namespace chomp {

/// While it lives, the current task is in a call of an entry point. `site` (the return address) and `frame` (of the
/// entry point) describe the call to the tool. For entry points at which tasks wait or are made.
class ProgramCall {
public:
  ProgramCall(Worker* worker, const void* site, const void* frame, BarrierKind barrier = BarrierKind::kNone)
      : worker_(announcing() ? worker : nullptr) {
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

  Worker* worker_; // null: nobody asks
  // Set by begin().
  ToolTask* task_;
  const void* outer_site_;
  const void* outer_frame_;
  uint32_t outer_barrier_;
};

/// What the worker notes of the call in which it is, while it is on another stack.
class CallNote {
public:
  explicit CallNote(const Worker* worker) : site_(worker->observe.tool.site), barrier_(worker->observe.tool.barrier) {}
  void restore(Worker* worker) const {
    worker->observe.tool.site = site_;
    worker->observe.tool.barrier = barrier_;
  }

private:
  const void* site_;
  uint32_t barrier_;
};

/// Makes a ProgramCall for the entry point that uses this. `worker` is the calling thread's.
#define CHOMP_PROGRAM_CALL(worker, ...)                                                                                \
  chomp::ProgramCall program_call((worker), __builtin_return_address(0),                                               \
                                  __builtin_frame_address(0) __VA_OPT__(, ) __VA_ARGS__)

inline Member* member_of_implicit(Task* task) {
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winvalid-offsetof"
  return reinterpret_cast<Member*>(reinterpret_cast<char*>(task) - offsetof(Member, implicit_task));
#pragma clang diagnostic pop
}

/// The tool's view of a task: null if it has none (a range of a taskloop; a task that is not observed).
inline ToolTask* view_of(Task* task) {
  if (task->is(kImplicit)) return &member_of_implicit(task)->tool.task;
  return task->is(kObserved) && task->extra != nullptr ? &static_cast<ObservedTask*>(task->extra)->tool : nullptr;
}

/// ToolTask::state of a task that the tool has seen end. The task may still be on the worker's stack, below tasks that
/// it has left behind.
inline constexpr uint32_t kEnded = UINT32_MAX;

/// The innermost task on the worker's stack that the tool can see, at or below `task`.
inline Task* visible(Task* task) {
  for (; task != nullptr; task = task->below())
    if (const ToolTask* view = view_of(task)) {
      if (view->state != kEnded) break;
    }
  return task;
}

/// The data of the region that the tool knows for the team. For a team of a league that region is the league.
inline ToolWord* region_of(Team* team) {
  return team->tool.initial.league != nullptr ? &team->tool.initial.league->data : &team->tool.data;
}

/// The current task's view, and its region's data. Never null: initial and implicit tasks always have a view.
inline ToolTask* current_view(const Worker* worker) { return view_of(visible(worker->current)); }
inline ToolWord* current_region(const Worker* worker) { return region_of(worker->member->team); }

// ---- Notes: only while somebody observes ----------------------------------------------------------------------------

/// The program wants `threads` for the region that follows; `body`: ToolRegion::body.
CHOMP_SLOW void note_region_requested(Worker* worker, int threads, const void* body);
/// The worker's next serial region is an initial task: of team `index` in a league of `teams`; or, without a league, of
/// a target region. Then `teams` and `index` are 1.
CHOMP_SLOW void note_initial_task(Worker* worker, ToolRegion* league, int teams, int index);
/// Called before the thread waits for the tasks that its serial region has left. That wait is the region's barrier.
CHOMP_SLOW void note_serial_region_ends(Worker* worker);

/// Whose frame, if any, has called the runtime in the current task.
inline void note_enter_frame(Worker* worker, const void* frame) { current_view(worker)->frame.enter = frame; }
/// Where to note the frame that will call the current task's code.
inline const void** exit_frame_of(Worker* worker) { return &current_view(worker)->frame.exit; }
/// That code has returned.
inline void note_code_returned(Worker* worker) { current_view(worker)->frame = ToolFrame(); }

} // namespace chomp
