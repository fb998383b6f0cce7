// See forced_steal.h.
#include "runtime/stealing/forced_steal.h"

#include <algorithm>

#include "runtime/base/os_linux.h"
#include "runtime/base/policy.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/stealing/publish.h"
#include "runtime/threads/wake.h"

namespace chomp {

static uint64_t activity_of(const Member& member) {
  // Top and base suffice: a member that pushes or pops while somebody is requesting publishes, which moves the base.
  return member.deque.top() * 3 + member.deque.base() * 5;
}

static uint64_t answer_cycles() { return policy::kAnswerFences * heavy_fence_cycles(); }

// The member first waits for a while, since most owners answer before anybody has to look at their lines.
void ForcedSteal::look_if_due(int32_t looks) {
  uint64_t now = cycle_counter();
  if (requesting_since_ == 0) requesting_since_ = now;
  if (now - requesting_since_ >= answer_cycles()) look(looks);
}

void ForcedSteal::look(int32_t looks) {
  Team* team = member_->team;
  if (!team->forced_steal_lease.take_or_renew(lease_)) {
    watched_ = -1;
    return;
  }
  if (watched_ >= 0) {
    Member& owner = team->members[watched_];
    bool stuck = owner.deque.size() > 0 && activity_of(owner) == activity_;
    if (stuck && cycle_counter() - since_ < answer_cycles()) return;
    if (stuck) steal_by_force(&owner);
  }
  watch_next(looks);
}

void ForcedSteal::stop() {
  watched_ = -1;
  requesting_since_ = 0;
  member_->team->forced_steal_lease.drop(lease_);
}

void ForcedSteal::steal_by_force(Member* owner) {
  TaskBatch batch = owner->deque.steal_by_force(member_, wait_);
  if (batch.count > 0)
    publish_batch(member_, batch);
  else
    wake_one_sleeper(member_->team); // the owner may have tried in vain to publish meanwhile
}

// A member that spins looks at few others at a time. If it looked at all, the lines that owners write would move each
// time that it reads the clock.
void ForcedSteal::watch_next(int32_t looks) {
  Team* team = member_->team;
  watched_ = -1;
  if (looked_at_ < 0) looked_at_ = member_->tid;
  for (int32_t left = std::min(looks, team->size()); left > 0; --left) {
    looked_at_ = looked_at_ + 1 < team->size() ? looked_at_ + 1 : 0;
    if (looked_at_ == member_->tid || team->members[looked_at_].deque.size() == 0) continue;
    watched_ = looked_at_;
    activity_ = activity_of(team->members[watched_]);
    since_ = cycle_counter();
    return;
  }
}

} // namespace chomp
