// RUN: %clangxx -std=c++20 -I%root %s %root/runtime/teams/learned_size.cpp -o %t && %t
// Team sizes that are learnt from how long regions take: small regions soon have one thread, large ones are hardly ever
// tried with fewer than all, sizes follow when the work changes, and one long region is no change.
#include <initializer_list>

#include "runtime/teams/learned_size.h"
#include "test/unit/check_that.h"

using namespace chomp;

// What a region takes that divides its work evenly; each thread costs something to start and to wait for.
struct Site {
  int wanted;
  uint64_t a_thread = 200;
  LearnedSize learned;
  uint64_t regions = 0, spent = 0, with_one = 0, with_all = 0, not_with_all = 0;

  uint64_t cycles(uint64_t work, int size) const {
    return 100 + work / static_cast<uint64_t>(size) + (size == 1 ? 0 : 300 + a_thread * static_cast<uint64_t>(size));
  }
  void run(uint64_t work, uint64_t count, uint64_t more = 0) {
    for (uint64_t i = 0; i < count; ++i) {
      int size = learned.size(wanted);
      uint64_t took = cycles(work, size);
      if (learned.is_timed()) learned.took(took + more, wanted);
      ++regions;
      spent += took;
      with_one += cycles(work, 1);
      with_all += cycles(work, wanted);
      not_with_all += size != wanted;
    }
  }
  void forget() { regions = spent = with_one = with_all = not_with_all = 0; }
};

static void small_regions() {
  for (int wanted : {2, 3, 16, 64, 1000})
    for (uint64_t work : {0, 100, 500}) {
      Site site{wanted};
      site.run(work, 100);
      THAT(site.learned.size(wanted) == 1);
      site.forget();
      site.run(work, 100000);
      THAT(site.spent <= site.with_one + site.with_one / 10);
    }
}

static void large_regions() {
  for (int wanted : {2, 3, 16, 64})
    for (uint64_t work : {50'000'000, 200'000'000}) {
      Site site{wanted};
      site.run(work, 10000);
      THAT(site.not_with_all == 0);
    }
  for (uint64_t work : {200'000, 1'000'000, 4'000'000}) { // they might be small
    Site site{16};
    site.run(work, 100000);
    THAT(site.spent <= site.with_all + site.with_all / 100);
  }
}

// New threads are late in the first regions, which all have them.
static void first_regions_are_slow() {
  Site site{64};
  site.a_thread = 20;
  for (int i = 0; i < 6; ++i) site.run(400'000, 1, 10'000);
  site.run(400'000, 100);
  THAT(site.learned.size(64) == 64);
}

static void best_size_is_between() {
  Site site{64};
  site.run(20'000, 200);
  int size = site.learned.size(64);
  THAT(size > 1 && size < 64);
  for (int other = 1; other <= 64; other *= 2) THAT(site.cycles(20'000, size) <= site.cycles(20'000, other) * 33 / 32);
}

static void work_changes() {
  Site site{16};
  for (int phase = 0; phase < 4; ++phase) {
    site.run(100, 20000);
    THAT(site.learned.size(16) == 1);
    site.run(5'000'000, 100);
    THAT(site.learned.size(16) == 16);
    site.run(100, 100000); // what was lost is owed
  }
}

// A large region among many small ones: when it comes again and again, all have all threads.
static void small_and_large_in_turn() {
  Site site{16};
  for (int round = 0; round < 10000; ++round) {
    if (round == 1000) site.forget();
    site.run(100, 20);
    site.run(1'000'000, 1);
  }
  THAT(site.spent < site.with_all + site.with_all / 8);
}

static void one_long_region_is_chance() {
  Site site{8};
  site.run(100, 1000);
  site.forget();
  for (int round = 0; round < 100; ++round) {
    site.run(100, 1, 10'000'000); // another process had the CPU
    site.run(100, 100000);
  }
  THAT(site.spent < site.with_one + site.with_one / 10);
}

int main() {
  small_regions();
  large_regions();
  first_regions_are_slow();
  best_size_is_between();
  work_changes();
  small_and_large_in_turn();
  one_long_region_is_chance();
  return result();
}
