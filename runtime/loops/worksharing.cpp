// The beginning and the end of a region's worksharing, and the ring of loops. See worksharing.h.
#include "runtime/loops/worksharing.h"

#include <limits.h>

#include "runtime/base/backoff.h"
#include "runtime/base/check.h"
#include "runtime/base/os_linux.h"
#include "runtime/base/policy.h"
#include "runtime/base/preemption.h"
#include "runtime/config/config.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/loops/doacross.h"
#include "runtime/loops/loop.h"
#include "runtime/loops/loop_front.h"
#include "runtime/loops/ordered.h"
#include "runtime/loops/shared_block.h"
#include "runtime/tasks/task_reduction.h"
#include "runtime/sync/waiting.h"
#include "runtime/tasks/cancel.h"
#include "runtime/threads/running_threads.h"

namespace chomp {

int64_t unnotified_ns(const Worker* worker) {
  return config.cancellation || worker->tasks.fibers.away != 0 ? policy::kBusyPauseNs : kNoTimeout;
}

bool let_left_task_go_on(Worker* worker) { return left_task_can_go_on(worker) && resume_next(worker, worker->member); }

/// Wakes the members that wait for this one to leave a loop.
CHOMP_SLOW static void notify_loop_left_slow(RingPosition& place) {
  place.eventcount.fetch_add(1, std::memory_order_release); // release: pairs with acquire in wait_loop_left_slow()
  futex_wake(&place.eventcount, INT_MAX);
}

void loop_slot_leave(Member* member) {
  MemberLoop& loop = member->worksharing.loop;
  if (loop.shared == nullptr) return;
  loop.shared = nullptr;
  if (loop.schedule.kind == LoopKind::kDynamic) front_leave(member);
  preemption_point();
  RingPosition& place = member->worksharing.ring;
  // release: pairs with acquire in ring_enter_slow(): a member that sees it sees our last use of the slot.
  place.left.store(loop.number + 1, std::memory_order_release);
  light_fence(); // pairs with heavy_fence() in wait_loop_left_slow(): either we see the sleeper or it sees the store
  // relaxed: ordered by the fence.
  uint32_t sleepers = place.sleepers.load(std::memory_order_relaxed);
  bool is_round = (loop.number + 1) % (kLoopSlots / 2) == 0;
  if (CHOMP_UNLIKELY(sleepers >= (is_round ? 1 : RingPosition::kUrgent))) notify_loop_left_slow(place);
}

void worksharing_begin_region(Team* team) {
  TeamWorksharing& shared = team->worksharing;
  if (CHOMP_UNLIKELY(team->cancelled.load(std::memory_order_relaxed) != 0)) front_forget(team); // relaxed: as below
  cancel_begin_region(team);
  // All members have met the same loops in the last region, unless it was cancelled; then nobody was more than the
  // ring's length ahead of the primary.
  team->first_loop = team->members[0].worksharing.next_loop + (config.cancellation ? kLoopSlots : 0);
  // relaxed, all of it: no member runs, and the start signal publishes the values.
  store_if_new(shared.singles_taken, uint32_t{0});
  if (CHOMP_UNLIKELY(team->region_reduction != nullptr)) task_reduction_drop_regions_slow(team); // of a cancelled one
  if (!shared.blocks_used.load(std::memory_order_relaxed)) return;
  shared.blocks_used.store(false, std::memory_order_relaxed);
  for (SharedBlock& block : shared.blocks) shared_block_reset(&block);
}

void worksharing_end_member(Member* member) {
  loop_slot_leave(member);
  if (!config.cancellation) return;
  Worker* worker = this_worker();
  doacross_end(worker); // left by cancellation
  workshare_memory_end(worker);
}

void worksharing_begin_member(Member* member) {
  MemberWorksharing& own = member->worksharing;
  own.singles_seen = 0;
  own.barriers = 0;
  const Team* team = member->team;
  own.next_loop = own.all_left =
      member->tid == 0 ? team->first_loop : team->domain_lines[member->domain].packet.first_loop;
  own.blocks_seen = 0;
  own.reductions_seen = 0;
  own.loop.active = false;
  own.loop.shared = nullptr;
  own.doacross.block.slot = nullptr;
  own.doacross.shared = nullptr;
  own.memory.slot = nullptr;
}

/// Waits for the member of `place`, since the ring is full: that member is kLoopSlots loops behind. False: the region
/// is being cancelled.
CHOMP_SLOW static bool wait_loop_left_slow(Worker* worker, RingPosition& place, uint64_t number) {
  Waiting waiting(&worker->wait.cpu_offers);
  ShownSleep shown;
  bool slept = false;
  // acquire: pairs with release in loop_slot_leave(), as in ring_enter_slow().
  while (place.left.load(std::memory_order_acquire) + kLoopSlots <= number) {
    if (cancel_requested(worker, CancelKind::kParallel)) return false;
    if (let_left_task_go_on(worker)) continue;
    if (waiting.pause(cpu_demand(worker->member->team, true))) continue;
    shown.show(SleepFor::kLoopRing, &place);
    // acquire: pairs with release in notify_loop_left_slow(): a change that is seen here ends the sleep below.
    uint32_t seen = place.eventcount.load(std::memory_order_acquire);
    // The first sleep ends by itself, so it may miss its wake, and is patient. Both fences pair with light_fence() in
    // loop_slot_leave().
    uint32_t sleeper = slept ? RingPosition::kUrgent : RingPosition::kPatient;
    place.sleepers.fetch_add(sleeper, std::memory_order_relaxed);    // relaxed: ordered by the fence
    slept ? heavy_fence() : thread_fence(std::memory_order_seq_cst); // pair as said
    // acquire: pairs as above.
    if (place.left.load(std::memory_order_acquire) + kLoopSlots <= number)
      sleep_on(&place.eventcount, seen, slept ? unnotified_ns(worker) : policy::kBusyPauseNs);
    slept = true;
    place.sleepers.fetch_sub(sleeper, std::memory_order_relaxed); // relaxed: at worst a wake finds no sleeper
  }
  return true;
}

/// Looks how far the other members are, and waits for those that are too far behind. The answer also serves for the
/// next loops. Each member begins with its neighbour, so that they do not all read the same line at once.
CHOMP_SLOW static bool ring_enter_slow(Worker* worker, uint64_t number) {
  Member* member = worker->member;
  Team* team = member->team;
  int32_t size = team->size();
  uint64_t fewest = number;
  for (int32_t step = 1; step < size; ++step) {
    int32_t tid = member->tid + step < size ? member->tid + step : member->tid + step - size;
    RingPosition& place = team->members[tid].worksharing.ring;
    // acquire: pairs with release in loop_slot_leave(): the member's last use of the slot.
    uint64_t left = place.left.load(std::memory_order_acquire);
    if (left + kLoopSlots <= number) {
      if (!wait_loop_left_slow(worker, place, number)) return false;
      left = number - kLoopSlots + 1;
    }
    if (left < fewest) fewest = left;
  }
  member->worksharing.all_left = fewest;
  return true;
}

/// Resets the slot, unless another member has. All have left the loop that had it before.
static void slot_prepare(Team* team, SharedLoop* slot, uint64_t number, bool ordered) {
  uint64_t ready = number + 1, preparing = ready | SharedLoop::kPreparing;
  // acquire: pairs with the release below: the slot has been reset.
  uint64_t seen = slot->serves.load(std::memory_order_acquire);
  if (seen == ready) return;
  // relaxed: ring_enter_slow() has ordered what was done with the slot before.
  if (seen != preparing && slot->serves.compare_exchange_strong(seen, preparing, std::memory_order_relaxed)) {
    preemption_point();
    // relaxed: published by the store below.
    slot->taken.store(0, std::memory_order_relaxed);
    slot->moves.store(0, std::memory_order_relaxed);
    if (CHOMP_UNLIKELY(ordered)) ordered_prepare(team, number);
    if (config.cancellation) front_prepare(team, number);
    slot->serves.store(ready, std::memory_order_release); // release: pairs with acquire above
    return;
  }
  // acquire: pairs with the release above, another member's.
  for (Backoff backoff; slot->serves.load(std::memory_order_acquire) != ready;) backoff.pause();
}

SharedLoop* loop_slot_enter(Worker* worker, bool prepared, bool ordered) {
  MemberWorksharing& own = worker->member->worksharing;
  uint64_t number = own.loop.number = own.next_loop++;
  if (CHOMP_UNLIKELY(number >= own.all_left + kLoopSlots) && !ring_enter_slow(worker, number)) return nullptr;
  SharedLoop* slot = &worker->member->team->worksharing.loops[number % kLoopSlots];
  if (prepared) slot_prepare(worker->member->team, slot, number, ordered);
  return slot;
}

} // namespace chomp
