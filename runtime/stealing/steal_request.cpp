// See steal_request.h.
#include "runtime/stealing/steal_request.h"

#include "runtime/base/os_linux.h"
#include "runtime/base/policy.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/stealing/publish.h"
#include "runtime/threads/running_threads.h"
#include "runtime/threads/wake.h"

namespace chomp {

constexpr uint32_t kRoundsBetweenLooks = policy::kRoundsBeforeClock / 2; // of a member that leaves tasks to others

// A member that is awake may get tasks directly. A member that waits in a tied task would refuse most of them.
void Asker::begin_request(bool awake) {
  Team* team = member_->team;
  if (present_ && !awake)
    withdraw_request(); // a hand-off would have to wait for this member; what is on offer is for all
  if (member_->requesting) return;
  member_->requesting = true;
  team->scheduler->set_request(team->scheduler_state, member_->tid, StealRequest::kRequesting);
  if (!awake || !team->scheduler->hands_over || waits_in_tied_task()) return;
  if (!team->may_spin() || others_want_cpus(team, true)) return; // a hand-off might wait for the member's CPU
  present_ = true;
  show_presence();
}

void Asker::show_presence() {
  Team* team = member_->team;
  if (present_) team->scheduler->set_request(team->scheduler_state, member_->tid, StealRequest::kPresent);
}

void Asker::withdraw_request() {
  if (!member_->requesting) return;
  member_->requesting = false;
  Team* team = member_->team;
  present_ = false;
  if (team->scheduler->set_request(team->scheduler_state, member_->tid, StealRequest::kNone)) wake_one_sleeper(team);
}

void Asker::stop() {
  requests_made_ = 0;
  requested_at_ = 0;
  ask_no_more();
}

void Asker::ask_no_more() {
  if (probe_) member_->worth->end_probe(probe_, asleep_);
  withdraw_request();
}

void Asker::ask(bool possible) {
  if (!possible) return ask_no_more();
  if (requests()) {
    request();
    if (requests_made_ < Scheduler::kThieves) return;
  }
  member_->worth->pays() || probe(false) ? begin_request(true) : ask_no_more();
}

void Asker::ask_asleep(bool possible) {
  if (!possible) return ask_no_more();
  if (member_->worth->pays()) return begin_request(false);
  probe(true) ? begin_request(false) : ask_no_more();
}

// Begins or goes on to probe, if the member may.
bool Asker::probe(bool asleep) {
  Granularity& granularity = *member_->worth;
  asleep_ |= asleep;
  uint64_t now = cycle_counter();
  if (probe_ && !asleep_ && now - probing_since_ > granularity.longest_probe()) granularity.end_probe(probe_, false);
  if (probe_) return granularity.still_probes(probe_);
  if (!granularity.begin_probe(probe_)) return false;
  probing_since_ = now;
  worker_->observe.counters.probes.add();
  asleep_ = asleep;
  return true;
}

int64_t Asker::until_probe_ns() const {
  const Granularity& granularity = *member_->worth;
  if (member_->requesting || granularity.pays()) return 0;
  return static_cast<int64_t>(granularity.until_probe() / 2) + 1; // a cycle takes about half a nanosecond, or less
}

bool Asker::leaves_tasks_to_prober(uint32_t rounds) const {
  if (!at_bottom(wait_) || member_->requesting || rounds % kRoundsBetweenLooks == kRoundsBetweenLooks - 1) return false;
  const Team* team = member_->team;
  return !member_->worth->pays() && team->may_spin() && member_->worth->is_probed();
}

// Whether the member must refuse most of what others have (constraint.h).
bool Asker::waits_in_tied_task() const {
  if (wait_.what != WaitFor::kChildren && wait_.what != WaitFor::kTaskgroup && wait_.what != WaitFor::kWord)
    return false;
  const Task* tied = worker_->tasks.innermost_wait.tied; // null where the constraint does not hold
  return tied != nullptr && !tied->is(kImplicit);
}

// Whether the member requests tasks. If it were requesting, every owner of the domain would publish what it must
// refuse. So it becomes requesting only after a request to each thief, and goes on requesting.
bool Asker::requests() const {
  const Team* team = member_->team;
  return team->scheduler->thief != nullptr && team->may_spin() && waits_in_tied_task();
}

void Asker::request() {
  uint64_t now = cycle_counter();
  Team* team = member_->team;
  uint32_t pause = member_->worth->pays() ? policy::kCoarseGrainCosts : policy::kProbeCosts / 8; // a task waits for it
  if (requested_at_ != 0 && now - requested_at_ < pause * member_->worth->cost()) return;
  requested_at_ = now;
  ++requests_made_;
  int thief = next_thief();
  if (thief >= 0 && thief != member_->tid) request_tasks(&team->members[thief]);
}

// The last thief need not have what this member waits for: an earlier thief may still be at a child, or at a
// grandchild. −1: no thief is known.
int Asker::next_thief() {
  const Team* team = member_->team;
  int thief = team->scheduler->thief(team->scheduler_state, member_->tid, next_thief_);
  if (thief < 0) {
    next_thief_ = 0;
    thief = team->scheduler->thief(team->scheduler_state, member_->tid, 0);
  }
  next_thief_ = next_thief_ + 1 < Scheduler::kThieves ? next_thief_ + 1 : 0;
  return thief;
}

} // namespace chomp
