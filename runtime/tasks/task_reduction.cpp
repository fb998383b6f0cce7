// See task_reduction.h.
#include "runtime/tasks/task_reduction.h"

#include <new>
#include <string.h>

#include "runtime/base/lock.h"
#include "runtime/core/memory.h"
#include "runtime/core/team.h"
#include "runtime/tasks/task_graph.h"
#include "runtime/tasks/taskgroup.h"

namespace chomp {

/// What one group knows.
struct TaskReduction {
  uintptr_t blocks;    // member i's block begins at blocks + i * block_bytes
  size_t block_bytes;  // whole cache lines
  size_t blocks_bytes; // of all members
  const ReductionPlace* places;
  int count;
  bool compiled;  // by GCC: the places are its description's
  bool is_region; // the groups of all members share the copies
  ReductionCopies* copies;
  uint64_t number; // no other reduction of the process ever has it; 0: GCC's, where nobody keeps an answer

  char* block(int member) const { return reinterpret_cast<char*>(blocks + static_cast<size_t>(member) * block_bytes); }
  static size_t bytes(int count, bool compiled) {
    return sizeof(TaskReduction) + (compiled ? 0 : sizeof(ReductionPlace) * static_cast<size_t>(count));
  }
};

/// The private copies of all items, used by one group, or in a region by a group of each member. One piece of memory
/// holds this header, what LLVM's code has said of the items, which of the copies are ready, and the blocks.
struct ReductionCopies {
  TaskReduction first; // GCC's group, or parallel region, has no other; else each group has a copy with its own places
  size_t bytes;        // of all this
  int members;
  // Regions only; under region_lock.
  int groups_ended;
  uint32_t number;              // MemberWorksharing::reductions_seen
  ReductionCopies* next_region; // of the team
  ReductionItem items[];        // LLVM's

  /// [member]: whether its copy of LLVM's item is ready; each is written by that member alone.
  bool* ready(int item) { return reinterpret_cast<bool*>(items + first.count) + item * members; }
};

// Guards Team::region_reduction of all teams, the regions in progress, and what GCC's code is told of parallel regions.
// A region takes it twice per member; no user code runs under it.
static Lock region_lock;

// ---- Memory ---------------------------------------------------------------------------------------------------------

static size_t lines_of(const ReductionItem& item) {
  return item.size == 0 ? kCacheLine : (item.size + kCacheLine - 1) / kCacheLine * kCacheLine;
}

// In templates, kCompiled says whose code it is: GCC's, or LLVM's.
template <bool kCompiled>
static inline ReductionCopies* copies_create(Worker* worker, int members, const ReductionForm& form, bool is_region) {
  size_t block_bytes = 0, alignment = kCacheLine, count = 0;
  if (kCompiled) {
    block_bytes = form.compiled->block_bytes;
    if (form.compiled->blocks > alignment) alignment = form.compiled->blocks;
  } else {
    count = static_cast<size_t>(form.count);
    for (size_t i = 0; i < count; ++i) block_bytes += lines_of(form.items[i]);
  }
  size_t all = static_cast<size_t>(members), header = sizeof(ReductionCopies) + (sizeof(ReductionItem) + all) * count;
  size_t blocks_bytes = all * block_bytes, bytes = header + alignment - 1 + blocks_bytes;
  auto copies = new (object_allocate(worker, bytes)) ReductionCopies;
  TaskReduction& first = copies->first;
  first.blocks = (reinterpret_cast<uintptr_t>(copies) + header + alignment - 1) & ~(alignment - 1);
  first.block_bytes = block_bytes;
  first.blocks_bytes = blocks_bytes;
  first.places = kCompiled ? form.compiled->places : nullptr;
  first.count = form.count;
  first.compiled = kCompiled;
  first.is_region = is_region;
  first.copies = copies;
  first.number = 0;
  copies->bytes = bytes;
  copies->members = members;
  copies->groups_ended = 0;
  if (kCompiled) {
    memset(first.block(0), 0, blocks_bytes);
  } else {
    for (size_t i = 0; i < count; ++i) copies->items[i] = form.items[i];
    memset(copies->ready(0), 0, all * count);
  }
  return copies;
}

void task_reduction_free(Worker* worker, ReductionCopies* copies) { object_free(worker, copies, copies->bytes); }

/// Begins the group's reduction, with the copies.
template <bool kCompiled>
static inline void reduction_begin(Worker* worker, Taskgroup* group, ReductionCopies* copies,
                                   const ReductionForm& form) {
  if (kCompiled) {
    form.compiled->blocks = copies->first.blocks;
    form.compiled->copies = copies;
  }
  group->owns_reduction = !kCompiled || copies->first.is_region;
  group->reduction = &copies->first;
  if (!group->owns_reduction) return;
  auto reduction = static_cast<TaskReduction*>(object_allocate(worker, TaskReduction::bytes(form.count, kCompiled)));
  *reduction = copies->first;
  group->reduction = reduction;
  if (kCompiled) {
    reduction->places = form.compiled->places;
    return;
  }
  reduction->number = ++worker->tasks.reductions.begun * kMostWorkers + static_cast<uint64_t>(worker->gtid);
  auto places = reinterpret_cast<ReductionPlace*>(reduction + 1);
  reduction->places = places;
  size_t offset = 0;
  for (size_t i = 0; i < static_cast<size_t>(form.count); ++i) {
    places[i] = {form.items[i].shared, offset, form.items[i].original};
    offset += lines_of(form.items[i]);
  }
}

// ---- Begin ----------------------------------------------------------------------------------------------------------

static Taskgroup* begin_group_of_construct(Worker* worker) {
  taskgroup_begin(worker);
  Taskgroup* group = worker->current->taskgroup;
  group->of_construct = true;
  group->reduces = true;
  return group;
}

template <bool kCompiled>
static inline void begin_in_group(Worker* worker, Taskgroup* group, const ReductionForm& form) {
  int members = copies_for(worker->member);
  if (kCompiled || members > 1)
    reduction_begin<kCompiled>(worker, group, copies_create<kCompiled>(worker, members, form, false), form);
}

Taskgroup* task_reduction_begin(Worker* worker, const ReductionForm& form) {
  Taskgroup* group = worker->current->taskgroup;
  CHECK(group != nullptr && group->reduction == nullptr);
  group->reduces = true;
  bool recorded = worker->current->is(kRecords);
  if (form.compiled != nullptr) {
    if (CHOMP_UNLIKELY(recorded)) graph_give_up(worker); // the compiled code has to combine the copies
    begin_in_group<true>(worker, group, form);
    return group;
  }
  if (CHOMP_UNLIKELY(recorded)) graph_note_reduction(worker, form.count, form.items);
  begin_in_group<false>(worker, group, form);
  // Recorded tasks keep the handle, but their replays are in other groups: null makes them look for the innermost one.
  return recorded ? nullptr : group;
}

/// The copies of the region that the team's members are encountering; made by the first of them.
template <bool kCompiled> static ReductionCopies* region_join(Worker* worker, const ReductionForm& form) {
  Team* team = worker->member->team;
  uint32_t number = worker->member->worksharing.reductions_seen++;
  std::lock_guard guard(region_lock);
  for (ReductionCopies* region = team->region_reduction; region != nullptr; region = region->next_region)
    if (region->number == number) return region;
  ReductionCopies* region = copies_create<kCompiled>(worker, team->size(), form, true);
  region->number = number;
  region->next_region = team->region_reduction;
  team->region_reduction = region;
  return region;
}

/// Called when a member's group has ended. True for the last member: the region is over, and the copies belong to the
/// caller.
static bool region_leave(Team* team, ReductionCopies* region) {
  std::lock_guard guard(region_lock);
  if (++region->groups_ended < region->members) return false;
  ReductionCopies** link = &team->region_reduction;
  while (*link != region) link = &(*link)->next_region;
  *link = region->next_region;
  return true;
}

Taskgroup* task_reduction_begin_region(Worker* worker, const ReductionForm& form) {
  if (CHOMP_UNLIKELY(worker->current->is(kRecords))) graph_give_up(worker); // the group is the region's
  Taskgroup* group = begin_group_of_construct(worker);
  if (form.compiled != nullptr)
    reduction_begin<true>(worker, group, region_join<true>(worker, form), form);
  else if (!worker->member->team->serial())
    reduction_begin<false>(worker, group, region_join<false>(worker, form), form);
  return group;
}

void task_reduction_begin_parallel(Worker* worker, const ReductionForm& form) {
  Taskgroup* group = begin_group_of_construct(worker);
  std::lock_guard guard(region_lock);
  if (form.compiled->copies == CompiledReduction::not_begun()) {
    begin_in_group<true>(worker, group, form);
  } else {
    group->owns_reduction = false;
    group->reduction = &form.compiled->copies->first;
  }
}

// ---- Use ------------------------------------------------------------------------------------------------------------

/// Finds the offset in a block for `address`, one of an item or inside a copy. False if the reduction has no such item.
static inline bool find_offset(const TaskReduction* reduction, void* address, size_t* offset) {
  uintptr_t distance = reinterpret_cast<uintptr_t>(address) - reduction->blocks;
  if (distance < reduction->blocks_bytes) {
    *offset = distance % reduction->block_bytes;
    return true;
  }
  for (int i = 0; i < reduction->count; ++i) {
    const ReductionPlace& place = reduction->places[i];
    if (place.shared != address && (reduction->compiled || place.original != address)) continue;
    *offset = place.offset;
    return true;
  }
  return false;
}

static int item_at(const TaskReduction* reduction, size_t offset) {
  for (int i = 0; i < reduction->count; ++i)
    if (reduction->places[i].offset == offset) return i;
  fatal("in_reduction: this address is not the beginning of a reduced item");
}

/// The innermost reduction of the same compiler's code that has the item, or null.
static inline const TaskReduction* find_reduction(const Taskgroup* group, bool compiled, void* address,
                                                  size_t* offset) {
  for (; group != nullptr; group = group->parent) {
    const TaskReduction* reduction = group->reduction;
    if (reduction != nullptr && reduction->compiled == compiled && find_offset(reduction, address, offset))
      return reduction;
  }
  return nullptr;
}

/// Makes the member's copy of LLVM's item ready, if it is not.
static void make_ready(ReductionCopies* copies, int i, int member, char* copy) {
  bool& ready = copies->ready(i)[member];
  if (ready) return;
  const ReductionItem& item = copies->items[i];
  memset(copy, 0, item.size);
  if (item.initialise != nullptr) {
    if (item.original != nullptr)
      reinterpret_cast<void (*)(void*, void*)>(item.initialise)(copy, item.original);
    else
      reinterpret_cast<void (*)(void*)>(item.initialise)(copy);
  }
  ready = true;
}

[[noreturn]] static CHOMP_SLOW void complain_slow() {
  fatal("in_reduction: no enclosing taskgroup, loop or parallel region reduces this item with tasks");
}

// Items that are neighbours in memory are asked for in turn.
static inline ReductionLookup& answer_about(Worker* worker, const void* address) {
  return worker->tasks.reductions.lookups[reinterpret_cast<uintptr_t>(address) / sizeof(long) % kReductionLookups];
}

// While a group exists, the groups around it and their copies do not change, and its reduction's number is never given
// again. So an answer stays right as long as anybody asks.
static __attribute__((noinline)) void* find_copy(Worker* worker, const Taskgroup* group, void* address) {
  size_t offset;
  const TaskReduction* reduction = find_reduction(group, false, address, &offset);
  if (group == nullptr || reduction == nullptr) {
    if (!bound_team(worker->member)->serial()) complain_slow();
    return address; // this group and those around it began in a team of one
  }
  int member = copy_of(worker->member);
  char* copy = reduction->block(member) + offset;
  make_ready(reduction->copies, item_at(reduction, offset), member, copy);
  const TaskReduction* innermost = group->reduction;
  if (innermost != nullptr && innermost->number != 0)
    answer_about(worker, address) = {innermost->number, address, copy};
  return copy;
}

void* task_reduction_copy(Worker* worker, Taskgroup* group, void* address) {
  if (group == nullptr) group = worker->current->taskgroup;
  if (const TaskReduction* innermost = group != nullptr ? group->reduction : nullptr) {
    const ReductionLookup& last = answer_about(worker, address);
    if (CHOMP_LIKELY(last.address == address) && CHOMP_LIKELY(last.reduction == innermost->number)) return last.copy;
  } else if (worker->member->team->serial() && (group == nullptr || group->parent == nullptr)) {
    return address;
  }
  return find_copy(worker, group, address);
}

void task_reduction_translate(Worker* worker, size_t count, size_t originals_wanted, void** addresses) {
  const Taskgroup* group = worker->current->taskgroup;
  int member = copy_of(worker->member);
  for (size_t i = 0; i < count; ++i) {
    size_t offset;
    const TaskReduction* reduction = find_reduction(group, true, addresses[i], &offset);
    if (CHOMP_UNLIKELY(reduction == nullptr)) complain_slow();
    if (i < originals_wanted) addresses[count + i] = reduction->places[item_at(reduction, offset)].shared;
    addresses[i] = reduction->block(member) + offset;
  }
}

// ---- End ------------------------------------------------------------------------------------------------------------

static void combine(const TaskReduction* reduction) {
  ReductionCopies* copies = reduction->copies;
  for (int i = 0; i < reduction->count; ++i) {
    auto combine_item = reinterpret_cast<void (*)(void*, void*)>(copies->items[i].combine);
    auto finalise = reinterpret_cast<void (*)(void*)>(copies->items[i].finalise);
    for (int member = 0; member < copies->members; ++member) {
      if (!copies->ready(i)[member]) continue;
      char* copy = reduction->block(member) + reduction->places[i].offset;
      combine_item(reduction->places[i].shared, copy);
      if (finalise != nullptr) finalise(copy);
    }
  }
}

static void reduction_free(Worker* worker, TaskReduction* reduction) {
  object_free(worker, reduction, TaskReduction::bytes(reduction->count, reduction->compiled));
}

void task_reduction_finish(Worker* worker, Taskgroup* group) {
  TaskReduction* reduction = group->reduction;
  ReductionCopies* copies = reduction->copies;
  if (!reduction->is_region || region_leave(worker->member->team, copies)) {
    if (!reduction->compiled) combine(reduction);
    task_reduction_free(worker, copies);
  }
  reduction_free(worker, reduction);
}

void task_reduction_drop(Worker* worker, const Taskgroup* group) {
  if (!group->reduction->is_region) task_reduction_free(worker, group->reduction->copies);
  reduction_free(worker, group->reduction);
}

void task_reduction_drop_regions_slow(Team* team) {
  while (ReductionCopies* region = team->region_reduction) {
    team->region_reduction = region->next_region;
    task_reduction_free(this_worker(), region);
  }
}

void task_reduction_reset_after_fork() { region_lock.reset_after_fork(); }

} // namespace chomp
