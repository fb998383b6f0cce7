// ordered regions. See ordered.h.
//
// The turn is the index of the first iteration that has not gone through its ordered region. A member that has a chunk
// waits until the turn is inside it, and then passes the turn once per iteration. Nobody else can do so, so the member
// waits once per chunk.
//
// In a region that is being cancelled nobody waits, since the turns of members that have left it do not come. A lock,
// which all take where cancellation is on, then keeps the ordered regions apart.
#include "runtime/loops/ordered.h"

#include "runtime/config/config.h"
#include "runtime/core/memory.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/loops/worksharing.h"
#include "runtime/tasks/cancel.h"

namespace chomp {

OrderedLoop* ordered_loop(const Team* team, uint64_t number) {
  // relaxed: who calls this has made them, or seen the slot of this loop, which was released after they were made.
  return &team->worksharing.ordered_loops.load(std::memory_order_relaxed)[number % kLoopSlots];
}

void ordered_prepare(Team* team, uint64_t number) {
  atomic<OrderedLoop*>& loops = team->worksharing.ordered_loops;
  // acquire: pairs with acq_rel below. A member that cancellation led past the slots of earlier loops has seen nothing
  // of them, so two members may prepare different loops at the same time.
  if (CHOMP_UNLIKELY(loops.load(std::memory_order_acquire) == nullptr)) {
    auto made = static_cast<OrderedLoop*>(memory_permanent(kLoopSlots * sizeof(OrderedLoop))); // zeroed, which is valid
    OrderedLoop* none = nullptr;
    // acq_rel, acquire: pairs with itself and acquire above; where another member was first, ours stay unused.
    loops.compare_exchange_strong(none, made, std::memory_order_acq_rel, std::memory_order_acquire);
  }
  ordered_loop(team, number)->turn.store(0, std::memory_order_relaxed); // relaxed: the slot's release publishes it
}

static void wait_for_turn(Worker* worker) {
  Member* member = worker->member;
  MemberLoop& loop = member->worksharing.loop;
  uint64_t own = loop.chunk_first + loop.ordered_passed;
  auto has_come = [&loop, own, worker] {
    // acquire: pairs with release in pass_turn(); this region runs after the one before it.
    return loop.ordered->turn.load(std::memory_order_acquire) == own ||
           cancel_requested(worker, CancelKind::kParallel) || cancel_requested(worker, CancelKind::kLoop);
  };
  wait_for_member(worker, loop.ordered->turns, own, has_come);
}

static void pass_turn(MemberLoop& loop, uint64_t iterations) {
  loop.ordered_passed += iterations;
  uint64_t turn = loop.chunk_first + loop.ordered_passed;
  // release: pairs with acquire in wait_for_turn().
  loop.ordered->turn.store(turn, std::memory_order_release);
  if (turn > loop.chunk_last) loop.ordered->turns.notify(turn); // else the turn is still ours
}

/// Whether the member is in a chunk of an ordered loop whose turns are counted.
static bool counts_turns(const MemberLoop& loop) {
  return loop.shared != nullptr && loop.schedule.ordered && loop.chunk_first <= loop.chunk_last;
}

void ordered_begin(Worker* worker) {
  MemberLoop& loop = worker->member->worksharing.loop;
  if (!counts_turns(loop)) return;
  wait_for_turn(worker);
  if (config.cancellation) loop.ordered->region.lock();
}

void ordered_end(Worker* worker) {
  MemberLoop& loop = worker->member->worksharing.loop;
  if (!counts_turns(loop)) return;
  if (config.cancellation) loop.ordered->region.unlock();
  loop.ordered_done = true;
  pass_turn(loop, 1);
}

void ordered_finish_iteration(Worker* worker) {
  MemberLoop& loop = worker->member->worksharing.loop;
  if (!counts_turns(loop)) return;
  if (!loop.ordered_done) {
    wait_for_turn(worker);
    pass_turn(loop, 1);
  }
  loop.ordered_done = false;
}

void ordered_finish_chunk(Worker* worker) {
  MemberLoop& loop = worker->member->worksharing.loop;
  if (!counts_turns(loop)) return;
  uint64_t size = loop.chunk_last - loop.chunk_first + 1;
  if (loop.ordered_passed >= size) return;
  wait_for_turn(worker);
  pass_turn(loop, size - loop.ordered_passed);
}

} // namespace chomp
