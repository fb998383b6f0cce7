// See termination.h.
#include "runtime/core/termination.h"

#include <algorithm>

#include "runtime/core/team.h"

namespace chomp {

// Calls visit(counts) for the members of the domains that have counted something. A member that is late may still sum
// while the next region begins, so all that is read here is atomic, or never changes.
template <typename Visit> static void for_each_that_counts(const Team* team, Visit visit) {
  uint64_t domains = team->counts.domains();
  for (int domain = 0; domain < team->shape.domain_count; ++domain) {
    if ((domains & TeamCounts::bit_of(domain)) == 0) continue;
    const DomainLine& line = team->domain_lines[domain];
    int32_t last = std::min(line.last_member, team->size() - 1);
    for (int32_t tid = line.first_member; tid <= last; ++tid)
      if (team->shape.domain_of_member[tid] == domain) visit(team->members[tid].counts);
  }
}

bool team_tasks_finished(const Team* team) {
  if (!team->counts.has_exported()) return true;
  uint64_t completed = 0, exported = 0;
  // acquire, both: pairs with the releases in complete_pending() and complete_outside(); a member that passes sees what
  // the tasks wrote.
  for_each_that_counts(team, [&](const MemberCounts& counts) {
    completed += counts.completed_.load(std::memory_order_acquire); // acquire: pairs as above
  });
  completed += team->counts.completed_.load(std::memory_order_acquire); // acquire: pairs as above
  // Which domains these are is read again: a task that was completed meanwhile may have been exported elsewhere.
  for_each_that_counts(team, [&](const MemberCounts& counts) {
    exported += counts.exported_.load(std::memory_order_relaxed); // relaxed: read after every `completed`
  });
  exported += team->counts.exported_.load(std::memory_order_relaxed); // relaxed: as above
  return exported == completed;
}

} // namespace chomp
