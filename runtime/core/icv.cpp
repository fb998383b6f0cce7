// Internal control variables: immutable blocks in the team's table, an index in each task's flags. See icv.h.
#include "runtime/core/icv.h"

#include <new>
#include <string.h>

#include "runtime/core/memory.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/machine/topology.h"

namespace chomp {

Icvs icvs_of_settings() {
  Icvs first;
  first.follows_cpus = config.num_threads_count == 0;
  first.num_threads = first.follows_cpus ? topology.usable_cpus : config.num_threads[0];
  if (config.num_threads_count > 0) {
    first.nested_threads = config.num_threads + 1;
    first.nested_count = config.num_threads_count - 1;
  }
  first.max_active_levels = config.max_active_levels;
  first.thread_limit = config.thread_limit;
  first.default_device = config.needs_device ? kFirstDevice : config.default_device;
  first.dynamic = config.dynamic;
  first.proc_bind = config.proc_bind_count > 0 ? config.proc_bind[0] : ProcBind::kFalse;
  first.schedule = config.schedule;
  first.default_allocator = config.allocator;
  return first;
}

void settings_change(Worker* worker, std::string_view text) {
  struct Change {
    Icvs before, after;
    GivenDefaults given;
  } change;
  change.before = icvs_of_settings();
  change.given = config_set_defaults(text);
  change.after = icvs_of_settings();
  if (change.before == change.after && !change.given.num_threads && !change.given.dynamic) return;
  auto take_changes = [](Icvs& own, const void* argument) {
    const Change& change = *static_cast<const Change*>(argument);
    auto take = [&](auto Icvs::* field, bool given = false) {
      if (given || change.before.*field != change.after.*field) own.*field = change.after.*field;
    };
    take(&Icvs::num_threads, change.given.num_threads);
    take(&Icvs::follows_cpus, change.given.num_threads);
    take(&Icvs::nested_threads, change.given.num_threads);
    take(&Icvs::nested_count, change.given.num_threads);
    take(&Icvs::max_active_levels);
    take(&Icvs::thread_limit);
    take(&Icvs::default_device);
    take(&Icvs::dynamic, change.given.dynamic);
    take(&Icvs::proc_bind);
    take(&Icvs::schedule);
    take(&Icvs::default_allocator);
  };
  icv_change(worker, take_changes, &change);
}

// The block of a task that has one of its own. Such a task never changes worker (may_move()), so the list is its
// worker's.
struct OwnIcvs {
  const Task* task;
  OwnIcvs* below;
  Icvs icvs;
};

static OwnIcvs** own_icvs_of(Worker* worker, const Task* task) {
  OwnIcvs** link = &worker->tasks.own_icvs;
  while (*link != nullptr && (*link)->task != task) link = &(*link)->below;
  return link;
}

const Icvs& icvs(const Worker* worker) {
  const Task* task = worker->current;
  for (; CHOMP_UNLIKELY(task->is(kOwnIcvs)); task = task->parent.load(std::memory_order_relaxed)) // relaxed: it waits
    for (const OwnIcvs* own = worker->tasks.own_icvs; own != nullptr; own = own->below)
      if (own->task == task) return own->icvs;
  uint32_t index = (task->flags & kIcvMask) >> kIcvShift;
  const TeamIcvs& icvs = bound_team(worker->member)->icvs;
  if (CHOMP_LIKELY(index == 0)) return icvs.first;
  // relaxed: the task's flags have the index because this thread, or the one that made the task, has stored the block.
  return *icvs.changed.load(std::memory_order_relaxed)->table[index].load(std::memory_order_relaxed);
}

// Of what programs change; equal blocks have the same.
static uint32_t hash_of(const Icvs& icvs) {
  auto word = [](int high, int low) {
    return uint64_t{static_cast<uint32_t>(high)} << 32 | static_cast<uint32_t>(low);
  };
  auto mixed = [](uint64_t hash) {
    hash *= 0x9e3779b97f4a7c15;
    return hash ^ hash >> 32;
  };
  uint64_t hash = mixed(word(icvs.num_threads, icvs.schedule.chunk));
  hash = mixed(hash ^ word(icvs.max_active_levels, icvs.default_device));
  hash = mixed(hash ^ (icvs.default_allocator << 8 | icvs.schedule.kind << 1 | (icvs.dynamic ? 1 : 0)));
  return static_cast<uint32_t>(hash);
}

// The slot of an equal block, or the empty one where it belongs. At least half are empty.
static uint8_t& slot_of(ChangedIcvs* changed, const Icvs& wanted) {
  for (uint32_t at = hash_of(wanted);; ++at) {
    uint8_t& index = changed->slots[at % sizeof changed->slots];
    // relaxed: the lock orders it.
    if (index == 0 || *changed->table[index].load(std::memory_order_relaxed) == wanted) return index;
  }
}

// Whether no other task has an index of the table: this is the implicit task of a team of one, without children.
static bool has_table_alone(const Task* task) {
  // relaxed: no child can come meanwhile.
  return task->is(kImplicit) && task->parent.load(std::memory_order_relaxed) == nullptr &&
         task->unshared_children() + Task::count_in(task->shared_children.load(std::memory_order_relaxed)) == 0;
}

// The index of an equal block in the team's table, added if there is none; kMostIcvBlocks if there is no room. So that
// the program's initial task never runs out of room, its table begins anew when it is full.
static uint32_t index_in_table(TeamIcvs& icvs, const Icvs& wanted, const Task* task) {
  std::lock_guard guard(icvs.lock);
  uint32_t count = icvs.count.load(std::memory_order_relaxed); // relaxed, all: the lock orders them
  if (count == kMostIcvBlocks && has_table_alone(task)) count = 1;
  if (icvs.first == wanted) return 0;
  ChangedIcvs* changed = icvs.changed.load(std::memory_order_relaxed);
  if (changed == nullptr) {
    changed = new (memory_permanent(sizeof(ChangedIcvs))) ChangedIcvs;
    icvs.changed.store(changed, std::memory_order_relaxed);
  }
  if (count == 1) memset(changed->slots, 0, sizeof changed->slots);
  uint8_t& slot = slot_of(changed, wanted);
  if (slot != 0) return slot;
  if (count == kMostIcvBlocks) return count;
  Icvs* block = changed->table[count].load(std::memory_order_relaxed);
  if (block == nullptr) block = static_cast<Icvs*>(memory_permanent(sizeof(Icvs)));
  *block = wanted;
  changed->table[count].store(block, std::memory_order_relaxed);
  icvs.count.store(count + 1, std::memory_order_relaxed);
  slot = static_cast<uint8_t>(count);
  return count;
}

void icv_change(Worker* worker, void (*edit)(Icvs&, const void* argument), const void* argument) {
  Task* task = worker->current;
  Icvs changed = icvs(worker);
  edit(changed, argument);
  uint32_t index = index_in_table(bound_team(worker->member)->icvs, changed, task);
  if (index < kMostIcvBlocks) {
    icvs_release(worker, task);
    task->flags = (task->flags & ~kIcvMask) | index << kIcvShift;
    return;
  }
  OwnIcvs** own = own_icvs_of(worker, task);
  if (*own == nullptr)
    worker->tasks.own_icvs =
        new (object_allocate(worker, sizeof(OwnIcvs))) OwnIcvs{task, worker->tasks.own_icvs, changed};
  else
    (*own)->icvs = changed;
  task->flags |= kOwnIcvs;
}

void icv_set_num_threads(Worker* worker, int count) {
  auto take = [](Icvs& own, const void* argument) {
    own.num_threads = *static_cast<const int*>(argument);
    own.follows_cpus = false;
  };
  icv_change(worker, take, &count);
}

void icvs_release(Worker* worker, Task* task) {
  if (!task->is(kOwnIcvs)) return;
  OwnIcvs** link = own_icvs_of(worker, task);
  OwnIcvs* own = *link;
  task->flags &= ~kOwnIcvs;
  if (own == nullptr) return; // the block is its parent's
  *link = own->below;
  object_free(worker, own, sizeof(OwnIcvs));
}

} // namespace chomp
