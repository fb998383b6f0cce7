// Internal control variables: immutable blocks in the team's table, an index in each task's flags. See icv.h.
#include "runtime/core/icv.h"

#include "runtime/core/memory.h"
#include "runtime/core/team.h"
#include "runtime/machine/topology.h"
#include "runtime/core/worker.h"

namespace chomp {

Icvs icvs_of_settings() {
  Icvs first;
  first.num_threads = topology.usable_cpus;
  if (config.num_threads_count > 0) {
    first.num_threads = config.num_threads[0];
    first.nested_threads = config.num_threads + 1;
    first.nested_count = config.num_threads_count - 1;
  }
  first.max_active_levels = config.max_active_levels;
  first.thread_limit = config.thread_limit;
  first.default_device = config.default_device;
  first.dynamic = config.dynamic;
  first.proc_bind = config.proc_bind_count > 0 ? config.proc_bind[0] : ProcBind::kFalse;
  first.schedule = config.schedule;
  first.default_allocator = config.allocator;
  return first;
}

void settings_change(Worker* worker, const char* text) {
  struct Change {
    Icvs before, after;
  } change;
  change.before = icvs_of_settings();
  config_set_defaults(text);
  change.after = icvs_of_settings();
  if (change.before == change.after) return;
  auto take_changes = [](Icvs& own, const void* argument) {
    const Change& change = *static_cast<const Change*>(argument);
    auto take = [&](auto Icvs::* field) {
      if (change.before.*field != change.after.*field) own.*field = change.after.*field;
    };
    take(&Icvs::num_threads);
    take(&Icvs::nested_threads);
    take(&Icvs::nested_count);
    take(&Icvs::max_active_levels);
    take(&Icvs::thread_limit);
    take(&Icvs::default_device);
    take(&Icvs::dynamic);
    take(&Icvs::proc_bind);
    take(&Icvs::schedule);
    take(&Icvs::default_allocator);
  };
  icv_change(worker, take_changes, &change);
}

const Icvs& icvs(const Worker* worker) {
  uint32_t index = (worker->current->flags & kIcvMask) >> kIcvShift;
  // acquire: pairs with release in icv_change(), for the last block, which a later change replaces.
  return *worker->member->team->icvs.table[index].load(std::memory_order_acquire);
}

void icv_change(Worker* worker, void (*edit)(Icvs&, const void* argument), const void* argument) {
  Team* team = worker->member->team;
  Task* task = worker->current;
  Icvs changed = icvs(worker);
  edit(changed, argument);
  LockGuard guard(team->icvs.lock);
  uint32_t count = team->icvs.count.load(std::memory_order_relaxed); // relaxed: the lock orders it
  uint32_t index = 0;
  auto block_at = [team](uint32_t at) {
    return team->icvs.table[at].load(std::memory_order_relaxed); // relaxed: the lock orders it
  };
  while (index < count && !(*block_at(index) == changed)) ++index;
  // If a region changes its settings more often than the table has entries, the last changes share an entry. Other
  // threads may be reading the block there, so a team of several threads gets a new block each time.
  bool shared = index == kMostIcvBlocks;
  if (shared) index = kMostIcvBlocks - 1;
  if (shared || index == count) {
    Icvs* block = block_at(index);
    if (block == nullptr || (shared && !team->serial())) block = static_cast<Icvs*>(memory_permanent(sizeof(Icvs)));
    *block = changed;
    team->icvs.table[index].store(block, std::memory_order_release); // release: pairs with acquire in icvs()
    if (index == count) team->icvs.count.store(count + 1, std::memory_order_relaxed); // relaxed: the lock orders it
  }
  task->flags = (task->flags & ~kIcvMask) | index << kIcvShift;
}

} // namespace chomp
