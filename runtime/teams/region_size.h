// The size of a region where the program lets the runtime choose (dyn-var; OpenMP 5.2, 10.1.1): as many threads as the
// regions of its call site are worth (learned_size.h), out of what other callers leave (threads/thread_budget.h). Where
// dyn-var is false nothing here is read or written.
#pragma once

#include "runtime/core/team.h"

namespace chomp {

/// Threads for a region of up to `wanted`, at least one. `site` is code of that region alone. `*is_adjusted`: when the
/// region has its team, region_size_keep() must be called.
int region_size_choose(Worker* worker, const void* site, int wanted, bool* is_adjusted);

/// `team` executes that region, with `size` threads.
void region_size_keep(Worker* worker, Team* team, int size);

/// The region has ended, and Team::is_adjusted is true.
void region_size_end(Team* team);

} // namespace chomp
