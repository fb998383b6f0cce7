// sections. See sections.h.
#include "runtime/loops/sections.h"

#include "runtime/loops/claim.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/loops/loop.h"
#include "runtime/loops/worksharing.h"

namespace chomp {

bool sections_begin(Worker* worker, int32_t count) {
  Member* member = worker->member;
  loop_slot_leave(member);
  MemberLoop& loop = member->worksharing.loop;
  bool shared_out = !member->team->serial();
  loop.schedule.ordered = false, loop.schedule.kind = LoopKind::kOneByOne;
  loop.own_chunk = 0, loop.last_chunk = static_cast<uint64_t>(count);
  if (shared_out) loop.shared = loop_slot_enter(worker, true);
  loop.active = shared_out ? loop.shared != nullptr : count > 0;
  return shared_out;
}

int32_t sections_count(const Worker* worker) {
  return static_cast<int32_t>(worker->member->worksharing.loop.last_chunk);
}

int32_t sections_next(Worker* worker, int32_t count) {
  MemberLoop& loop = worker->member->worksharing.loop;
  if (!loop.active) return count;
  auto beyond = static_cast<uint64_t>(count > 0 ? count : 0);
  uint64_t section = loop.own_chunk++; // alone
  if (loop.shared != nullptr) {
    about_to_take_next(&loop.shared->taken, beyond);
    // relaxed: as in take_next_chunk() (loop.cpp).
    section = loop.shared->taken.fetch_add(1, std::memory_order_relaxed);
  }
  if (section < beyond) return static_cast<int32_t>(section);
  loop_end(worker);
  return count;
}

} // namespace chomp
