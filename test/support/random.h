// Reproducible random numbers: a hash of a counter, the same on every machine and in every thread order.
#pragma once

#include "support/check.h"
#include <stdint.h>
#include <time.h>

static inline uint64_t random_hash(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// CHOMP_SEED, or a new one for each run; printed, so that a failure can be repeated.
static inline uint64_t random_seed(void) {
  const char* text = getenv("CHOMP_SEED");
  uint64_t seed = text ? strtoull(text, 0, 0) : ((uint64_t)time(0) << 20) ^ (uint64_t)getpid();
  fprintf(stderr, "CHOMP_SEED=%llu\n", (unsigned long long)seed);
  return seed;
}
