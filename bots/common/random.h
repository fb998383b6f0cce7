// The random numbers of the benchmark programs' inputs: SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom
// number generators, OOPSLA 2014). The whole state is one number, so each owner of a state has a sequence of its own,
// which nobody else's draws change: the same on every machine, with any number of threads.
#ifndef BENCHMARKS_RANDOM_H
#define BENCHMARKS_RANDOM_H

#include <stdint.h>

/// 64 random bits.
static inline uint64_t random_bits(uint64_t* state) {
  uint64_t bits = *state += 0x9e3779b97f4a7c15u;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}

/// A whole number from 0 to bound - 1. The bias of the remainder is below bound / 2^64.
static inline int64_t random_below(uint64_t* state, int64_t bound) {
  return (int64_t)(random_bits(state) % (uint64_t)bound);
}

/// A real number from 0 (included) to 1 (excluded).
static inline double random_unit(uint64_t* state) { return (double)(random_bits(state) >> 11) * 0x1p-53; }

#endif
