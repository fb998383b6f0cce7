// The order in which a domain looks at others: nearest first. Ties are in another order for each thief, so that thieves
// do not all go the same way.
#pragma once

#include <cstdint>

#include "runtime/machine/topology.h"
#include "schedulers/scheduler.h"

namespace chomp {

inline int domain_distance(const TeamShape& shape, int from, int to) {
  if (shape.physical_domain == nullptr) return 1;
  return topology_distance(shape.physical_domain[from], shape.physical_domain[to]);
}

/// Fills order[0 … domain_count - 2] with the other domains.
inline void victim_order(const TeamShape& shape, int thief, uint16_t* order) {
  int count = 0;
  for (int step = 1; step < shape.domain_count; ++step)
    order[count++] = static_cast<uint16_t>((thief + step) % shape.domain_count);
  for (int i = 1; i < count; ++i) { // insertion sort: stable, so equal distances keep the rotation
    uint16_t victim = order[i];
    int distance = domain_distance(shape, thief, victim);
    int at = i;
    for (; at > 0 && domain_distance(shape, thief, order[at - 1]) > distance; --at) order[at] = order[at - 1];
    order[at] = victim;
  }
}

} // namespace chomp
