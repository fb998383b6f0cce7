// Counts of durations in buckets that grow with them: exact up to 63, then 32 buckets for each power of two, so that a
// percentile is off by at most 3 %. Constant size, one writer; recording touches one word.
#pragma once

#include <cstdint>

namespace queues {

class Histogram {
public:
  void add(uint64_t value) { ++counts_[bucket_of(value)]; }

  void merge(const Histogram& other) {
    for (int bucket = 0; bucket < kBuckets; ++bucket) counts_[bucket] += other.counts_[bucket];
  }

  uint64_t total() const {
    uint64_t sum = 0;
    for (uint64_t count : counts_) sum += count;
    return sum;
  }

  /// The smallest recorded duration (the lower end of its bucket) that `part` of all do not exceed; 0 if there are
  /// none.
  uint64_t percentile(double part) const {
    const double wanted = part * static_cast<double>(total());
    uint64_t seen = 0;
    for (int bucket = 0; bucket < kBuckets; ++bucket) {
      seen += counts_[bucket];
      if (seen > 0 && static_cast<double>(seen) >= wanted) return lower_end(bucket);
    }
    return 0;
  }

  static int bucket_of(uint64_t value) {
    if (value < kExact) return static_cast<int>(value);
    const int power = 63 - __builtin_clzll(value); // at least 6
    const int within = static_cast<int>(value >> (power - kWithinBits)) & (kWithin - 1);
    return kExact + (power - kFirstPower) * kWithin + within;
  }

  static uint64_t lower_end(int bucket) {
    if (bucket < kExact) return static_cast<uint64_t>(bucket);
    const int power = kFirstPower + (bucket - kExact) / kWithin;
    const uint64_t within = static_cast<uint64_t>((bucket - kExact) % kWithin);
    return (uint64_t{1} << power) + (within << (power - kWithinBits));
  }

private:
  static constexpr int kExact = 64, kFirstPower = 6, kWithinBits = 5, kWithin = 1 << kWithinBits;
  static constexpr int kBuckets = kExact + (64 - kFirstPower) * kWithin;
  uint64_t counts_[kBuckets] = {};
};

} // namespace queues
