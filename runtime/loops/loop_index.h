// Index arithmetic of loops, without overflow for any bounds. A loop's iterations are counted from 0 in the unsigned
// type of its variable. `last` is the index of its last iteration, so that the longest loop fits (2^32 or 2^64
// iterations; not in static loops without chunks, where such bounds mean none).
//
// For 64-bit ranges and, in static loops, in the loop variable's own width.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/loops/claim.h"

namespace chomp {

template <class T> struct LoopTypes;
template <> struct LoopTypes<int32_t> {
  using Unsigned = uint32_t;
  using Signed = int32_t;
  static constexpr int32_t kLowest = INT32_MIN, kHighest = INT32_MAX;
};
template <> struct LoopTypes<uint32_t> {
  using Unsigned = uint32_t;
  using Signed = int32_t;
  static constexpr uint32_t kLowest = 0, kHighest = UINT32_MAX;
};
template <> struct LoopTypes<int64_t> {
  using Unsigned = uint64_t;
  using Signed = int64_t;
  static constexpr int64_t kLowest = INT64_MIN, kHighest = INT64_MAX;
};
template <> struct LoopTypes<uint64_t> {
  using Unsigned = uint64_t;
  using Signed = int64_t;
  static constexpr uint64_t kLowest = 0, kHighest = UINT64_MAX;
};
template <class T> using UnsignedOf = typename LoopTypes<T>::Unsigned;
template <class T> using SignedOf = typename LoopTypes<T>::Signed;

template <class T> inline bool loop_is_empty(T lower, T upper, SignedOf<T> stride) {
  return stride > 0 ? upper < lower : lower < upper;
}

/// The index of the last iteration of a loop that is not empty. `stride` is not 0.
template <class T> inline UnsignedOf<T> loop_last_index(T lower, T upper, SignedOf<T> stride) {
  using U = UnsignedOf<T>;
  if (stride == 1) return U(upper) - U(lower);
  if (stride > 0) return (U(upper) - U(lower)) / U(stride);
  return (U(lower) - U(upper)) / (U(0) - U(stride));
}

/// A block of indices; empty: first > last.
template <class U> struct IndexBlock {
  U first, last;
  bool empty() const { return first > last; }
};

/// The block of 0 … last that belongs to `part` of `parts`: sizes differ by at most one, the larger ones come first.
template <class U> inline IndexBlock<U> balanced_block(U last, U part, U parts) {
  if (parts == 1) return {0, last}; // without a division
  if (uint64_t begin = 0, beyond = 0; share_is_given(last, part, parts, &begin, &beyond))
    return begin == beyond ? IndexBlock<U>{1, 0} : IndexBlock<U>{U(begin), U(beyond - 1)};
  U small = last / parts, extras = last % parts + 1; // last + 1 == small * parts + extras, 1 <= extras <= parts
  U first = part * small + std::min(part, extras);
  U size = small + (part < extras);
  return size == 0 ? IndexBlock<U>{1, 0} : IndexBlock<U>{first, U(first + size - 1)};
}

/// Chunk number `chunk_number` of 0 … last; the caller knows that it exists.
template <class U> inline IndexBlock<U> chunk_block(U last, U chunk, U chunk_number) {
  U first = chunk_number * chunk;
  return {first, last - first < chunk ? last : U(first + chunk - 1)};
}

/// Bounds that hold no iteration, whatever the width and sign: just beyond `upper`, or 1 … 0 where that would overflow.
template <class T> inline void set_empty_bounds(T* lower, T* upper, SignedOf<T> stride) {
  bool up = stride > 0;
  if (*upper != (up ? LoopTypes<T>::kHighest : LoopTypes<T>::kLowest)) {
    *lower = up ? *upper + 1 : *upper - 1;
  } else {
    *lower = up ? 1 : 0;
    *upper = up ? 0 : 1;
  }
}

enum class StaticKind { kBlock, kChunked, kBlockOfMultiples };

/// The first chunk of part `part` of `parts`, of a static loop that is not empty, and how far apart its chunks are.
/// Compiled code goes on with lower += stride, upper += stride while lower is within the loop. Or it divides the rest
/// of the loop by the stride, to know how many chunks follow. Returns whether the part has the last iteration.
template <class T>
inline bool static_partition(StaticKind kind, uint32_t part, uint32_t parts, SignedOf<T> increment,
                             SignedOf<T> chunk_given, T* lower, T* upper, SignedOf<T>* stride) {
  using U = UnsignedOf<T>;
  U last = loop_last_index(*lower, *upper, increment);
  U step = U(increment), base = U(*lower);
  IndexBlock<U> block;
  bool has_last;
  U distance; // in iterations
  if (kind == StaticKind::kBlock) {
    block = balanced_block<U>(last, part, parts);
    distance = last + 1;
    // LLVM's IR builder and Flang pass the bounds 0 … count − 1 of an unsigned type, also if the count is 0. No loop
    // has as many iterations as these would be.
    if (CHOMP_UNLIKELY(distance == 0)) block = {1, 0};
    has_last = block.last == last && !block.empty();
  } else {
    U chunk = chunk_given < 1 ? 1 : U(chunk_given);
    if (kind ==
        StaticKind::kBlockOfMultiples) { // the smallest multiple of `chunk` with which no part needs a second chunk
      U share = last / parts + 1;
      U rounded = (share - 1) / chunk * chunk + chunk;
      chunk = std::max(rounded, share);
    }
    U last_chunk = last / chunk;
    has_last = last_chunk % parts == part;
    if (part > last_chunk)
      block = {1, 0};
    else
      block = chunk_block<U>(last, chunk, part);
    // A part with one chunk steps just beyond the loop: a longer step could wrap around and come back into it. A part
    // without a chunk needs no step.
    distance = last_chunk >= parts ? U(parts) * chunk : part > last_chunk ? 1 : last + 1 - U(part) * chunk;
  }
  // The stride is not 0 even where it wraps around: LLVM's IR builder makes code that divides by it, chunk or no chunk.
  *stride = SignedOf<T>(distance * step);
  if (*stride == 0) *stride = increment;
  if (block.empty()) {
    set_empty_bounds<T>(lower, upper, increment);
    return false;
  }
  *lower = T(base + block.first * step);
  *upper = T(base + block.last * step);
  return has_last;
}

} // namespace chomp
