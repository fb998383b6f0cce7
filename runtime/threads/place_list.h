// The place list in force, made once from the settings and the machine. Private to binding.cpp.
#pragma once

#include "runtime/config/affinity_settings.h"
#include "runtime/config/places.h"

namespace chomp {

struct MachinePlaces {
  PlaceList places;
  CpuMask initial = {};   // the process's own mask
  CpuMask available = {}; // what places are made of: the same, its share (rank_share.h), or the machine (norespect),
                          // cut to KMP_HW_SUBSET
  bool bind = false;      // threads are bound at all
  bool confine = false;   // KMP_HW_SUBSET alone: the subset is the one place, for all threads
  bool disabled = false;
  bool balanced = false;
  int offset = 0; // thread `number` is bound to place `number` + `offset`

  /// Never fails. If the settings cannot be followed, it warns once, and threads are not bound.
  void build(const AffinitySettings& settings);

  /// Makes the mask that the process began with the only place, and binds nothing.
  void unbind();

  /// The place of thread `tid` with KMP_AFFINITY=balanced.
  int16_t balanced_place(int threads, int tid) const;

private:
  int covered() const; // CPUs in all places
  bool add_places(const AffinitySettings& settings);
  void choose_available(const AffinitySettings& settings);
  HwLevel grain(const AffinitySettings& settings) const;

  Hardware hardware_;
  uint16_t* first_of_core_ = nullptr; // [cores + 1], indices into Hardware::threads
};

} // namespace chomp
