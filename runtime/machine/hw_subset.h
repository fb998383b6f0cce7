// KMP_HW_SUBSET: which part of the machine to use. "2s,4c@1,2t" means two sockets, four cores of each socket, beginning
// with the second core, and two hardware threads of each core.
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
Parse parse_hw_subset_text(std::string_view text, HwSubset* subset);

/// Sets `cpus` to the CPUs that the subset chooses. A number or an offset counts units inside one unit of the next item
/// outside. Only units that have CPUs in the table count, so an affinity mask is taken into account. On false
/// `*culprit` is a level that the machine does not have or of which nothing would be left, and `cpus` is untouched. If
/// more units are requested than exist, all of them are chosen. Then `*unmet`, which begins empty, gets the first such
/// level and how many units it has.
bool choose_subset(const Hardware& hardware, const HwSubset& subset, CpuMask* cpus, HwLevel* culprit,
                   HwSubset::Item* unmet = nullptr);

} // namespace chomp
