// Vector clocks that share their parts: how much of each strand's past is known. A clock is a tree that never changes;
// a new one differs from an old one only along a path. So a task's clock costs little, however many tasks there were.
#pragma once

#include <stdint.h>

namespace explore {

struct ClockNode;

/// What is known of others' pasts. Empty when made; copied like a number.
class Clock {
public:
  /// The epochs of `strand` up to this one are known.
  uint32_t of(uint32_t strand) const {
    // Nodes never change, nor go: what was looked up holds.
    Known& last = known_[(strand ^ reinterpret_cast<uintptr_t>(root_) >> 6) % kKept];
    if (__builtin_expect(last.root != root_ || last.strand != strand, 0)) last = {root_, strand, look_up(strand)};
    return last.epoch;
  }
  /// The same, and that `strand` has got to `epoch`.
  Clock with(uint32_t strand, uint32_t epoch) const;
  void join(Clock other);

private:
  struct Known {
    const ClockNode* root;
    uint32_t strand, epoch;
  };
  static constexpr unsigned kKept = 256;
  static Known known_[kKept];
  uint32_t look_up(uint32_t strand) const;
  const ClockNode* root_ = nullptr;
  int height_ = 0; // levels above the leaves
};

} // namespace explore
