// What analysis.cpp knows of the run at the moment up to which it has read the streams: tasks, regions, workers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tools/shipped/analyse/analysis.h"
#include "tools/shipped/recording/recording.h"

namespace chomp::analyse::state {

using recording::Event;
using recording::Stream;

/// The longest chain of work up to somewhere.
struct Path {
  double ns = 0;
  double outside_tasks = 0; // of this, in implicit tasks
  double largest = 0;       // of this, the longest single task
  uint64_t largest_site = 0;
  double waited = 0; // of this, what taskwaits and taskgroups waited for
  uint64_t wait_site = 0;

  /// The task waits for others, whose longest path is `other`.
  void join(const Path& other, uint64_t site) {
    if (!(*this < other)) return;
    double sum = waited + other.ns - ns;
    *this = other;
    waited = sum;
    wait_site = site;
  }

  void take(const Path& other) {
    if (*this < other) *this = other;
  }
  bool operator<(const Path& other) const { return ns < other.ns; }
};

struct Group {
  Path longest; // path at the end of any of its tasks
  std::shared_ptr<Group> outer;
};

struct Region {
  uint64_t site = 0, size = 0, began = 0, encountering = 0;
  Path start, longest;
  double work_ns = 0;
  double inner_ns = 0;                // of regions inside it, whose span is part of its own
  std::map<uint64_t, uint64_t> makes; // tasks by site
  uint64_t tasks = 0, undeferred = 0, held = 0, deepest = 0, active = 0;
  double idle_ns = 0;
  bool ended = false;
  struct Execution {
    uint64_t kind = 0, iterations = 0;
    double sum = 0, longest = 0;
    struct End {
      double at;           // since the region began, as all: ns
      double wall, delays; // in the loop
    };
    std::vector<End> ends; // of members
  };
  struct Phase {
    uint64_t site = 0, came = 0, left = 0; // members
    double sum = 0, longest = 0, work = 0, waited = 0;
  };
  std::deque<Phase> phases;                                 // that have not ended for all members
  size_t first_phase = 0;                                   // the number of phases[0]
  std::map<std::pair<uint64_t, uint64_t>, Execution> loops; // by site and number
};

/// What dependences are between: the tasks that one task makes.
struct Siblings {
  struct Address {
    std::vector<uint64_t> writers, readers;
  };
  std::unordered_map<uint64_t, Address> addresses;
};

struct Task {
  uint64_t site = 0, parent = 0;
  Path path;     // where it begins, or is
  Path children; // the longest path at the end of a child
  double own_ns = 0;
  bool made = false, ready = false, held = false, untied = false;
  bool undeferred = false, detached = false;
  uint32_t waits_for = 0; // tasks that it depends on and that have not ended
  std::vector<uint64_t> successors;
  std::shared_ptr<Region> region;
  std::shared_ptr<Group> group;
  std::unique_ptr<Siblings> siblings;
};

struct Frame {
  uint64_t id = 0;
  bool implicit = false, initial = false;
  std::shared_ptr<Region> region; // of an implicit task
  struct Wait {
    RecordWait what;
    uint64_t site, began;
    double delays; // Situation::delays then
  };
  std::vector<Wait> waits;
  struct Work {
    uint64_t kind, site, iterations, began;
    double delays, lock_waits; // of the worker until then
  };
  size_t phase = 0;                // of its region
  double work = 0, loose_work = 0; // since the last barrier: of any kind, and outside of constructs
  std::set<uint64_t> wait_sites;   // at which it has waited
  std::vector<Work> works;
  std::map<uint64_t, uint64_t> executions; // of each loop of the region, by site
};

/// How long what was the case, until a moment; an idle thread compares two readings.
struct Situation {
  double ready = 0; // tasks waited to be run
  double tasks = 0; // none did, but there were unfinished ones
  double none = 0;
  double detached = 0; // of the time without ready tasks: none ran, and the event of one was not fulfilled
  double delays = 0;   // of all threads that were not idle: they were ready to run, but had no CPU
};

struct Worker {
  Stream stream;
  Event event;
  bool more = false;
  uint64_t last = 0;
  double debt = 0;
  double delayed = 0;    // of the time before the next event
  double delays = 0;     // of all its time
  double lock_waits = 0; // of all its time
  bool idle = false, wants_lock = false;
  uint64_t lock_site = 0, lock = 0, wanted_at = 0;
  std::map<uint64_t, std::pair<uint64_t, uint64_t>> locks; // that it has: site, since when
  Situation idle_since;
  uint64_t idle_began = 0;
  double idle_delays = 0; // since then: of this thread, and of those that it may have waited for
  std::vector<Frame> frames;
  std::vector<std::pair<RecordAccess, uint64_t>> accesses; // of the task that is made next
  explicit Worker(Stream from) : stream(std::move(from)) {}
};

/// How much of a stretch's delay may lie in its last part. Threads that share a CPU take turns of some milliseconds,
/// so of a long stretch each part has its share.
inline double delay_within(double part, double delay, double stretch) {
  constexpr double kTurns = 20e6; // ns
  if (part >= stretch) return std::min(part, delay);
  return std::min(part, std::max(delay * part / stretch, std::min(delay, kTurns)));
}

/// A region has ended: what its loops and the parts between its barriers say, for the report.
void add_loop(Analysis& analysis, const Region& region, uint64_t site, const Region::Execution& execution);
void add_phase(Analysis& analysis, const Region& region, const Region::Phase& phase);

} // namespace chomp::analyse::state
