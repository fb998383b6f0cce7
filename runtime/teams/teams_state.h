// What clauses say about the next region that a thread forks: compiled code hands them over before the region
// (__kmpc_push_num_threads and its siblings). The fork takes all of it, and leaves it empty.
#pragma once

#include <cstdint>

#include "runtime/config/config.h"

namespace chomp {

/// num_threads(strict: …) of OpenMP 6.0: what to say if there are fewer threads.
struct StrictRequest {
  static constexpr int kWarning = 1, kFatal = 2;
  int severity = 0; // 0: fewer threads are accepted
  const char* message = nullptr;
  const char* source = nullptr; // where the construct is (ident_t's string), or null
};

struct NextRegion {
  int num_threads = 0;  // 0: not set, as all of these
  int nested_count = 0; // of nested_threads
  StrictRequest strict;
  int proc_bind = -1; // a ProcBind; -1: not set
  int num_teams = 0;
  int teams_thread_limit = 0;
  int nested_threads[kMaxNestingInLists] = {}; // for the regions nested in it, level by level
};

/// What teams keep of a worker. Owner only.
struct TeamsState {
  NextRegion next_region;
  struct RegionSites* region_sites = nullptr;          // what has been learnt of regions' sizes (region_size.cpp)
  struct ThreadprivateCopies* threadprivate = nullptr; // threadprivate.cpp
};

} // namespace chomp
