// See block.h. Why no task is forgotten or buried: runtime/wait/blocking.md.
#include "runtime/wait/block.h"

#include <algorithm>

#include "runtime/base/os_linux.h"
#include "runtime/core/events.h"
#include "runtime/core/team.h"
#include "runtime/dependences/task_deps.h"
#include "runtime/wait/fiber.h"
#include "runtime/threads/wake.h"
#include "runtime/wait/work_loop.h"

namespace chomp {
namespace {

// The current task is blocked where it stands: anything may run on top of it (constraint_now()).
class BlockedHere {
public:
  explicit BlockedHere(Worker* worker) : place_(worker->tasks.fibers.blocked_here), outer_(place_) {
    place_ = worker->current;
  }
  ~BlockedHere() { place_ = outer_; }
  BlockedHere(const BlockedHere&) = delete;
  BlockedHere& operator=(const BlockedHere&) = delete;

private:
  const Task*& place_;
  const Task* outer_;
};

// A free agent runs nothing meanwhile: what it took could wait for a child that only a member may run, and that member
// for the task below.
void work_until(Worker* worker, Wait wait) {
  BlockedHere here(worker);
  wait.alone = worker->member->team->served != nullptr;
  work_loop(worker, worker->member, wait);
}

void block_in(Worker* worker, const Wait& wait) {
  may_leave(worker) ? leave_waiting(worker, wait) : work_until(worker, wait);
}

void block_here(Worker* worker, BlockState* state) {
  atomic<uint32_t> unblocked{0};
  state->fiber = nullptr;
  state->worker = worker;
  state->waits_for = &unblocked;
  uint32_t none = BlockState::kNone;
  // acq_rel: release pairs with acquire in unblock(), which reads the fields; acquire with its release.
  if (!state->word.compare_exchange_strong(none, BlockState::kBlocked, std::memory_order_acq_rel,
                                           std::memory_order_acquire))
    return state->word.store(BlockState::kNone, std::memory_order_relaxed); // relaxed: the call is behind us
  Wait wait{WaitFor::kWord, 1};
  wait.word = &unblocked;
  ObservedWait observed(worker, worker->current, WaitFor::kWord);
  work_until(worker, wait);
}

void block_on_fiber(Worker* worker, BlockState* state) {
  Fiber* fiber = worker->tasks.fibers.running;
  state->fiber = fiber;
  uint32_t none = BlockState::kNone;
  // acq_rel, acquire: both pair as above.
  if (state->word.compare_exchange_strong(none, BlockState::kBlocked, std::memory_order_acq_rel,
                                          std::memory_order_acquire))
    fiber->leave(next_in_place(worker));
  else
    state->word.store(BlockState::kNone, std::memory_order_relaxed); // relaxed: as above
}

} // namespace

void blocking_begin(Worker* worker) {
  stack_watch_all_workers();
  if (worker->run_watermark.load(std::memory_order_relaxed) !=
      UINTPTR_MAX) // relaxed: another thread is about to say it
    stack_set_watermark(worker, worker->stack.watermark);
}

DetachEvent* blocking_handle(Worker* worker) {
  blocking_begin(worker);
  return event_of_current(worker);
}

bool block(Worker* worker, DetachEvent* handle) {
  const TaskExtra* extra = worker->current->extra;
  if (extra == nullptr || extra->event != handle || handle == nullptr) return false;
  BlockState* state = &handle->block;
  may_leave(worker) ? block_on_fiber(worker, state) : block_here(worker, state);
  return true;
}

bool unblock(DetachEvent* handle) {
  if (CHOMP_UNLIKELY(is_forgotten(handle))) return true;
  BlockState* state = &handle->block;
  uint32_t word = state->word.load(std::memory_order_relaxed); // relaxed: the exchange decides
  uint32_t next;
  do {
    if (word == BlockState::kUnblocked) return false;
    next = word == BlockState::kNone ? BlockState::kUnblocked : BlockState::kNone;
    // acq_rel: acquire pairs with block(), whose fields we read; release: the task sees what we wrote before.
  } while (!state->word.compare_exchange_weak(word, next, std::memory_order_acq_rel, std::memory_order_relaxed));
  if (word == BlockState::kNone) return true; // the task goes on, and may be gone
  if (state->fiber != nullptr) {
    fiber_ready(state->fiber);
    return true;
  }
  Worker* worker = state->worker;
  state->waits_for->store(1,
                          std::memory_order_release); // release: pairs with acquire in wait_is_over(); the last touch
  worker_wake(worker);
  return true;
}

uint64_t block_for(Worker* worker, uint64_t ns) {
  blocking_begin(worker);
  int64_t began = monotonic_ns();
  uint64_t longest = static_cast<uint64_t>(INT64_MAX - began);
  block_in(worker, Wait{WaitFor::kTime, static_cast<uint64_t>(began) + std::min(ns, longest)});
  return static_cast<uint64_t>(monotonic_ns() - began);
}

bool run_again(Worker* worker, DetachEvent* handle) {
  if (worker->current->is(kCalledByProgram) || !events_owe_body(worker, handle)) return false;
  return handle->again.asked = true;
}

bool run_again_mode(DetachEvent* handle, uint32_t mode, uint64_t argument) {
  if (mode >= RunsAgain::kModes) return false;
  handle->again.mode = static_cast<RunsAgain::Mode>(mode);
  handle->again.argument = argument;
  return true;
}

// The last call of events_decrease() stores to the word.
static void block_until_events_are_over(Worker* worker, DetachEvent* event) {
  atomic<uint32_t> over{0};
  Wait wait{WaitFor::kWord, 1};
  wait.word = event->block.waits_for = &over;
  event->block.worker = worker;
  // acq_rel: acquire pairs with events_decrease(); release: whoever sees kWaits sees the task as it is.
  uint64_t owed = event->owed.fetch_or(DetachEvent::kWaits, std::memory_order_acq_rel);
  if ((owed & DetachEvent::kOthers) != 0)
    block_in(worker, wait);
  else
    event->owed.fetch_and(~DetachEvent::kWaits, std::memory_order_relaxed); // relaxed: nobody decreases
}

bool runs_again(Worker* worker, Task* task) {
  DetachEvent* event = task->extra != nullptr ? task->extra->event : nullptr;
  if (event == nullptr || !event->again.asked) return false;
  event->again.asked = false;
  uint64_t argument = event->again.argument;
  switch (event->again.mode) {
  case RunsAgain::kAtOnce: argument == 1 ? task_yield_or_offer_cpu(worker) : void(leave_for_others(worker)); break;
  case RunsAgain::kAfterTime: block_for(worker, argument); break;
  case RunsAgain::kAfterEvents: block_until_events_are_over(worker, event); break;
  default: block(worker, event);
  }
  int32_t& part = task->payload()->part_id; // of an untied task
  if (part > 0) part = 0;
  return true;
}

void announce_left(Worker* worker) { each_left_wait(worker, wait_announce); }
void withdraw_left(Worker* worker) { each_left_wait(worker, wait_withdraw); }

int64_t until_moment(Worker* worker, const Wait& wait, int64_t timeout) {
  int64_t first = INT64_MAX;
  auto look = [&first](const Wait& each) {
    if (each.what == WaitFor::kTime) first = std::min(first, static_cast<int64_t>(each.epoch));
  };
  look(wait);
  each_left_wait(worker, look);
  if (first == INT64_MAX) return timeout;
  int64_t left = std::max<int64_t>(first - monotonic_ns(), 1);
  return timeout == kNoTimeout ? left : std::min(timeout, left);
}

} // namespace chomp
