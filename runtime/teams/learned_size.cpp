// See learned_size.h.
#include "runtime/teams/learned_size.h"

#include <algorithm>

namespace chomp {
namespace {

constexpr uint8_t kMostDoublings = 6;
using policy::kMostUntimed;

void subtract(uint64_t& from, uint64_t value) { from -= std::min(value, from); }

void double_once_more(uint8_t& doublings) {
  if (doublings < kMostDoublings) ++doublings;
}

} // namespace

void LearnedSize::took(uint64_t cycles, int wanted) {
  if (learning_) return try_size(cycles, wanted);
  subtract(until_learning_, cycles * (untimed_ + uint64_t{1}));
  if (until_learning_ == 0) {
    owes_ = false;
    return learn();
  }
  halvings_ == 0 ? look_for_shorter(cycles) : look_for_longer(cycles);
  if (odd_ != 0 || learning_) return;
  uint64_t untimed = policy::kUntimedCycles / (cycles + 1);
  untimed_ = untimed_left_ = untimed < kMostUntimed ? static_cast<uint8_t>(untimed) : kMostUntimed;
}

void LearnedSize::learn() {
  learning_ = true;
  again_ = false;
  best_halvings_ = odd_ = untimed_ = untimed_left_ = 0;
  spent_ = 0;
  best_ = kNone;
  begin_window(0);
}

void LearnedSize::begin_window(uint8_t halvings) {
  halvings_ = halvings;
  seen_ = 0;
  sum_ = longest_ = 0;
  shortest_ = kNone;
}

void LearnedSize::try_size(uint64_t cycles, int wanted) {
  spent_ += cycles;
  if (halvings_ == 0 && seen_ > 0 && cycles > policy::kSmallRegionCycles) return decide(0, cycles);
  if (seen_++ == 0) return;
  sum_ += cycles;
  if (cycles > longest_) longest_ = cycles;
  if (cycles < shortest_) shortest_ = cycles;
  bool is_worse = seen_ > 2 && best_ != kNone && shortest_ > best_ + best_ / 8;
  if (!is_worse && seen_ <= kWindow) return;
  uint64_t usual = (sum_ - longest_) / (seen_ - 2u);
  if (halvings_ == 0) all_ = usual;
  // Fewer threads are better if they are as fast: others may have the CPUs.
  uint64_t as_fast = best_ == kNone ? kNone : again_ ? best_ - best_ / 32 : best_ + best_ / 32;
  if (!is_worse && shortest_ <= as_fast) {
    best_halvings_ = halvings_;
    best_usual_ = usual;
  }
  if (shortest_ < best_) best_ = shortest_;
  if (!is_worse && !again_ && size(wanted) > 1) return begin_window(halvings_ + 1);
  if (best_halvings_ == 0 || again_) return decide(best_halvings_, best_usual_);
  again_ = true;
  begin_window(0);
}

void LearnedSize::decide(uint8_t halvings, uint64_t usual) {
  learning_ = false;
  halvings_ = halvings;
  usual_ = usual;
  lost_ = odd_ = 0;
  until_learning_ = spent_ << (7 + calm_);
  double_once_more(calm_);
}

// Regions have all threads. If they become half as long, fewer threads may be enough.
void LearnedSize::look_for_shorter(uint64_t cycles) {
  odd_ = cycles < usual_ / 2 ? odd_ + 1 : 0;
  if (odd_ < policy::kRegionsInARow || owes_) return;
  calm_ = 0;
  learn();
}

// Regions have fewer threads. With all threads, a region that takes longer than usual would have been shorter, and each
// of the others longer. When this has lost a quarter of what learning took, the next regions have all threads: for as
// long as was lost, and twice that the next time. So the loss is bounded in programs in which one call site has small
// and large regions in turn. One long region is chance: another process may have had the CPU.
void LearnedSize::look_for_longer(uint64_t cycles) {
  if (cycles <= usual_ + usual_ / 4) {
    uint64_t saved = all_ > usual_ ? all_ - usual_ : 1;
    subtract(lost_, saved * (untimed_ + uint64_t{1}));
    if (lost_ == 0) odd_ = 0;
    return;
  }
  lost_ += (cycles - usual_) * (untimed_ + uint64_t{1}); // those that were not timed may have been as long
  untimed_ = untimed_left_ = 0;
  if (++odd_ < 2 || lost_ < spent_ / 4) return;
  uint64_t owed = lost_ << jumps_;
  decide(0, usual_);
  until_learning_ = owed;
  owes_ = true;
  calm_ = untimed_ = untimed_left_ = 0;
  double_once_more(jumps_);
}

} // namespace chomp
