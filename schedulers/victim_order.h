// The order in which a domain looks at others: nearest first. Ties are in another order for each thief, so that thieves
// do not all go the same way.
#pragma once

#include <utility>
#include <algorithm>
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
  auto key = [&](int domain) { // equal distances keep the rotation
    return std::pair(domain_distance(shape, thief, domain), (domain - thief + shape.domain_count) % shape.domain_count);
  };
  std::sort(order, order + count, [&](int a, int b) { return key(a) < key(b); });
}

} // namespace chomp
