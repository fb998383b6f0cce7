// The machine that is simulated: how many cores in how many domains, and what operations cost on it.
#pragma once

#include <string>
#include <vector>

#include "graph.h"
#include "runtime/config/policy.h"

namespace chomp::simulate {

/// Nanoseconds each. The values here are what `tools/simulate --calibrate` measured on a two-core virtual machine
/// (README.md), and for what such a machine cannot show, estimates; a profile replaces them.
struct Costs {
  double task_serial = 6.5;     // make, run and finish a task in a team of one
  double task = 9;              // the same through the private deque
  double depend = 40;           // more, for a task with dependences
  double group = 4;             // begin and end a taskgroup
  double publish = 40;          // one batch, by its owner
  double publish_task = 5;      // each task of it
  double acquire = 60;          // from a queue of one's own domain; the task was made on another core
  double steal = 200;           // from another domain's queue
  double steal_task = 5;        // each further task of the batch
  double probe = 20;            // look at another queue in vain
  double finish_elsewhere = 40; // notify a parent that another core runs
  double lock = 30;             // a queue is closed to others for so long at each operation
  double place = 60;            // into another member's queue at the creation
  double notice = 100;          // until an idle core of the domain sees what was published
  double notice_far = 300;      // of another domain
  double wake = 50000;          // until a parked thread runs again
  double wake_call = 2000;      // for the thread that wakes it
  double revoke = 4000;         // a revocation, for the thread that revokes
  double fork = 500;            // begin and end a region
  double barrier = 300;         // from the last arrival until all members go on
  // A task that runs elsewhere than where it was made finds its data in another cache.
  double moved = 100, moved_far = 300;                       // each such task, between cores, between domains
  double moved_per_us = 0, moved_far_per_us = 0;             // and for each microsecond that it computes
  double moved_most = 100000;                                // but no more than this
  double spin = static_cast<double>(policy::kDefaultSpinNs); // idle for so long, a thread parks

  /// Sets a cost by its name; throws Error if there is none of that name.
  void set(const std::string& name, double ns);
  static const std::vector<std::string>& names();
  double get(const std::string& name) const;
};

struct Machine {
  int domains = 1;
  int cores = 1; // in each domain
  Costs costs;
  uint64_t seed = 1;
  int size() const { return domains * cores; }
};

} // namespace chomp::simulate
