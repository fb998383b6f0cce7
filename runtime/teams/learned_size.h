// How many threads the regions of one call site are worth, learnt from how long they take. A thread of the program has
// one such record for each of its call sites (region_size.cpp), so nothing here is shared.
//
//   learning   some regions with all threads that they ask for, some with half of them, a quarter … until fewer are
//              slower, or there is one; then all once more, since new threads may have been slow to come
//   decided    the size that was best; where regions now take much longer or shorter, learning begins anew
//
// What learning costs is bounded. Regions that are too long to be small are never tried with fewer threads. A size that
// is worse is left after a few regions. And what has been learnt is doubted only after regions that took 128 times as
// long together as it took to learn.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/base/policy.h"

namespace chomp {

class LearnedSize {
public:
  /// Threads for the next region, which asks for `wanted`.
  int size(int wanted) const {
    int size = (wanted + (1 << halvings_) - 1) >> halvings_;
    return std::max(size, 1);
  }

  /// Whether the next region is to be timed. Counts regions that are not: timing would make the shortest half as long
  /// again.
  bool is_timed() {
    if (untimed_left_ == 0) return true;
    --untimed_left_;
    return false;
  }

  /// A region with size(wanted) threads took so long, from its fork to the end of its join.
  void took(uint64_t cycles, int wanted);

private:
  // How many regions of one size are timed, after one that does not count. The shortest says how good the size is: the
  // first ones pay for the change, with threads that slept and lines that moved. All but the longest say what is usual.
  static constexpr uint32_t kWindow = policy::kRegionsInARow / 2 + 1;
  static constexpr uint64_t kNone = UINT64_MAX;

  void learn();
  void begin_window(uint8_t halvings);
  void try_size(uint64_t cycles, int wanted);
  void decide(uint8_t halvings, uint64_t usual);
  void look_for_shorter(uint64_t cycles);
  void look_for_longer(uint64_t cycles);

  bool learning_ = true;
  bool again_ = false; // learning: all threads once more, since new threads took long when they were tried first
  bool owes_ = false;  // regions have all threads until `until_learning_` is over, since some were too long for fewer
  uint8_t halvings_ = 0, best_halvings_ = 0; // of what regions ask for
  uint8_t untimed_left_ = 0, untimed_ = 0;   // regions until the next one that is timed; as many as were left out last
  uint8_t seen_ = 0;                         // learning: regions of this size
  uint8_t odd_ = 0;                          // decided: regions that were much shorter, in a row; or longer
  uint8_t calm_ = 0, jumps_ = 0;             // decisions since regions changed; how often regions became long
  uint64_t sum_ = 0, longest_ = 0;           // learning: of this size
  uint64_t shortest_ = kNone;                // the same
  uint64_t best_ = kNone;                    // the shortest region so far, of any size
  uint64_t best_usual_ = 0;                  // what a region usually takes with the best size so far
  uint64_t all_ = 0;                         // the same with all threads
  uint64_t spent_ = 0;                       // on learning
  uint64_t usual_ = 0;                       // decided: the same with the present size
  uint64_t lost_ = 0;                        // decided: by having fewer threads, less what that has saved
  uint64_t until_learning_ = 0;              // decided: cycles in regions until learning begins anew
};

} // namespace chomp
