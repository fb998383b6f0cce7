// See block.h. Why no task is forgotten or buried: runtime/wait/blocking.md.
#include "runtime/wait/block.h"

#include "runtime/base/os_linux.h"
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
  BlockedHere here(worker);
  wait_until(worker, &unblocked, 1);
}

void block_on_fiber(Worker* worker, BlockState* state) {
  Fiber* fiber = worker->tasks.fibers.running;
  state->fiber = fiber;
  uint32_t none = BlockState::kNone;
  // acq_rel, acquire: both pair as above.
  if (state->word.compare_exchange_strong(none, BlockState::kBlocked, std::memory_order_acq_rel,
                                          std::memory_order_acquire))
    fiber->leave();
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

void announce_left(Worker* worker) { each_left_wait(worker, wait_announce); }
void withdraw_left(Worker* worker) { each_left_wait(worker, wait_withdraw); }

} // namespace chomp
