// Waiting for a program's lock. See program_lock.h.
#include "runtime/sync/program_lock.h"

#include "runtime/base/backoff.h"
#include "runtime/base/os_linux.h"
#include "runtime/base/policy.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/sync/waiting.h"

namespace chomp {
namespace {

// How long the first of the queue lets others take the lock before it; while it sleeps, since a sleeper is late to take
// a lock that it is granted.
constexpr int64_t kStarvingNs = policy::kWakeNs, kStarvingAsleepNs = policy::kBusyPauseNs;
constexpr uint32_t kLooksStarving = 5 * policy::kPausesBeforeYield; // some 20 to 50 us: what sleeping and waking cost
// Between two looks of the first: 4 us at most. A look costs a holder that releases the lock some 50 ns.
constexpr uint64_t kShortestGapCycles = policy::kTransferCycles / 4, kLongestGapCycles = 64 * policy::kTransferCycles;

// More threads than CPUs: the holder may need ours.
constexpr int kLooksBeforeQueueOversubscribed = 8 * policy::kLooksAtLock;
constexpr int kMostPausesOversubscribed = 2 * policy::kLooksAtLock; // between two of them

LockQueueNode& place_of(uint32_t queued) { return worker_by_gtid(static_cast<int>(queued) - 1)->wait.lock_node; }

void pause_times(int count) {
  if (light_pause()) return;
  for (int i = 0; i < count; ++i) cpu_pause();
}

void pause_cycles(uint64_t cycles) {
  uint64_t began = cycle_counter();
  do cpu_pause();
  while (cycle_counter() - began < cycles);
}

// Waits until the thread before us in the queue has got the lock.
void wait_for_turn(const ProgramLock* lock, LockQueueNode& own, bool may_spin) {
  Waiting waiting(&this_worker()->wait.cpu_offers);
  do {
    // acquire: pairs with release in pass_on().
    if (own.turn.load(std::memory_order_acquire) == LockQueueNode::kFirst) return;
  } while (waiting.pause(may_spin ? CpuDemand::kUnknown : CpuDemand::kCertain));
  uint32_t waits = LockQueueNode::kWaits;
  // relaxed: says only that we sleep. acquire on failure: pairs with release in pass_on(): it is our turn.
  if (!own.turn.compare_exchange_strong(waits, LockQueueNode::kAsleep, std::memory_order_relaxed,
                                        std::memory_order_acquire))
    return;
  ShownSleep shown;
  shown.show(SleepFor::kLock, lock);
  while (own.turn.load(std::memory_order_acquire) != LockQueueNode::kFirst) // acquire: pairs with release in pass_on()
    sleep_on(&own.turn, LockQueueNode::kAsleep);
}

// Makes the thread behind us the first of the queue. That thread has put itself into the lock's word, and is about to
// store its number in `own.next`.
void pass_on(LockQueueNode& own) {
  uint32_t next;
  // acquire: pairs with release in queue_up(): the other's LockQueueNode is ready.
  for (Backoff backoff; (next = own.next.load(std::memory_order_acquire)) == 0;) backoff.pause();
  LockQueueNode& theirs = place_of(next);
  // release: pairs with acquire in wait_for_turn(). A LockQueueNode is never unmapped: the wake may come late.
  if (theirs.turn.exchange(LockQueueNode::kFirst, std::memory_order_release) == LockQueueNode::kAsleep)
    futex_wake(&theirs.turn, 1);
}

// How the first of a queue waits while another has the lock.
class FirstsWait {
public:
  explicit FirstsWait(bool may_spin) : may_spin_(may_spin) {}

  // Pauses between two looks. False when it is time to say in the word that the first starves, or sleeps.
  bool pause(bool overtaken) {
    if (!may_spin_) return pause_oversubscribed();
    if (starves_) return pause_starving();
    // The more often others take the lock meanwhile, the longer the pauses: each look takes the line from them. While
    // one holds it, the line stays in this cache.
    if (overtaken && gap_cycles_ < kLongestGapCycles) gap_cycles_ *= 2;
    pause_cycles(gap_cycles_);
    if (overtaken || ++looks_ % policy::kRoundsBeforeClock == 0) look_at_clock(kStarvingNs);
    return !starves_;
  }

  void wakes() {
    sleeps_ = false;
    looks_starving_ = 0;
  }

  bool starves() const { return starves_ && (!sleeps_ || starves_asleep_); }
  bool sleeps() const { return sleeps_; }

private:
  // The next release is ours. If it does not come soon, the holder stays inside for long, or has lost its CPU.
  bool pause_starving() {
    pause_or_switch();
    if (++looks_starving_ < kLooksStarving) return true;
    starves_asleep_ = monotonic_ns() - since_ns_ >= kStarvingAsleepNs;
    sleeps_ = true;
    return false;
  }

  bool pause_oversubscribed() {
    pause_or_switch();
    if (++looks_ % policy::kLooksAtLock != 0) return true;
    look_at_clock(kStarvingAsleepNs);
    starves_asleep_ = starves_;
    sleeps_ = true;
    return false;
  }

  void look_at_clock(int64_t starving_ns) {
    int64_t now = monotonic_ns();
    if (since_ns_ == 0) since_ns_ = now;
    if (now - since_ns_ >= starving_ns) starves_ = true;
  }

  bool may_spin_;
  bool starves_ = false;
  bool starves_asleep_ = false;
  bool sleeps_ = false;
  uint32_t looks_ = 0;
  uint32_t looks_starving_ = 0;
  uint64_t gap_cycles_ = kShortestGapCycles;
  int64_t since_ns_ = 0;
};

} // namespace

void ProgramLock::lock_slow(Hint hint) {
  Worker* worker = this_worker();
  bool may_spin = worker->member->team->may_spin();
  uint32_t seen = word_.load(std::memory_order_relaxed); // relaxed: take() decides
  if ((seen & kContended) != 0) hint = Hint::kContended;
  int pauses = 1;
  for (int looks = may_spin ? policy::kLooksAtLock : kLooksBeforeQueueOversubscribed; looks > 0; --looks) {
    if ((seen & kHeld) == 0 && take()) return;
    if (hint == Hint::kContended || (seen & kLast) != 0) break;
    pause_times(pauses);
    if (pauses < kMostPausesOversubscribed) pauses *= 2;
    seen = word_.load(std::memory_order_relaxed); // relaxed: take() decides
  }
  queue_up(static_cast<uint32_t>(worker->id), worker->wait.lock_node, may_spin);
}

// Becomes the last of the queue, in two steps that succeed whatever the holder does meanwhile. If one thread takes and
// releases the lock all the time, a compare-and-swap that expects what this thread saw fails each time. Returns the
// last before, or 0.
uint32_t ProgramLock::join_queue(uint32_t self) {
  uint32_t seen;
  // release: pairs with fork(): a child that finds the bit finds `lock` in the LockQueueNode. Nothing is read here:
  // only one thread joins at a time, from here to the addition.
  for (Backoff backoff; ((seen = word_.fetch_or(kJoining, std::memory_order_release)) & kJoining) != 0;)
    backoff.pause();
  uint32_t before = seen >> kLastShift;
  // acq_rel: pairs with the same addition of the threads before and behind: a LockQueueNode is ready before it can be
  // found.
  word_.fetch_add(((self - before) << kLastShift) - kJoining, std::memory_order_acq_rel);
  return before;
}

void ProgramLock::queue_up(uint32_t self, LockQueueNode& own, bool may_spin) {
  // relaxed, all: join_queue() releases them.
  own.lock.store(this, std::memory_order_relaxed);
  own.next.store(0, std::memory_order_relaxed);
  own.turn.store(LockQueueNode::kWaits, std::memory_order_relaxed);
  if (uint32_t before = join_queue(self)) {
    place_of(before).next.store(self, std::memory_order_release); // release: pairs with acquire in pass_on()
    wait_for_turn(this, own, may_spin);
  }
  wait_as_first(self, own, may_spin);
  own.lock.store(nullptr, std::memory_order_release); // release: pairs with fork(): the word no longer has our number
}

void ProgramLock::forget_queue_after_fork() {
  uint32_t seen = word_.load(std::memory_order_relaxed); // relaxed, both: one thread exists
  bool held = (seen & (kHeld | kGranted)) == kHeld;
  word_.store(seen & (held ? kContended | kHeld | kAnnounced : kContended), std::memory_order_relaxed);
}

bool ProgramLock::take_as_first(uint32_t seen, uint32_t self, LockQueueNode& own) {
  bool last = seen >> kLastShift == self && (seen & kJoining) == 0;
  uint32_t taken = (seen | kHeld) & ~(kSleeps | kStarving | kGranted | kReleases | (last ? kLast : 0));
  // acquire: pairs with release in release() and unlock_slow(); relaxed on failure: we look again.
  if (!word_.compare_exchange_strong(seen, taken, std::memory_order_acquire, std::memory_order_relaxed)) return false;
  if (!last) pass_on(own);
  return true;
}

void ProgramLock::wait_as_first(uint32_t self, LockQueueNode& own, bool may_spin) {
  ShownSleep shown;
  FirstsWait wait(may_spin);
  uint32_t releases = 0; // at the look before
  for (;;) {
    uint32_t seen = word_.load(std::memory_order_relaxed); // relaxed: the exchanges decide
    uint32_t since = (seen - releases) & kReleases;
    releases = seen & kReleases;
    // A lock that was released more than once since the look before is taken again and again. One that others queue
    // for, too, would change hands at each release from now on. So we give its last holder a moment to come back.
    // relaxed: only whether somebody is behind us.
    bool is_contended = since > kOneRelease || (since != 0 && own.next.load(std::memory_order_relaxed) != 0);
    bool is_wanted_back = is_contended && !wait.starves();
    if (!others_have(seen) && !(is_wanted_back && changes_in_a_moment(seen)) && take_as_first(seen, self, own)) return;
    bool says_so = (seen & kStarving) != 0 || !wait.starves();
    if (says_so && wait.pause(since != 0 || !others_have(seen))) continue;
    uint32_t says = (wait.starves() ? kStarving : 0) | (wait.sleeps() ? kSleeps : 0);
    // relaxed, both: the word alone says that a thread starves or has to be woken, and sleep_on() compares it.
    if (!wait.starves() && (seen & kStarving) != 0) word_.fetch_and(~kStarving, std::memory_order_relaxed);
    seen = word_.fetch_or(says, std::memory_order_relaxed);
    if (!wait.sleeps()) continue;
    if (others_have(seen)) {
      shown.show(SleepFor::kLock, this);
      sleep_on(&word_, seen | says);
    }
    wait.wakes();
  }
}

bool ProgramLock::changes_in_a_moment(uint32_t seen) const {
  pause_cycles(policy::kMomentCycles);
  return word_.load(std::memory_order_relaxed) != seen; // relaxed: take_as_first() compares it
}

void ProgramLock::unlock_slow() {
  uint32_t seen = word_.load(std::memory_order_relaxed); // relaxed: the exchange decides
  uint32_t next;
  do {
    next = seen & ~(kSleeps | kStarving | kAnnounced);
    if ((seen & kStarving) != 0) {
      next |= kGranted;
    } else {
      next &= ~kHeld;
      if ((seen & kLast) != 0) next = (next & ~kReleases) | ((next + kOneRelease) & kReleases);
    }
    // release: pairs with acquire in take() and take_as_first(). From here on the lock may be somebody else's, or gone.
  } while (!word_.compare_exchange_weak(seen, next, std::memory_order_release, std::memory_order_relaxed));
  if ((seen & kSleeps) != 0) futex_wake(&word_, 1);
}

} // namespace chomp
