// Being idle. See idle.h. While its team may have tasks, a member that waits is hungry, that is, registered with the
// scheduler. It spins, then parks on its worker's own futex; between regions it sleeps on the one of its domain. The
// costs of sharing are paid here, by the hungry: the heavy sides of the fences are in park() and
// sleep_between_regions().
#include "runtime/idle/idle.h"

#include <limits.h>

#include "runtime/base/os_linux.h"
#include "runtime/base/plant.h"
#include "runtime/config/config.h"
#include "runtime/config/policy.h"
#include "runtime/core/events.h"
#include "runtime/core/team.h"
#include "runtime/core/wake.h"
#include "runtime/core/worker.h"
#include "runtime/idle/grain.h"
#include "runtime/idle/watch.h"
#include "runtime/machine/topology.h"
#include "runtime/places/binding.h"
#include "runtime/stacks/stack.h"
#include "runtime/sync/spin_limit.h"
#include "runtime/tasks/publish.h"
#include "runtime/teams/running_threads.h"

namespace chomp {
namespace {

using policy::kFewMembers;
using policy::kStuckNs;
constexpr int64_t kYieldAfterNs = 20'000;       // after spinning for so long, a thread offers its CPU to others
constexpr int64_t kPublishedWaitNs = 1'000'000; // tasks wait that this member has not got: look again so often
constexpr int64_t kRevokeWaitNs = 50'000;       // private tasks are left elsewhere: look again soon
constexpr int64_t kRevokerAbsentNs = 1'000'000; // a revoker takes microseconds, unless it is preempted
constexpr int64_t kRescueWaitNs = 10'000'000;   // queues that only their owners take from: look after owners so often
// A member that waits in a tied task requests tasks for so long, in cycles, before it becomes hungry, and so often:
// some 40 and 3 us.
constexpr uint64_t kRequestsFor = 1 << 17, kRequestPause = 1 << 13;
// More threads than CPUs: the watcher's pause between two looks around doubles from the first to one of the others.
constexpr int64_t kFirstPauseNs = 200'000;
constexpr int64_t kBusyPauseNs = 1'000'000;    // tasks wait somewhere
constexpr int64_t kQuietPauseNs = 10'000'000;  // none do
constexpr int64_t kUnfencedWaitNs = 1'000'000; // a wake may be missed without the heavy fence: it costs so much at most
constexpr int32_t kManyPerCpu = 32; // so many threads per CPU: a yield gives the CPU to one of many, and helps nobody
constexpr int32_t kLooksWhileSpinning = 16;  // at others' deques, each time that a spinning member looks at the clock
constexpr uint32_t kRoundsBetweenLooks = 16; // of a member that leaves tasks to others
constexpr uint32_t kLooksPerSweep = 64;      // of the watcher, at most, until all sleepers look too

uint64_t bit_of(int32_t tid) { return uint64_t{1} << (tid % 64); }

// The bits of the given word that stand for one of the first `members` members.
uint64_t first_members(int32_t members, int32_t word) {
  int32_t left = members - word * 64;
  return left >= 64 ? ~uint64_t{0} : left <= 0 ? 0 : (uint64_t{1} << left) - 1;
}

int32_t awake_members(const Team* team) {
  int32_t sleeping = 0, size = team->size();
  for (int32_t word = 0; word * 64 < size; ++word)
    // relaxed: an estimate.
    sleeping += __builtin_popcountll(team->sleepers[word].load(std::memory_order_relaxed) & first_members(size, word));
  return size - sleeping;
}

bool all_cpus_taken(const Team* team) { return awake_members(team) >= topology.running_cpus; }

// Claims and wakes the first sleeper at or above `from`, but not `except`.
bool wake_first(Team* team, int32_t from, int32_t except = -1) {
  int32_t size = team->size();
  for (int32_t word = from / 64; word * 64 < size; ++word) {
    uint64_t wanted = first_members(size, word);
    if (word == from / 64) wanted &= ~uint64_t{0} << (from % 64);
    if (except >= 0 && word == except / 64) wanted &= ~bit_of(except);
    // relaxed: ordered by the caller's fence.
    while (uint64_t sleeping = team->sleepers[word].load(std::memory_order_relaxed) & wanted) {
      uint64_t bit = sleeping & -sleeping;
      // acq_rel: one of several wakers claims the sleeper; pairs with the sleeper's fetch_or and fetch_and in park():
      // we see `parked`, it sees what was published before.
      if ((team->sleepers[word].fetch_and(~bit, std::memory_order_acq_rel) & bit) == 0) continue;
      worker_wake(team->members[word * 64 + __builtin_ctzll(bit)].worker);
      return true;
    }
  }
  return false;
}

uint64_t activity_of(const Member& member) {
  // This is enough: a member that pushes or pops while somebody is hungry publishes, which moves the base.
  return member.deque.top() * 3 + member.deque.base() * 5;
}

// The first other member after `from` that has tasks, of a few; -1: none.
int32_t next_with_tasks(const Member* member, int32_t from) {
  const Team* team = member->team;
  int32_t size = team->size(), at = from;
  for (int32_t left = size < kLooksWhileSpinning ? size : kLooksWhileSpinning; left > 0; --left) {
    at = at + 1 < size ? at + 1 : 0;
    if (at != member->tid && team->members[at].deque.size() > 0) return at;
  }
  return -1;
}

bool private_tasks_elsewhere(const Member* member) {
  const Team* team = member->team;
  for (int32_t tid = 0; tid < team->size(); ++tid)
    if (tid != member->tid && team->members[tid].deque.size() > 0) return true;
  return false;
}

// Each revocation interrupts every CPU of the process, so a team has one revoker at a time: a rule about speed only, so
// one that was preempted in the middle does not keep the others from it for longer than kRevokerAbsentNs.
bool begin_revoking(Team* team, int64_t now_ns) {
  // relaxed, all: nothing is passed from one revoker to the next; the deque's lock orders what they do.
  int64_t since = team->revoking_since_ns.load(std::memory_order_relaxed);
  if (since != 0 && now_ns - since < kRevokerAbsentNs) return false;
  return team->revoking_since_ns.compare_exchange_strong(since, now_ns, std::memory_order_relaxed);
}

void end_revoking(Team* team, int64_t began_ns) {
  // relaxed: as above. If it fails, another has taken over.
  team->revoking_since_ns.compare_exchange_strong(began_ns, 0, std::memory_order_relaxed);
}

} // namespace

void idle_wake_one(Team* team) {
  light_fence(); // pairs with heavy_fence() in Idler::park(): either we see its bit or it sees the task
  if (!team->may_spin() && all_cpus_taken(team)) return; // members that go to sleep look; watchers look now and then
  wake_first(team, 0);
}

// One sweep is enough: a member that goes to sleep again meanwhile waits for something else.
void idle_wake_domain(Team* team, int domain) {
  light_fence(); // pairs with heavy_fence() in Idler::park(): either we see its bit or it sees the barrier open
  const DomainLine& line = team->domain_lines[domain];
  for (int32_t word = line.first_member / 64; word <= line.last_member / 64; ++word) {
    uint64_t wanted = 0;
    // relaxed: ordered by the fence.
    for (uint64_t bits = team->sleepers[word].load(std::memory_order_relaxed); bits != 0; bits &= bits - 1)
      if (team->shape.domain_of_member[word * 64 + __builtin_ctzll(bits)] == domain) wanted |= bits & -bits;
    if (wanted == 0) continue;
    // acq_rel: pairs as in wake_first().
    uint64_t sleeping = team->sleepers[word].fetch_and(~wanted, std::memory_order_acq_rel) & wanted;
    for (; sleeping != 0; sleeping &= sleeping - 1)
      worker_wake(team->members[word * 64 + __builtin_ctzll(sleeping)].worker);
  }
}

void idle_wake_for_start(Team* team, int domain) {
  light_fence(); // pairs with heavy_fence() in sleep_between_regions(): either we see its count or it sees the signal
  DomainLine& line = team->domain_lines[domain];
  if (line.sleeping.load(std::memory_order_relaxed) != 0) {             // relaxed: ordered by the fence
    line.notifiers_cpu.store(current_cpu(), std::memory_order_relaxed); // relaxed: a hint
    line.eventcount.fetch_add(1, std::memory_order_release); // release: pairs with acquire in the woken thread
    futex_wake(&line.eventcount, INT_MAX);
    tls_worker->counters.wakes.add();
  }
  idle_wake_domain(team, domain);
}

void Idler::become_hungry() {
  if (member_->hungry) return;
  member_->hungry = true;
  Team* team = member_->team;
  team->scheduler->set_hungry(team->scheduler_state, member_->tid, true);
}

void Idler::found_work() {
  rounds_ = 0;
  if (idle_since_ != 0) {
    worker_->idle_cycles += cycle_counter() - idle_since_;
    idle_since_ = 0;
  }
  if (idle_.since_ns != 0) end_idle();
  requesting_since_ = requested_at_ = 0;
  clear_hungry();
}

// Whether owners should hand over tasks to this member.
bool Idler::may_be_hungry() {
  if (member_->deals) return true; // what its owner made was handed over
  HandOvers& hand_overs = hand_overs_of(member_);
  if (hand_overs_pay(hand_overs) || probing_) return true;
  if (!hand_over_takes_turn(hand_overs)) return false;
  bool stuck = owner_seems_stuck(hand_overs); // looks at an owner at each turn
  stuck = urgent_tasks_are_left(hand_overs) || stuck;
  probing_ = hand_over_probe_is_due(hand_overs) || stuck;
  if (probing_)
    worker_->counters.probes.add();
  else
    hand_over_turn_ends(hand_overs);
  return probing_;
}

// Whether the list of priorities has tasks, and nobody has pushed or taken one since the last turn. Then who has pushed
// them does not get on with them: until it is known better, hand-overs are worth it. The caller has its turn.
bool Idler::urgent_tasks_are_left(HandOvers& hand_overs) const {
  const PriorityQueue& priorities = member_->team->priorities;
  uint32_t changes = priorities.changes();
  // relaxed, both: the turn's alone.
  bool left = priorities.size() != 0 && changes == hand_overs.urgent_changes.load(std::memory_order_relaxed);
  hand_overs.urgent_changes.store(changes, std::memory_order_relaxed);
  if (left) hand_over_is_wanted(hand_overs);
  return left;
}

// Whether the owner that had tasks at the domain's last turn has them still, and has not touched its deque since.
// Otherwise chooses the one to be looked at next time. The caller has its turn.
bool Idler::owner_seems_stuck(HandOvers& hand_overs) const {
  const Team* team = member_->team;
  // relaxed, all: a hint, and the turn's alone.
  int32_t watched = hand_overs.watched.load(std::memory_order_relaxed);
  if (watched >= 0 && watched < team->size() && watched != member_->tid) {
    const Member& owner = team->members[watched];
    if (owner.deque.size() > 0 && activity_of(owner) == hand_overs.activity.load(std::memory_order_relaxed))
      return true;
  }
  int32_t next = next_with_tasks(member_, watched < 0 || watched >= team->size() ? member_->tid : watched);
  hand_overs.watched.store(next, std::memory_order_relaxed);
  if (next >= 0) hand_overs.activity.store(activity_of(team->members[next]), std::memory_order_relaxed);
  return false;
}

// Where nobody observes, only spells are noted that last until the member looks at the clock anyway.
void Idler::note_idle(int64_t now_ns) {
  if (idle_.since_ns != 0) return;
  bool after_region = wait_.what == WaitFor::kGo && member_->took_part;
  idle_ = {now_ns, after_region ? &member_->team->barrier.ended_ns : nullptr};
  worker_->counters.begin_idle(idle_);
  if (CHOMP_LIKELY(!member_->team->observed())) return;
  told_ = true;
  event_idle_begin(worker_);
}

// For the stall report; end_idle() hides it.
void Idler::show_wait() const {
  if (CHOMP_UNLIKELY(waits_are_shown)) wait_show(worker_, wait_.what, wait_.epoch, wait_.task);
}

void Idler::end_idle() {
  if (tasks_possible(wait_, member_)) idle_.region_ended_ns = nullptr; // the region has not ended
  worker_->counters.end_idle(idle_, monotonic_ns());
  idle_.since_ns = 0;
  if (CHOMP_UNLIKELY(waits_are_shown)) wait_hide(worker_);
  if (CHOMP_LIKELY(!told_)) return;
  told_ = false;
  event_idle_end(worker_);
}

void Idler::clear_hungry() {
  if (!member_->hungry) return;
  member_->hungry = false;
  watched_ = -1; // an owner that does not see that somebody is hungry seems to be stuck
  scouts_no_more();
  if (probing_) hand_over_probed(hand_overs_of(member_));
  probing_ = false;
  Team* team = member_->team;
  team->scheduler->set_hungry(team->scheduler_state, member_->tid, false);
}

// A member that waits in a tied task may run only what descends from it. So instead of being hungry, which makes every
// owner of the domain publish what this one must refuse, it requests tasks of the members that took from it last, one
// after the other. Only if that brings nothing for a while it becomes hungry.
bool Idler::requests_instead() {
  const Team* team = member_->team;
  if (!waits_in_tied_task() || team->scheduler->taker == nullptr || !team->may_spin()) return false;
  if (member_->hungry || !hand_overs_pay(hand_overs_of(member_))) return false;
  uint64_t now = cycle_counter();
  if (requesting_since_ == 0) requesting_since_ = now;
  if (now - requesting_since_ >= kRequestsFor) return false;
  if (requested_at_ != 0 && now - requested_at_ < kRequestPause) return true;
  requested_at_ = now;
  int taker = taker_to_ask();
  if (taker >= 0 && taker != member_->tid) request_tasks(&team->members[taker]);
  return true;
}

// The last taker need not have what this member waits for: one that came before it may still be at a child, or at a
// child of that. −1: nobody is known.
int Idler::taker_to_ask() {
  const Team* team = member_->team;
  int taker = team->scheduler->taker(team->scheduler_state, member_->tid, next_taker_);
  if (taker < 0) {
    next_taker_ = 0;
    taker = team->scheduler->taker(team->scheduler_state, member_->tid, 0);
  }
  next_taker_ = next_taker_ + 1 < Scheduler::kTakers ? next_taker_ + 1 : 0;
  return taker;
}

// Whether most of what others have is refused (constraint.h).
bool Idler::waits_in_tied_task() const {
  if (wait_.what != WaitFor::kChildren && wait_.what != WaitFor::kTaskgroup && wait_.what != WaitFor::kWord)
    return false;
  const Task* tied = worker_->innermost_wait.tied;
  return config.task_stealing_constraint && tied != nullptr && !tied->is(kImplicit);
}

void Idler::decide_hunger(bool possible) {
  if (possible && requests_instead()) return;
  if (possible && may_be_hungry())
    become_hungry();
  else
    clear_hungry();
}

// While another member of the domain probes, one in a barrier that is not hungry looks for tasks only now and then: if
// each took what is published for the probe, that would go on until the one that probes has been the first.
bool Idler::leaves_tasks() const {
  return at_bottom(wait_) && !member_->hungry && rounds_ % kRoundsBetweenLooks != kRoundsBetweenLooks - 1 &&
         hand_over_probes(hand_overs_of(member_)) && !member_->deals && member_->team->may_spin();
}

// A sum reads a line of each member. While all spin, only the first member of each domain sums, again and again, so
// that the last one to complete something need not fetch all the lines first.
bool Idler::sums_for_barrier() const {
  return member_->team->size() <= kFewMembers || member_->tid == 0 || member_->propagates;
}

void Idler::linger() {
  decide_hunger(!member_->team->serial());
  cpu_pause();
}

Task* Idler::step(bool possible) {
  Team* team = member_->team;
  ++rounds_;
  if (idle_since_ == 0) idle_since_ = cycle_counter();
  if (CHOMP_UNLIKELY(team->observed())) note_idle(monotonic_ns());
  decide_hunger(possible);
  if (CHOMP_UNLIKELY(must_give_way(possible))) {
    rounds_ = 0;
    return park();
  }
  cpu_pause();
  if (!team->may_spin()) {
    // The threads that we wait for need our CPU: offering it is cheaper than sleeping, if they are soon done.
    if (rounds_ <= kYieldsCrowded && team->size() <= kManyPerCpu * topology.running_cpus) {
      if (config.use_yield != 0 && !yield_is_brief()) rounds_ = kYieldsCrowded;
      return nullptr;
    }
    rounds_ = 0;
    return park();
  }
  if (rounds_ % kRoundsBeforeClock != 0) return nullptr;
  int64_t now = monotonic_ns();
  if (rounds_ == kRoundsBeforeClock) began_ns_ = now;
  note_idle(now);
  if (member_->hungry && scouts(now)) take_from_the_stuck(kLooksWhileSpinning);
  if (now - began_ns_ < spin_limit_ns()) {
    // The CPUs may be shared with other processes: the thread that we wait for needs one.
    if (now - began_ns_ <= kYieldAfterNs) return nullptr;
    show_wait(); // it may spin for ever
    if (config.use_yield != 1 || offer_cpu() || spin_limit_ns() > policy::kDefaultSpinNs) return nullptr;
  }
  rounds_ = 0;
  return park();
}

// The threads that we wait for, or other callers' teams, need our CPU. A thread that yields is put behind whole time
// slices of all others, so such a member sleeps at once, unless the user wants threads to spin for longer than they do
// anyway.
bool Idler::must_give_way(bool possible) const {
  return others_want_cpus(member_->team, possible) && spin_limit_ns() <= policy::kDefaultSpinNs;
}

// Whether this sleep will be brief and one of many.
bool Idler::sleeps_briefly(bool possible) const { return must_give_way(possible) || yields_are_costly(); }

// A woken thread leaves its waker's CPU if another CPU may be free. Among many callers none is: there it would lose its
// place in its CPU's queue for nothing.
bool Idler::leaves_wakers_cpu(bool possible) const {
  if (must_give_way(possible)) return false;
  return !yields_are_costly() || workers_alive() <= topology.running_cpus;
}

// Whether this is the member of its domain that looks for stuck owners while others spin too. One that has not said so
// for long was preempted, and is replaced.
bool Idler::scouts(int64_t now_ns) {
  if (member_->team->size() <= kFewMembers) return true;
  if (scouting_since_ns_ != 0 && now_ns - scouting_since_ns_ < kRevokerAbsentNs / 4) return true;
  atomic<int64_t>& since = member_->team->domain_lines[member_->domain].scouting_since_ns;
  // relaxed, all: a rule about speed only.
  int64_t seen = scouting_since_ns_ != 0 ? scouting_since_ns_ : since.load(std::memory_order_relaxed);
  bool taken = scouting_since_ns_ == 0 && seen != 0 && now_ns - seen < kRevokerAbsentNs;
  bool scouts = !taken && since.compare_exchange_strong(seen, now_ns, std::memory_order_relaxed);
  scouting_since_ns_ = scouts ? now_ns : 0;
  return scouts;
}

void Idler::scouts_no_more() {
  if (scouting_since_ns_ == 0) return;
  // relaxed: as above. If it fails, another has taken over.
  member_->team->domain_lines[member_->domain].scouting_since_ns.compare_exchange_strong(scouting_since_ns_, 0,
                                                                                         std::memory_order_relaxed);
  scouting_since_ns_ = 0;
}

// Takes tasks that others keep for themselves without getting on with them.
void Idler::take_from_the_stuck(int32_t looks) {
  Team* team = member_->team;
  if (team->scheduler->rescue != nullptr) {
    if (unsigned rescued = team->scheduler->rescue(team->scheduler_state, member_->tid)) {
      worker_->counters.revocations.add();
      worker_->counters.revoked_tasks.add(rescued);
      idle_wake_one(team);
    }
  }
  revoke_from_someone(looks);
}

// The last resort: a member that is inside a long task, or was preempted, keeps tasks that nobody can see. We watch one
// member at a time: if it has tasks and has not touched its deque for a while, we revoke some of them. A team has one
// revoker at a time: begin_revoking().
void Idler::revoke_from_someone(int32_t looks) {
  Team* team = member_->team;
  int64_t now = monotonic_ns();
  if (watched_ >= 0) {
    Member& victim = team->members[watched_];
    bool stuck = victim.deque.size() > 0 && activity_of(victim) == watched_activity_;
    if (stuck && now - watched_since_ns_ < kStuckNs) return;
    if (stuck && begin_revoking(team, now)) {
      TaskBatch batch = victim.deque.revoke(member_, wait_);
      end_revoking(team, now);
      if (batch.count > 0)
        publish_batch(member_, batch);
      else
        idle_wake_one(team); // the owner may have tried to publish meanwhile; a member whose timed wait ends while we
                             // leave takes over from us
    }
  }
  watch_someone(looks, now);
}

// The next member that has tasks, among so many after the one that was looked at last. A member that spins looks at few
// at a time: if each looked at all, the lines that owners write to would move as often as the square of the team.
void Idler::watch_someone(int32_t looks, int64_t now_ns) {
  Team* team = member_->team;
  watched_ = -1;
  if (looked_at_ < 0) looked_at_ = member_->tid;
  for (int32_t left = looks < team->size() ? looks : team->size(); left > 0; --left) {
    looked_at_ = looked_at_ + 1 < team->size() ? looked_at_ + 1 : 0;
    if (looked_at_ == member_->tid || team->members[looked_at_].deque.size() == 0) continue;
    watched_ = looked_at_;
    watched_activity_ = activity_of(team->members[watched_]);
    watched_since_ns_ = now_ns;
    return;
  }
}

// After the fence: whatever a thread published, pushed, counted or stored before it failed to see us is visible now.
Task* Idler::last_look() {
  if (help_barrier(member_, wait_)) {
    heavy_fence(); // at the first fence a thief may have had our last private task: a member that sums after us must
                   // see the new count
    help_barrier(member_, wait_);
  }
  if (wait_is_over(wait_, member_) || !tasks_possible(wait_, member_)) return nullptr;
  return find_work(worker_, member_, wait_);
}

// How long to sleep before looking around again without being woken. For ever, unless something is left that nobody has
// to announce to this member: private tasks of a member that is stuck, tasks that another one was moving while we
// looked. (Not with more threads than CPUs: sleep_in_crowd().)
int64_t Idler::timed_wait_ns() const {
  if (!tasks_possible(wait_, member_)) return kNoTimeout;
  if (private_tasks_elsewhere(member_)) return kRevokeWaitNs;
  if (!membarrier_available) return kRevokeWaitNs; // publish_if_hungry() has no fence
  if (anything_published(member_->team)) return kPublishedWaitNs;
  return member_->team->scheduler->rescue != nullptr ? kRescueWaitNs : kNoTimeout;
}

// The heavy side of every waker's light fence. It interrupts all CPUs that run this process. Where others want the CPU
// a thread sleeps often and briefly, so a brief sleep does without, and ends by itself: a waker whose store is still on
// its way then may not see the sleeper. Returns whether the next sleep may last for ever.
bool Idler::fence_before_sleep(bool brief) {
  if (!brief)
    heavy_fence(); // pairs with light_fence() of every waker
  else
    thread_fence(std::memory_order_seq_cst); // pairs with the heavy fence that follows if nobody wakes us
  return !brief || planted(Plant::kBriefSleepForEver);
}

// No task can come: only the next start signal is waited for, and all members of a domain get it at once.
void Idler::sleep_between_regions() {
  DomainLine& line = member_->team->domain_lines[member_->domain];
  // relaxed: the fence makes sure that this is read before we look at the signal. The word grows only after a later
  // signal.
  uint32_t seen = line.eventcount.load(std::memory_order_relaxed);
  line.sleeping.fetch_add(1, std::memory_order_relaxed); // relaxed: ordered by the fence
  // pairs with light_fence() in idle_wake_for_start()
  bool fenced = planted(Plant::kStartWithoutFence) || fence_before_sleep(sleeps_briefly(false));
  worker_->counters.parks.add();
  while (!wait_is_over(wait_, member_)) {
    if (!futex_wait(&line.eventcount, seen, fenced ? kNoTimeout : kUnfencedWaitNs)) fenced = fence_before_sleep(false);
    // The word may have grown late, for the signal that we have followed already.
    seen =
        line.eventcount.load(std::memory_order_acquire); // acquire: pairs with the release of the thread that signals
  }
  line.sleeping.fetch_sub(1, std::memory_order_relaxed); // relaxed: at worst a thread wakes nobody
  if (!member_->team->may_spin() || !leaves_wakers_cpu(false)) return;
  // relaxed, both: hints.
  worker_->wakers_cpu.store(line.notifiers_cpu.load(std::memory_order_relaxed), std::memory_order_relaxed);
  binding_leave_wakers_cpu(worker_);
}

// Asked before the fence: a member that pushes a task after it, and looks at its hunger word, then sees that we are
// hungry.
bool Idler::hunger_is_propagated() const {
  const Team* team = member_->team;
  return team->scheduler->hunger_propagated == nullptr ||
         team->scheduler->hunger_propagated(team->scheduler_state, member_->tid);
}

// One sleep, in a team that has a CPU for each of its threads. May return a task.
Task* Idler::sleep() {
  if (!tasks_possible(wait_, member_)) clear_hungry();
  int64_t timeout = propagated_ || !member_->hungry ? timed_wait_ns() : kRevokeWaitNs;
  if (!fenced_ && (timeout == kNoTimeout || timeout > kUnfencedWaitNs)) timeout = kUnfencedWaitNs;
  if (futex_wait(&worker_->parked, kParked, timeout)) return nullptr;
  bool news = !propagated_ && hunger_is_propagated();
  if (news) propagated_ = true;
  if (news || !fenced_) fenced_ = fence_before_sleep(false);
  if (tasks_possible(wait_, member_)) take_from_the_stuck(member_->team->size());
  return last_look();
}

// With more threads than CPUs sleepers are hungry only while CPUs are idle. The watcher finds out again and again;
// another member sleeps hungry until the watcher must have done so.
void Idler::decide_hunger_in_crowd() {
  bool may_be = tasks_possible(wait_, member_) && !all_cpus_taken(member_->team);
  if (!may_be)
    clear_hungry();
  else if (watching_)
    become_hungry();
}

// One sleep, in a team with more threads than CPUs. May return a task, if the member is its domain's watcher.
Task* Idler::sleep_in_crowd() {
  if (!watching_ && watch_take(member_)) {
    watching_ = true;
    pause_ns_ = kFirstPauseNs;
  }
  decide_hunger_in_crowd();
  int64_t timeout = kNoTimeout;
  if (watching_ && tasks_possible(wait_, member_)) timeout = pause_ns_;
  if (!watching_ && member_->hungry) timeout = kQuietPauseNs;
  if (futex_wait(&worker_->parked, kParked, timeout)) return nullptr;
  if (watching_) return watch();
  clear_hungry();
  return nullptr;
}

// What other members may run, but not by this one below its floor, is hidden from them while we sleep.
void Idler::publish_own_tasks() {
  uint64_t waiting = member_->deque.size();
  if (waiting == 0) return;
  uint64_t half = (waiting + 1) / 2;
  TaskBatch batch = member_->deque.take_oldest(
      half < policy::kMostRevoked ? static_cast<unsigned>(half) : policy::kMostRevoked, member_);
  if (batch.count > 0) publish_batch(member_, batch);
}

// The watcher looks around for all that sleep in its domain.
Task* Idler::watch() {
  if (!tasks_possible(wait_, member_)) return nullptr; // it will be woken, as all that sleep there (README.md)
  Team* team = member_->team;
  publish_own_tasks();
  take_from_the_stuck(team->size());
  if (Task* task = last_look()) return task;
  bool published = anything_published(team);
  looks_in_vain_ = published ? looks_in_vain_ + 1 : 0;
  // Another member may be able to run it: each that is woken looks, and passes the wake on.
  bool sweep = (looks_in_vain_ & (looks_in_vain_ - 1)) == 0 || looks_in_vain_ % kLooksPerSweep == 0;
  if (published && sweep) wake_first(team, 0, member_->tid);
  bool busy = published || watched_ >= 0 || !membarrier_available;
  int64_t longest = busy ? kBusyPauseNs : kQuietPauseNs;
  pause_ns_ = 2 * pause_ns_ < longest ? 2 * pause_ns_ : longest;
  return nullptr;
}

Task* Idler::park() {
  note_idle(monotonic_ns());
  show_wait();
  stack_rest(worker_);
  scouts_no_more();
  if (wait_.what == WaitFor::kGo && !tasks_possible(wait_, member_)) {
    sleep_between_regions();
    return nullptr;
  }
  // The next task that is pushed wakes it, whatever hand-overs are worth.
  if (tasks_possible(wait_, member_) && !planted(Plant::kParkContent)) become_hungry();
  Team* team = member_->team;
  bool crowd = !team->may_spin();
  bool announced = wait_announce(wait_);
  atomic<uint64_t>& word = team->sleepers[member_->tid / 64];
  uint64_t bit = bit_of(member_->tid);
  worker_->parked.store(kParked, std::memory_order_relaxed); // relaxed: released with the bit
  word.fetch_or(bit, std::memory_order_release); // release: pairs with acq_rel of the waker: it sees `parked`
  propagated_ = hunger_is_propagated();
  bool possible = tasks_possible(wait_, member_);
  bool brief = !crowd && sleeps_briefly(possible), leaves = !crowd && leaves_wakers_cpu(possible);
  fenced_ = planted(Plant::kParkWithoutFence) || fence_before_sleep(brief);
  Task* task = last_look();
  bool slept = false;
  while (task == nullptr && !wait_is_over(wait_, member_) && watch_still_parked(member_)) {
    if (!slept) worker_->counters.parks.add();
    slept = true;
    task = crowd ? sleep_in_crowd() : sleep();
  }
  // acquire: pairs with acq_rel in ask_to_watch(); a waker that saw us parked wakes nobody, harmlessly
  worker_->parked.exchange(kAwake, std::memory_order_acquire);
  // acq_rel: pairs with the waker's fetch_and.
  bool claimed = (word.fetch_and(~bit, std::memory_order_acq_rel) & bit) == 0;
  if (crowd) watch_leave(member_, watching_);
  watching_ = false;
  if (slept && leaves) binding_leave_wakers_cpu(worker_);
  if (announced) wait_withdraw(wait_);
  if (claimed) pass_wake_on(task);
  return task;
}

// A waker has claimed us for work: if more is left, or if we may not run it, the wake goes to the next sleeper.
void Idler::pass_wake_on(Task*& task) {
  if (task == nullptr && !wait_is_over(wait_, member_) && tasks_possible(wait_, member_))
    task = find_work(worker_, member_, wait_);
  if (!anything_published(member_->team)) return;
  if (task != nullptr)
    idle_wake_one(member_->team);
  else
    wake_first(member_->team, member_->tid + 1);
}

} // namespace chomp
