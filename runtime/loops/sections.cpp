// sections. See sections.h.
#include "runtime/loops/sections.h"

#include "runtime/loops/claim.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/loops/loop.h"
#include "runtime/loops/worksharing.h"

namespace chomp {

bool sections_begin(Worker* worker) {
  Member* member = worker->member;
  if (member->team->serial()) return false;
  loop_slot_leave(member);
  MemberLoop& loop = member->worksharing.loop;
  loop.schedule.ordered = false;
  loop.shared = loop_slot_enter(worker, true);
  loop.active = loop.shared != nullptr;
  return true;
}

int32_t sections_next(Worker* worker, int32_t count) {
  MemberLoop& loop = worker->member->worksharing.loop;
  if (!loop.active || loop.shared == nullptr) return count;
  about_to_take_next(&loop.shared->taken, count > 0 ? static_cast<uint64_t>(count) : 0);
  // relaxed: as in take_next_chunk() (loop.cpp).
  uint64_t section = loop.shared->taken.fetch_add(1, std::memory_order_relaxed);
  if (count > 0 && section < static_cast<uint64_t>(count)) return static_cast<int32_t>(section);
  loop_end(worker);
  return count;
}

} // namespace chomp
