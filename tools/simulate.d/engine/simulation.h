// Replays a graph on a machine under the policy of a scheduler: a discrete-event simulation whose workers are the
// cores.
#pragma once

#include <memory>

#include "machine.h"
#include "policies.h"

namespace chomp::simulate {

/// The same counters as CHOMP_STATS, where they mean something here.
struct Counters {
  uint64_t created = 0, run = 0, run_inline = 0;
  uint64_t published = 0;
  uint64_t acquired_local = 0;    // from a queue of the own domain (of the own member, where each has one)
  uint64_t stolen_operations = 0; // from another one
  uint64_t stolen_tasks = 0;
  uint64_t stolen_far = 0; // of the operations, from another domain
  uint64_t failed_steals = 0;
  uint64_t revocations = 0, revoked_tasks = 0;
  uint64_t run_on_other_domain = 0;
  uint64_t parks = 0, wakes = 0;
  uint32_t deepest_nesting = 0;
};

struct Result {
  Time time = 0;     // of all regions
  Time computed = 0; // the tasks' own time
  Time moved = 0;    // what moving tasks cost them
  Time overhead = 0; // the scheduler's operations
  Time idle = 0;     // all cores together
  Counters counters;
};

/// Throws Error if the program cannot end under this policy (which would be a bug of one of the two).
Result simulate(const Graph& graph, const Machine& machine, const Policy& policy);

} // namespace chomp::simulate
