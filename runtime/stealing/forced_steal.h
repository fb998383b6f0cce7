// The last resort: an owner does not answer, since it is inside a long task or has lost its CPU. One member of the team
// watches owners for all that are requesting. It takes tasks out of a private deque that its owner has not touched for
// a while. ../how_a_task_moves.md, "From out of work to asleep".
#pragma once

#include <cstdint>

#include "runtime/base/lease.h"
#include "runtime/core/wait.h"

namespace chomp {

struct Member;

class ForcedSteal {
public:
  ForcedSteal(Member* member, const Wait& wait) : member_(member), wait_(wait) {}

  /// Steals by force from the watched owner if that is stuck; else looks for another among the next `looks` members.
  /// Only requesting members, and sentinels of oversubscribed teams, call this: an owner that sees no request publishes
  /// nothing, and would seem stuck.
  void look(int32_t looks);
  /// The same for a member that spins, once it has been requesting for a while. Called now and then.
  void look_if_due(int32_t looks);
  /// Called when the member looks no more.
  void stop();
  /// Whether it watches an owner that has tasks.
  bool watches() const { return watched_ >= 0; }

private:
  void steal_by_force(Member* owner);
  void watch_next(int32_t looks);

  Member* member_;
  const Wait& wait_;
  Lease::Hold lease_;
  uint64_t requesting_since_ = 0; // by the cycle counter, as are all times here
  int32_t watched_ = -1;          // the owner that it watches; -1: none
  uint64_t activity_ = 0;         // what the deque of that owner looked like at `since_`
  uint64_t since_ = 0;
  int32_t looked_at_ = -1; // the last member whose deque was looked at
};

} // namespace chomp
