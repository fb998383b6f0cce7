// Internal control variables: immutable blocks in the team's table, an index in each task's flags. See icv.h.
#include "runtime/icv.h"

#include "runtime/memory.h"
#include "runtime/team.h"
#include "runtime/worker.h"

namespace chomp {

const Icvs& icvs(const Worker* worker) {
  uint32_t index = (worker->current->flags & kIcvMask) >> kIcvShift;
  // acquire: pairs with release in icv_change(), for the last block, which a later change replaces.
  return *worker->member->team->icv_table[index].load(std::memory_order_acquire);
}

void icv_change(Worker* worker, void (*edit)(Icvs&, const void* argument), const void* argument) {
  Team* team = worker->member->team;
  Task* task = worker->current;
  Icvs changed = icvs(worker);
  edit(changed, argument);
  LockGuard guard(team->icv_lock);
  uint32_t count = team->icv_count.load(std::memory_order_relaxed); // relaxed: the lock orders it
  uint32_t index = 0;
  auto block_at = [team](uint32_t at) {
    return team->icv_table[at].load(std::memory_order_relaxed); // relaxed: the lock orders it
  };
  while (index < count && !(*block_at(index) == changed)) ++index;
  // More settings in one region than places: the last ones share a place. Others may be reading its block, so that a
  // team of several threads gets a new one each time.
  bool shared = index == kMostIcvBlocks;
  if (shared) index = kMostIcvBlocks - 1;
  if (shared || index == count) {
    Icvs* block = block_at(index);
    if (block == nullptr || (shared && !team->serial())) block = static_cast<Icvs*>(memory_permanent(sizeof(Icvs)));
    *block = changed;
    team->icv_table[index].store(block, std::memory_order_release); // release: pairs with acquire in icvs()
    if (index == count) team->icv_count.store(count + 1, std::memory_order_relaxed); // relaxed: the lock orders it
  }
  task->flags = (task->flags & ~kIcvMask) | index << kIcvShift;
}

} // namespace chomp
