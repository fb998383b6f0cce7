// Place lists: what a place is, the texts that describe places, and which place each thread of a team gets. Nothing
// here knows the machine it runs on, prints, or keeps state, so that unit tests and fuzzers can call it with any input.
//
//   parse_places()      OMP_PLACES (OpenMP 5.2, 21.1.6): "cores(4)", "{0:4}:8:4,!{3}"
//   parse_processors()  GOMP_CPU_AFFINITY and KMP_AFFINITY's proclist: "0-3 5 7-15:2", "{0,1},2"
//   placement_of()      the policies of proc_bind (OpenMP 5.2, 10.1.3)
#pragma once

#include <cstdint>

#include "runtime/base/env.h"
#include "runtime/base/os_linux.h"
#include "runtime/config/config.h"
#include "runtime/machine/hardware.h"

namespace chomp {

inline constexpr int kMaxPlaces = 16384;      // a place number fits int16_t
inline constexpr int kMaxPlaceCpus = 1 << 20; // CPUs in all places together

/// Places in order. Each is a set of CPUs in ascending order, and not empty. A list of more than one small place lives
/// in pages that are committed as they fill.
class PlaceList {
public:
  PlaceList() = default;
  PlaceList(const PlaceList&) = delete;
  PlaceList& operator=(const PlaceList&) = delete;

  void clear() { count_ = 0; }
  /// False: full, or no memory.
  bool add(const CpuMask& cpus);

  int count() const { return count_; }
  int size(int place) const { return static_cast<int>(begin_[place + 1] - begin_[place]); }
  const uint16_t* cpus(int place) const { return cpus_ + begin_[place]; }
  CpuMask mask(int place) const;
  /// Removes every place that is equal to `cpus`.
  void remove(const CpuMask& cpus);

private:
  static constexpr uint32_t kFewCpus = 256;
  bool make_room();

  int count_ = 0;
  uint32_t* begin_ = nullptr; // [kMaxPlaces + 1], or few_begin_
  uint16_t* cpus_ = nullptr;  // [kMaxPlaceCpus], or few_cpus_
  uint32_t few_begin_[2] = {};
  uint16_t few_cpus_[kFewCpus] = {};
};

inline constexpr int kMaxNumber = 1 << 24; // in a text: no machine has larger numbers

/// Where the CPUs of a text go. Without a list the text is only checked.
struct PlaceSink {
  const CpuMask* available = nullptr; // CPUs that are not in it are left out; null: all exist
  const Hardware* hardware = nullptr; // for `grain`
  HwLevel grain = HwLevel::kThread;   // a CPU stands for its whole unit of this level
  PlaceList* list = nullptr;
  int missing = -1; // result: the first CPU named that is not available; kMaxNumber stands for all larger ones
};

/// Explicit places of OMP_PLACES. kTooLarge: more places than there may be. A place without an available CPU is left
/// out. A list with exclusions only excludes from all available CPUs.
Parse parse_place_list(std::string_view text, PlaceSink* sink);

/// A list of processors, each of which is a place; "{…}" makes one place of several processors.
Parse parse_processors(std::string_view text, PlaceSink* sink);

/// OMP_PLACES as a whole: either a level, with the number of places (0: all) and the distance between two of them
/// (OpenMP 6.0), or an explicit list.
struct PlacesText {
  bool explicit_list = false;
  HwLevel level = HwLevel::kCore;
  int most = 0;
  int increment = 1;
};
/// If an error comes behind a good name, `level` is the level of that name.
Parse parse_places(std::string_view text, PlacesText* result);

/// Makes one place for each unit of the level, or for each increment-th; at most `most` places, unless that is 0.
bool places_of_level(const Hardware& hardware, HwLevel level, int most, int increment, PlaceList* list);

/// KMP_AFFINITY=compact, scatter and balanced: a place for each hardware thread, widened to its unit of `grain`.
/// Threads are sorted by their numbers inside the units around them, outermost level first (compact), but the innermost
/// `permute` levels before all others.
bool places_by_thread(const Hardware& hardware, int permute, HwLevel grain, PlaceList* list);

/// A thread's place and its place partition: consecutive places.
struct Placement {
  int16_t place = -1; // -1: none, the thread is not bound
  uint16_t first = 0;
  uint16_t count = 0;

  bool operator==(const Placement&) const = default;
};

/// These, and the size of a team, decide the placements of its members.
struct TeamPlaces {
  ProcBind policy = ProcBind::kFalse;
  bool balanced = false; // KMP_AFFINITY=balanced, outermost region
  Placement primary;

  bool operator==(const TeamPlaces&) const = default;
};

/// Where thread `tid` of `threads` goes if the primary is at `primary` and the policy is primary, close or spread.
/// Thread 0 stays where it is. Spread cuts the partition into `threads` parts, or into single places if there are
/// fewer. The primary gets the part that it is in, and the next threads the next parts; behind the last comes the
/// first.
Placement placement_of(ProcBind policy, const Placement& primary, int threads, int tid);

/// KMP_AFFINITY=balanced: the core of thread `tid`, and the number of the thread on that core. Threads with
/// neighbouring numbers are together, and the cores' numbers of threads differ by one at most.
struct BalancedPosition {
  int core;
  int thread;
};
BalancedPosition balanced_position(int cores, int threads, int tid);

} // namespace chomp
