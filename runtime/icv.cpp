// Internal control variables: immutable blocks in the team's table, an index in each task's flags. See icv.h.
#include "runtime/icv.h"

#include <cstring>

#include "runtime/memory.h"
#include "runtime/team.h"
#include "runtime/worker.h"

namespace chomp {

const Icvs& icvs(const Worker* worker) {
  uint32_t index = (worker->current->flags & kIcvMask) >> kIcvShift;
  return *worker->member->team->icv_table[index];
}

void icv_change(Worker* worker, void (*edit)(Icvs&, const void* argument), const void* argument) {
  Team* team = worker->member->team;
  Task* task = worker->current;
  Icvs changed = icvs(worker);
  edit(changed, argument);
  LockGuard guard(team->icv_lock);
  uint32_t count = team->icv_count.load(std::memory_order_relaxed); // relaxed: the lock orders it
  uint32_t index = 0;
  while (index < count && !(*team->icv_table[index] == changed)) ++index;
  if (index == count && count == 256) index = 255; // more than 255 settings in one region: the last ones share a block
  if (index == count || index == 255) {
    if (team->icv_table[index] == nullptr) team->icv_table[index] = static_cast<Icvs*>(memory_permanent(sizeof(Icvs)));
    *team->icv_table[index] = changed;
    if (index == count) team->icv_count.store(count + 1, std::memory_order_relaxed); // relaxed: the lock orders it
  }
  task->flags = (task->flags & ~kIcvMask) | index << kIcvShift;
}

} // namespace chomp
