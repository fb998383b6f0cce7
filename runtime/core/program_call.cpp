// See program_call.h.
#include "runtime/core/program_call.h"

#include "runtime/base/dynamic.h"

namespace chomp {

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

void note_region_requested(Worker* worker, int threads, const void* body) {
  worker->observe.tool.requested = static_cast<uint32_t>(threads);
  worker->observe.tool.body = body;
  worker->observe.tool.region_flags = kByRuntime | kOfTeam;
}

void note_initial_task(Worker* worker, ToolRegion* league, int teams, int index) {
  worker->observe.tool.initial = {league, static_cast<uint32_t>(teams), static_cast<uint32_t>(index)};
}

void note_serial_region_ends(Worker* worker) {
  bool has_barrier = worker->member->team->tool.initial.teams == 0; // initial tasks end without a barrier
  worker->observe.tool.barrier =
      static_cast<uint32_t>(has_barrier ? BarrierKind::kParallel : BarrierKind::kImplementation);
}

} // namespace chomp
