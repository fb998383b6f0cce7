// What the environment says about where threads run, as data. config_affinity.cpp fills it; threads/place_list.cpp and
// threads/binding.cpp act on it.
#pragma once

#include <cstdint>

#include "runtime/base/env.h"
#include "runtime/machine/hw_subset.h"

namespace chomp {

/// What the place list is made from.
enum class PlaceSource : uint8_t {
  kDefault,    // no variable names a source
  kNone,       // threads are not bound (OMP_PROC_BIND=false, KMP_AFFINITY=none)
  kDisabled,   // threads are not bound, and there are no places (KMP_AFFINITY=disabled)
  kLevel,      // OMP_PLACES=cores(4)
  kPlaceList,  // OMP_PLACES={0,1},{2,3}
  kProcessors, // GOMP_CPU_AFFINITY, KMP_AFFINITY=explicit
  kByThread,   // KMP_AFFINITY=compact, scatter, logical, physical
  kBalanced,   // KMP_AFFINITY=balanced
};

/// The types of KMP_AFFINITY: how a thread's number decides where it runs.
enum class AffinityType : uint8_t {
  kNotGiven,
  kNone,
  kDisabled,
  kCompact,
  kScatter,
  kBalanced,
  kExplicit,
  kLogical,
  kPhysical
};

/// KMP_AFFINITY as it is written.
struct KmpAffinity {
  AffinityType type = AffinityType::kNotGiven;
  bool verbose = false;
  bool warnings = true;
  bool respect = true; // the process's affinity mask
  bool reset = false;  // the initial thread gets its mask back behind each outermost region
  bool level_given = false;
  HwLevel level = HwLevel::kCore; // granularity
  int levels_up = -1;             // granularity as a number of levels, 0: threads; -1: not given
  int numbers[2] = {};            // permute and offset, or offset alone
  int number_count = 0;
  std::string_view processors; // proclist, without brackets
};

/// The words may come in any order and any case. On an error `*bad` is the unknown word, or empty.
Parse parse_kmp_affinity_text(std::string_view text, KmpAffinity* result, std::string_view* bad);

/// The word for a type, or null.
const char* affinity_type_name(AffinityType type);
/// The word of KMP_AFFINITY that is most like `text`, or null.
const char* nearest_affinity_word(std::string_view text);

struct AffinitySettings {
  PlaceSource source = PlaceSource::kDefault;
  HwLevel level = HwLevel::kCore; // of kLevel; of the last three sources, the granularity
  int most_places = 0;            // of kLevel; 0: all
  int place_increment = 1;        // of kLevel: from one place to the next
  std::string_view list;          // of kPlaceList and kProcessors; points into the environment's text
  KmpAffinity kmp;                // set even if KMP_AFFINITY names no type
  HwSubset subset;                // KMP_HW_SUBSET; count 0: all
  uint8_t teams_bind = 4;         // KMP_TEAMS_PROC_BIND, a ProcBind: spread
};

} // namespace chomp
