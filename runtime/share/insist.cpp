// See insist.h.
#include "runtime/share/insist.h"

#include <algorithm>

#include "runtime/base/os_linux.h"
#include "runtime/base/policy.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/share/publish.h"
#include "runtime/threads/wake.h"

namespace chomp {

static uint64_t activity_of(const Member& member) {
  // Top and base suffice: a member that pushes or pops while somebody is hungry publishes, which moves the base.
  return member.deque.top() * 3 + member.deque.base() * 5;
}

static uint64_t answer_cycles() { return policy::kAnswerFences * heavy_fence_cycles(); }

// The member first waits for a while, since most owners answer before anybody has to look at their lines.
void Insister::look_if_due(int32_t looks) {
  uint64_t now = cycle_counter();
  if (hungry_since_ == 0) hungry_since_ = now;
  if (now - hungry_since_ >= answer_cycles()) look(looks);
}

void Insister::look(int32_t looks) {
  Team* team = member_->team;
  if (!team->insisting.take_or_renew(lease_)) {
    watched_ = -1;
    return;
  }
  if (watched_ >= 0) {
    Member& owner = team->members[watched_];
    bool stuck = owner.deque.size() > 0 && activity_of(owner) == activity_;
    if (stuck && cycle_counter() - since_ < answer_cycles()) return;
    if (stuck) revoke(&owner);
  }
  watch_next(looks);
}

void Insister::stop() {
  watched_ = -1;
  hungry_since_ = 0;
  member_->team->insisting.drop(lease_);
}

void Insister::revoke(Member* owner) {
  TaskBatch batch = owner->deque.revoke(member_, wait_);
  if (batch.count > 0)
    publish_batch(member_, batch);
  else
    wake_one_sleeper(member_->team); // the owner may have tried in vain to publish meanwhile
}

// A member that spins looks at few others at a time. If it looked at all, the lines that owners write would move each
// time that it reads the clock.
void Insister::watch_next(int32_t looks) {
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
