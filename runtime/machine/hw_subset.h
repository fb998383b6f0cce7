// KMP_HW_SUBSET: which part of the machine to use. "2s,4c@1,2t" is two sockets, of each four cores beginning with the
// second, of each two hardware threads. Called by config_affinity.cpp (text) and binding.cpp (choice).
#pragma once

#include "runtime/base/env.h"
#include "runtime/machine/hardware.h"

namespace chomp {

struct HwSubset {
  struct Item {
    HwLevel level = HwLevel::kSocket;
    int number = 0; // 0: all
    int offset = 0;
  };
  int count = 0;
  bool absolute = false; // ":" in front: levels that are not named do not divide
  Item items[kHwLevels];
};

/// Items may come in any order. Attributes of hybrid processors (":intel_core", "&") are not known here.
Parse parse_hw_subset_text(Text text, HwSubset* subset);

/// Leaves in `cpus` the CPUs that the subset chooses. Numbers and offsets count, per unit of the next item outside, the
/// units that have CPUs in the table: an affinity mask is taken into account. False:
/// `*culprit` is a level that the machine does not have, or of which nothing would be left; `cpus` is untouched. More
/// units requested than there are: all of those are chosen, and `*unmet`, which begins empty, gets the first such level
/// and how many of it there are.
bool choose_subset(const Hardware& hardware, const HwSubset& subset, CpuMask* cpus, HwLevel* culprit,
                   HwSubset::Item* unmet = nullptr);

} // namespace chomp
