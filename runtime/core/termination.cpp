// See termination.h.
#include "runtime/core/termination.h"

#include "runtime/core/team.h"

namespace chomp {

bool team_tasks_finished(const Team* team) {
  if (!team->counts.has_exported()) return true;
  // acquire: pairs with the releases in complete_pending() and complete_outside(); a member that passes sees what
  // the tasks wrote.
  uint64_t completed = team->counts.completed_.load(std::memory_order_acquire);
  uint64_t exported = 0;
  for (int32_t tid = 0; tid < team->size(); ++tid)
    completed += team->members[tid].counts.completed_.load(std::memory_order_acquire); // acquire: pairs as above
  for (int32_t tid = 0; tid < team->size(); ++tid)
    exported +=
        team->members[tid].counts.exported_.load(std::memory_order_relaxed); // relaxed: read after every `completed`
  exported += team->counts.exported_.load(std::memory_order_relaxed);        // relaxed: as above
  return exported == completed;
}

} // namespace chomp
