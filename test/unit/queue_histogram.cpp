// RUN: %clangxx -std=c++20 -O1 -I%root %s -o %t && %t
// The queue benchmark's histogram: every duration falls into the bucket whose ends contain it, buckets are narrow, and
// percentiles are those of the durations.
#include "test/unit/check_that.h"
#include "tools/laboratory/schedulers/queues/histogram.h"

using queues::Histogram;

static void value_is_in_its_bucket(uint64_t value) {
  int bucket = Histogram::bucket_of(value);
  THAT(Histogram::lower_end(bucket) <= value);
  if (value < uint64_t{1} << 62) {
    uint64_t width = Histogram::lower_end(bucket + 1) - Histogram::lower_end(bucket);
    THAT(value - Histogram::lower_end(bucket) < width);
    THAT(width == 1 || static_cast<double>(width) <= 0.032 * static_cast<double>(value));
  }
}

int main() {
  for (uint64_t value = 0; value < 100000; ++value) value_is_in_its_bucket(value);
  for (int power = 1; power < 64; ++power)
    for (int64_t offset = -1; offset <= 1; ++offset)
      value_is_in_its_bucket((uint64_t{1} << power) + static_cast<uint64_t>(offset));
  value_is_in_its_bucket(~uint64_t{0});

  static Histogram empty, first, second;
  THAT(empty.percentile(0.5) == 0);
  for (uint64_t value = 1; value <= 50; ++value) first.add(value);
  THAT(first.percentile(0.5) == 25 && first.percentile(1) == 50 && first.percentile(0.99) == 50);
  for (int i = 0; i < 950; ++i) second.add(7);
  first.merge(second);
  THAT(first.total() == 1000 && first.percentile(0.5) == 7 && first.percentile(0.99) >= 40);
  THAT(empty.total() == 0);
  return result();
}
