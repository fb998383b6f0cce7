// See task_reduction.h.
#include "runtime/reductions/task_reduction.h"

#include <new>
#include <string.h>

#include "runtime/base/lock.h"
#include "runtime/core/memory.h"
#include "runtime/core/team.h"
#include "runtime/tasks/task_graph.h"
#include "runtime/tasks/taskgroup.h"

namespace chomp {

/// The private copies of one item.
struct ItemCopies {
  char* memory;       // `stride` bytes for each member
  size_t stride;      // whole cache lines
  bool* ready;        // [members], each written by the member alone
  ReductionItem item; // without `shared` and `original`, which each group has itself
};

/// The private copies of all items, used by one group, or in a region by a group of each member.
struct ReductionCopies {
  int members, count;
  // Regions only; under region_lock.
  ReductionCopies* next_region = nullptr; // of the team
  uint32_t number = 0;                    // MemberWorksharing::reductions_seen
  int groups_ended = 0;
  ItemCopies items[];
};

/// What one group knows.
struct TaskReduction {
  struct Originals {
    void* shared;
    void* original;
  };
  ReductionCopies* copies;
  uint64_t number; // no other reduction of the process ever has it
  int count;
  bool is_region; // the groups of all members share the copies
  Originals originals[];
};

// Guards Team::region_reduction of all teams: the regions in progress. A region takes it twice per member; no user code
// runs under it.
static Lock region_lock;

// ---- Memory ---------------------------------------------------------------------------------------------------------

static size_t copies_bytes(int count) {
  return sizeof(ReductionCopies) + sizeof(ItemCopies) * static_cast<size_t>(count);
}
static size_t reduction_bytes(int count) {
  return sizeof(TaskReduction) + sizeof(TaskReduction::Originals) * static_cast<size_t>(count);
}

static ReductionCopies* copies_create(Worker* worker, size_t members, int count, const ReductionItem* items) {
  auto copies = new (object_allocate(worker, copies_bytes(count))) ReductionCopies;
  copies->members = static_cast<int>(members);
  copies->count = count;
  for (int i = 0; i < count; ++i) {
    size_t stride = (items[i].size + kCacheLine - 1) / kCacheLine * kCacheLine;
    if (stride == 0) stride = kCacheLine;
    auto memory = static_cast<char*>(object_allocate(worker, stride * members));
    auto ready = static_cast<bool*>(object_allocate(worker, members));
    memset(ready, 0, members);
    copies->items[i] = {memory, stride, ready, items[i]};
  }
  return copies;
}

static void copies_free(Worker* worker, ReductionCopies* copies) {
  size_t members = static_cast<size_t>(copies->members);
  for (int i = 0; i < copies->count; ++i) {
    object_free(worker, copies->items[i].memory, copies->items[i].stride * members);
    object_free(worker, copies->items[i].ready, members);
  }
  object_free(worker, copies, copies_bytes(copies->count));
}

static TaskReduction* reduction_create(Worker* worker, ReductionCopies* copies, bool is_region,
                                       const ReductionItem* items) {
  auto reduction = new (object_allocate(worker, reduction_bytes(copies->count))) TaskReduction;
  reduction->copies = copies;
  reduction->number = ++worker->reductions_begun * kMostWorkers + static_cast<uint64_t>(worker->gtid);
  reduction->count = copies->count;
  reduction->is_region = is_region;
  for (int i = 0; i < copies->count; ++i) reduction->originals[i] = {items[i].shared, items[i].original};
  return reduction;
}

// ---- Begin ----------------------------------------------------------------------------------------------------------

Taskgroup* task_reduction_begin(Worker* worker, int count, const ReductionItem* items) {
  Taskgroup* group = worker->current->taskgroup;
  CHECK(group != nullptr && group->reduction == nullptr);
  bool recorded = worker->current->is(kRecords);
  if (CHOMP_UNLIKELY(recorded)) graph_note_reduction(worker, count, items);
  int members = copies_for(worker->member);
  ++worker->reductions_begun; // also those without copies: their tasks are not offered to free agents
  if (members > 1)            // the tasks of a team of one use the original
    group->reduction =
        reduction_create(worker, copies_create(worker, static_cast<size_t>(members), count, items), false, items);
  // Recorded tasks keep the handle, but their replays are in other groups: null makes them look for the innermost one.
  return recorded ? nullptr : group;
}

/// The copies of the region that the team's members are encountering; made by the first of them.
static ReductionCopies* region_join(Worker* worker, int count, const ReductionItem* items) {
  Team* team = worker->member->team;
  uint32_t number = worker->member->worksharing.reductions_seen++;
  LockGuard guard(region_lock);
  for (ReductionCopies* region = team->region_reduction; region != nullptr; region = region->next_region)
    if (region->number == number) return region;
  ReductionCopies* region = copies_create(worker, static_cast<size_t>(team->size()), count, items);
  region->number = number;
  region->next_region = team->region_reduction;
  team->region_reduction = region;
  return region;
}

/// Called when a member's group has ended. True for the last member: the region is over, and the copies belong to the
/// caller.
static bool region_leave(Team* team, ReductionCopies* region) {
  LockGuard guard(region_lock);
  if (++region->groups_ended < region->members) return false;
  ReductionCopies** link = &team->region_reduction;
  while (*link != region) link = &(*link)->next_region;
  *link = region->next_region;
  return true;
}

Taskgroup* task_reduction_begin_region(Worker* worker, int count, const ReductionItem* items) {
  taskgroup_begin(worker);
  Taskgroup* group = worker->current->taskgroup;
  group->of_construct = true;
  ++worker->reductions_begun; // as above
  if (!worker->member->team->serial())
    group->reduction = reduction_create(worker, region_join(worker, count, items), true, items);
  return group;
}

// ---- Use ------------------------------------------------------------------------------------------------------------

static void* member_copy(const ItemCopies& copies, void* original, int member) {
  void* copy = copies.memory + copies.stride * static_cast<size_t>(member);
  if (copies.ready[member]) return copy;
  memset(copy, 0, copies.stride);
  if (copies.item.initialise != nullptr) {
    if (original != nullptr)
      reinterpret_cast<void (*)(void*, void*)>(copies.item.initialise)(copy, original);
    else
      reinterpret_cast<void (*)(void*)>(copies.item.initialise)(copy);
  }
  copies.ready[member] = true;
  return copy;
}

/// The item that `address` belongs to, or -1.
static int find_item(const TaskReduction* reduction, void* address) {
  const ReductionCopies* copies = reduction->copies;
  for (int i = 0; i < copies->count; ++i) {
    const ItemCopies& item = copies->items[i];
    uintptr_t offset = reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(item.memory);
    if (address == reduction->originals[i].shared || offset < item.stride * static_cast<size_t>(copies->members))
      return i;
  }
  return -1;
}

static CHOMP_SLOW void* find_copy_slow(const Member* member, const Taskgroup* group, void* address) {
  for (; group != nullptr; group = group->parent) {
    const TaskReduction* reduction = group->reduction;
    if (reduction == nullptr) continue;
    int i = find_item(reduction, address);
    if (i >= 0) return member_copy(reduction->copies->items[i], reduction->originals[i].original, copy_of(member));
  }
  fatal("in_reduction: no enclosing taskgroup, loop or parallel region reduces this item with tasks");
}

// While a group exists, the groups around it and their copies do not change, and its reduction's number is never given
// again. So an answer stays right as long as anybody asks.
void* task_reduction_copy(Worker* worker, Taskgroup* group, void* address) {
  if (group == nullptr) group = worker->current->taskgroup;
  const TaskReduction* reduction = group != nullptr ? group->reduction : nullptr;
  ReductionLookup& last = worker->reduction_lookup;
  if (CHOMP_LIKELY(reduction != nullptr && last.reduction == reduction->number && last.address == address))
    return last.copy;
  const Member* member = worker->member;
  if (member->team->serial()) return address;
  void* copy = find_copy_slow(member, group, address);
  if (reduction != nullptr) last = {reduction->number, address, copy};
  return copy;
}

// ---- End ------------------------------------------------------------------------------------------------------------

static void combine(const TaskReduction* reduction) {
  const ReductionCopies* copies = reduction->copies;
  for (int i = 0; i < copies->count; ++i) {
    const ItemCopies& item = copies->items[i];
    auto combine_item = reinterpret_cast<void (*)(void*, void*)>(item.item.combine);
    auto finalise = reinterpret_cast<void (*)(void*)>(item.item.finalise);
    for (int member = 0; member < copies->members; ++member) {
      if (!item.ready[member]) continue;
      void* copy = item.memory + item.stride * static_cast<size_t>(member);
      combine_item(reduction->originals[i].shared, copy);
      if (finalise != nullptr) finalise(copy);
    }
  }
}

void task_reduction_finish(Worker* worker, Taskgroup* group) {
  TaskReduction* reduction = group->reduction;
  if (reduction == nullptr) return;
  group->reduction = nullptr;
  ReductionCopies* copies = reduction->copies;
  if (!reduction->is_region || region_leave(worker->member->team, copies)) {
    combine(reduction);
    copies_free(worker, copies);
  }
  object_free(worker, reduction, reduction_bytes(reduction->count));
}

void task_reduction_drop(Worker* worker, TaskReduction* reduction) {
  if (!reduction->is_region) copies_free(worker, reduction->copies);
  object_free(worker, reduction, reduction_bytes(reduction->count));
}

void task_reduction_drop_regions(Worker* worker, Team* team) {
  while (ReductionCopies* region = team->region_reduction) {
    team->region_reduction = region->next_region;
    copies_free(worker, region);
  }
}

void task_reduction_reset_after_fork() { region_lock.reset_after_fork(); }

} // namespace chomp
