// What Team::cancelled holds: 0, or the kind of construct being cancelled with the number of barriers that the
// requester had passed in the region. The word has room for 29 bits of that number, so numbers are compared modulo
// 2^29. That is enough, since members are never more than one barrier apart. Used by cancel.cpp alone.
#pragma once

#include <cstdint>

namespace chomp {

inline constexpr unsigned kCancelKindBits = 3;

constexpr uint32_t cancel_word(uint32_t kind, uint32_t barriers) { return kind | barriers << kCancelKindBits; }

constexpr uint32_t cancel_kind(uint32_t word) { return word & ((1u << kCancelKindBits) - 1); }

/// Whether a member that has passed `barriers` barriers has passed more than the requester had.
constexpr bool cancel_was_before(uint32_t word, uint32_t barriers) {
  // Shifted up, the difference wraps around where the word's number does.
  uint32_t ahead = (barriers << kCancelKindBits) - (word & ~((1u << kCancelKindBits) - 1));
  return ahead != 0 && ahead < 1u << 31;
}

} // namespace chomp
