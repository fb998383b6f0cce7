// What the settings ask the rest of the library for, where they are compiled without it: a machine, the schedulers.
#pragma once

#include "runtime/machine/topology.h"

chomp::Topology chomp::topology = {.allowed_cpus = 6, .usable_cpus = chomp::UsableCpus(5)};

namespace chomp {
int UsableCpus::find() const { return 5; }
void rank_share_take() {}
const char* const* scheduler_names(int* count) {
  static const char* const names[] = {"hierarchical", "mts", "steal", "ws", "central", "cq"};
  *count = sizeof names / sizeof *names;
  return names;
}
} // namespace chomp
