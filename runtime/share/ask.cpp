// See ask.h.
#include "runtime/share/ask.h"

#include "runtime/base/os_linux.h"
#include "runtime/base/policy.h"
#include "runtime/config/config.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/share/publish.h"
#include "runtime/threads/running_threads.h"
#include "runtime/threads/wake.h"

namespace chomp {

constexpr uint32_t kRoundsBetweenLooks = 16; // of a member that leaves tasks to others

// A member that is awake may get tasks directly. A member that waits in a tied task would refuse most of them.
void Asker::become_hungry(bool awake) {
  Team* team = member_->team;
  if (present_ && !awake) clear_hungry(); // a gift would have to wait for this member; what is on offer is for all
  if (member_->hungry) return;
  member_->hungry = true;
  team->scheduler->set_hunger(team->scheduler_state, member_->tid, Hunger::kHungry);
  if (!awake || !team->scheduler->hands_over || waits_in_tied_task()) return;
  if (!team->may_spin() || others_want_cpus(team, true)) return; // a gift might wait for the member's CPU
  present_ = true;
  show_presence();
}

void Asker::show_presence() {
  Team* team = member_->team;
  if (present_) team->scheduler->set_hunger(team->scheduler_state, member_->tid, Hunger::kPresent);
}

void Asker::clear_hungry() {
  if (!member_->hungry) return;
  member_->hungry = false;
  Team* team = member_->team;
  present_ = false;
  if (team->scheduler->set_hunger(team->scheduler_state, member_->tid, Hunger::kNone)) wake_one_sleeper(team);
}

void Asker::stop() {
  requests_made_ = 0;
  requested_at_ = 0;
  ask_no_more();
}

void Asker::ask_no_more() {
  if (probe_) member_->team->worth.end_probe(probe_, asleep_);
  clear_hungry();
}

void Asker::ask(bool possible) {
  if (!possible) return ask_no_more();
  if (member_->deals) return become_hungry(true); // all tasks have been dealt, so worth does not matter
  if (requests()) {
    request();
    if (requests_made_ < Scheduler::kTakers) return;
  }
  member_->team->worth.pays() || probe(false) ? become_hungry(true) : ask_no_more();
}

void Asker::ask_asleep(bool possible) {
  if (!possible) return ask_no_more();
  if (member_->deals || member_->team->worth.pays()) return become_hungry(false);
  probe(true) ? become_hungry(false) : ask_no_more();
}

// Begins or goes on to probe, if the member may.
bool Asker::probe(bool asleep) {
  Worth& worth = member_->team->worth;
  asleep_ |= asleep;
  uint64_t now = cycle_counter();
  if (probe_ && !asleep_ && now - probing_since_ > worth.longest_probe()) worth.end_probe(probe_, false);
  if (probe_) return worth.still_probes(probe_);
  if (!worth.begin_probe(probe_)) return false;
  probing_since_ = now;
  worker_->observe.counters.probes.add();
  asleep_ = asleep;
  return true;
}

int64_t Asker::until_probe_ns() const {
  const Worth& worth = member_->team->worth;
  if (member_->hungry || member_->deals || worth.pays()) return 0;
  return static_cast<int64_t>(worth.until_probe() / 2) + 1; // a cycle takes about half a nanosecond, or less
}

bool Asker::leaves_tasks_to_prober(uint32_t rounds) const {
  if (!at_bottom(wait_) || member_->hungry || member_->deals || rounds % kRoundsBetweenLooks == kRoundsBetweenLooks - 1)
    return false;
  const Team* team = member_->team;
  return !team->worth.pays() && team->may_spin() && team->worth.is_probed();
}

// Whether the member must refuse most of what others have (constraint.h).
bool Asker::waits_in_tied_task() const {
  if (wait_.what != WaitFor::kChildren && wait_.what != WaitFor::kTaskgroup && wait_.what != WaitFor::kWord)
    return false;
  const Task* tied = worker_->tasks.innermost_wait.tied;
  return config.task_stealing_constraint && tied != nullptr && !tied->is(kImplicit);
}

// Whether the member requests tasks. If it were hungry, every owner of the domain would publish what it must refuse. So
// it becomes hungry only after a request to each taker, and goes on requesting.
bool Asker::requests() const {
  const Team* team = member_->team;
  return team->scheduler->taker != nullptr && team->may_spin() && waits_in_tied_task();
}

void Asker::request() {
  uint64_t now = cycle_counter();
  Team* team = member_->team;
  uint32_t pause = team->worth.pays() ? policy::kClearlyWorthCosts : policy::kProbeCosts / 8; // a task waits for it
  if (requested_at_ != 0 && now - requested_at_ < pause * team->worth.cost()) return;
  requested_at_ = now;
  ++requests_made_;
  int taker = next_taker();
  if (taker >= 0 && taker != member_->tid) request_tasks(&team->members[taker]);
}

// The last taker need not have what this member waits for: an earlier taker may still be at a child, or at a
// grandchild. −1: no taker is known.
int Asker::next_taker() {
  const Team* team = member_->team;
  int taker = team->scheduler->taker(team->scheduler_state, member_->tid, next_taker_);
  if (taker < 0) {
    next_taker_ = 0;
    taker = team->scheduler->taker(team->scheduler_state, member_->tid, 0);
  }
  next_taker_ = next_taker_ + 1 < Scheduler::kTakers ? next_taker_ + 1 : 0;
  return taker;
}

} // namespace chomp
