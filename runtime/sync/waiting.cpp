// How long threads spin, and when they offer their CPU. See waiting.h.
#include "runtime/sync/waiting.h"

#include <algorithm>

#include "runtime/base/check.h"

namespace chomp {

constinit CostlyYields costly_yields;

namespace {

enum class Offer : uint8_t {
  kUnused,    // nobody ran
  kGivenBack, // somebody did, for a moment
  kKept,      // others had the CPU for long
  kRefused,   // they have kept it for long lately: the thread should sleep instead, since one that is woken gets a CPU
              // sooner than one that has yielded
};

// Called when a yield was long. Once is chance: a CPU may be lost at any time, and is lost when a thread sleeps, too.
// Yields are costly if they take half of the time or more: that is, if this one took as long as the time from the last
// long one, or from when threads began to yield again, until it. Each short yield in that time that let somebody
// run adds 0.2 ms to it, since it has spared a sleep and a wake.
void remember_long_yield(CpuOffers* offers, uint64_t began, uint64_t took) {
  // relaxed, all: hints.
  uint64_t now = began + took, until = costly_yields.until.load(std::memory_order_relaxed);
  uint64_t length = costly_yields.length.load(std::memory_order_relaxed);
  uint64_t since = std::min(std::max(offers->long_ended, until), began);
  bool chance = began - since + offers->given_back * policy::kLongYieldCycles > took;
  offers->long_ended = now;
  offers->given_back = 0;
  if (chance || until > now) return; // or another thread has found out too
  bool again = until != 0 && now - until < length;
  length = !again ? policy::kCostlyFirstCycles : length < policy::kCostlyLongestCycles ? 2 * length : length;
  costly_yields.length.store(length, std::memory_order_relaxed);
  costly_yields.until.store(now + length, std::memory_order_relaxed);
}

// Offers the CPU to threads of this process and of others.
Offer offer_cpu(CpuOffers* offers, int32_t sharers) {
  if (yields_are_costly()) return Offer::kRefused;
  uint64_t began = cycle_counter();
  cpu_yield();
  uint64_t took = cycle_counter() - began;
  if (took < policy::kLongYieldCycles + static_cast<uint64_t>(sharers) * policy::kSharersYieldCycles) {
    if (took <= policy::kIdleYieldCycles) return Offer::kUnused;
    ++offers->given_back;
    return Offer::kGivenBack;
  }
  remember_long_yield(offers, began, took);
  return Offer::kKept;
}

} // namespace

void note_move(CpuOffers* offers, uint64_t began) {
  uint64_t took = cycle_counter() - began;
  if (took >= policy::kLongYieldCycles) remember_long_yield(offers, began, took);
}

bool Waiting::pause(CpuDemand demand, int32_t sharers) {
  if (over_) return false;
  ++rounds_;
  cpu_number_may_change();
  bool switched = light_pause();
  if (!switched) cpu_pause();
  // Where a kernel thread has its CPU to itself, its light threads wait in turn for as long as one would.
  over_ = switched && demand == CpuDemand::kCertain ? rounds_ > policy::kYieldsBeforeSleep : !goes_on(demand, sharers);
  return !over_;
}

bool Waiting::goes_on(CpuDemand demand, int32_t sharers) {
  // If others soon need the CPU no more, offering it is cheaper than sleeping. One long yield is enough: the thread
  // that is waited for runs, or another program does.
  if (CHOMP_UNLIKELY(demand == CpuDemand::kCertain))
    return rounds_ <= policy::kYieldsBeforeSleep &&
           (config.use_yield == 0 || offer_cpu(offers_, sharers) <= Offer::kGivenBack);
  bool yields = config.use_yield == 1;
  if (CHOMP_UNLIKELY(demand == CpuDemand::kLikely) && yields && rounds_ > policy::kRoundsBeforeClock &&
      offer_cpu(offers_, 0) == Offer::kRefused)
    return false;
  if (!saw_clock()) return true;
  now_ns_ = monotonic_ns();
  if (rounds_ == policy::kRoundsBeforeClock) began_ns_ = now_ns_;
  if (now_ns_ - began_ns_ >= spin_limit_ns()) return false;
  // The CPUs may be shared: with other processes, or with a library that has threads of its own. The thread that we
  // wait for needs one.
  bool early = now_ns_ - began_ns_ <= policy::kWakeNs;
  if (!yields || (early && !offers_->was_taken && !yields_are_costly())) return true;
  Offer offer = offer_cpu(offers_, 0);
  offers_->was_taken = offer == Offer::kGivenBack || offer == Offer::kKept;
  return offer != Offer::kRefused;
}

} // namespace chomp
