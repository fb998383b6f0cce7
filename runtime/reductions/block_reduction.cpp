// See block_reduction.h.
#include "runtime/reductions/block_reduction.h"

#include <new>
#include <string.h>

#include "runtime/base/lock.h"
#include "runtime/base/log.h"
#include "runtime/core/memory.h"
#include "runtime/core/team.h"
#include "runtime/tasks/taskgroup.h"

namespace chomp {

/// The blocks of a worksharing region that a team's members are encountering. Such regions nest, and a member may be in
/// the next one while others are on their way out of the last.
struct RegionBlocks {
  RegionBlocks* next; // of the team
  uint32_t number;    // MemberWorksharing::reductions_seen
  int32_t members_left = 0;
  uintptr_t blocks;
  void* allocated;
  size_t allocated_bytes;
};

// Guards Team::region_blocks of all teams and the descriptions of parallel regions, which members share. Taken twice
// per member and region; no user code runs under it.
static Lock blocks_lock;

static void allocate_blocks(Worker* worker, BlockReduction* reduction) {
  size_t alignment = reduction->blocks > kCacheLine ? reduction->blocks : kCacheLine;
  size_t members = static_cast<size_t>(copies_for(worker->member));
  size_t bytes = members * reduction->block_bytes;
  reduction->allocated_bytes = bytes + (alignment - kCacheLine); // objects are aligned to a cache line
  reduction->allocated = object_allocate(worker, reduction->allocated_bytes);
  reduction->blocks = (reinterpret_cast<uintptr_t>(reduction->allocated) + alignment - 1) & ~(alignment - 1);
  reduction->members = static_cast<int64_t>(members);
  memset(reinterpret_cast<void*>(reduction->blocks), 0, bytes);
}

static void begin_group(Worker* worker, BlockReduction* reduction) {
  taskgroup_begin(worker);
  worker->current->taskgroup->blocks = reduction;
}

void block_reduction_begin(Worker* worker, BlockReduction* reduction) {
  Taskgroup* group = worker->current->taskgroup;
  CHECK(group != nullptr && group->blocks == nullptr);
  allocate_blocks(worker, reduction);
  group->blocks = reduction;
}

void block_reduction_end(Worker* worker, BlockReduction* reduction) {
  object_free(worker, reduction->allocated, reduction->allocated_bytes);
}

void block_reduction_enter_parallel(Worker* worker, BlockReduction* reduction) {
  {
    LockGuard guard(blocks_lock);
    if (reduction->members == BlockReduction::kNotBegun) allocate_blocks(worker, reduction);
  }
  begin_group(worker, reduction);
  worker->current->taskgroup->of_construct = true;
}

void block_reduction_enter_worksharing(Worker* worker, BlockReduction* reduction) {
  Team* team = worker->member->team;
  uint32_t number = worker->member->worksharing.reductions_seen++;
  {
    LockGuard guard(blocks_lock);
    RegionBlocks* region = team->region_blocks;
    while (region != nullptr && region->number != number) region = region->next;
    if (region == nullptr) {
      allocate_blocks(worker, reduction);
      region = new (object_allocate(worker, sizeof(RegionBlocks)))
          RegionBlocks{.next = team->region_blocks,
                       .number = number,
                       .blocks = reduction->blocks,
                       .allocated = reduction->allocated,
                       .allocated_bytes = reduction->allocated_bytes};
      team->region_blocks = region;
    }
    reduction->blocks = region->blocks;
    reduction->members = team->size();
    reduction->allocated = region; // the region owns the memory
  }
  begin_group(worker, reduction);
  worker->current->taskgroup->of_construct = true;
}

static void free_region(Worker* worker, RegionBlocks* region) {
  object_free(worker, region->allocated, region->allocated_bytes);
  object_free(worker, region, sizeof(RegionBlocks));
}

void block_reduction_leave_worksharing(Worker* worker) {
  const Taskgroup* group = worker->current->taskgroup;
  if (group == nullptr || group->blocks == nullptr) return; // the construct has been left by cancellation
  auto region = static_cast<RegionBlocks*>(group->blocks->allocated);
  taskgroup_end(worker);
  Team* team = worker->member->team;
  LockGuard guard(blocks_lock);
  if (++region->members_left < team->size()) return;
  RegionBlocks** link = &team->region_blocks;
  while (*link != region) link = &(*link)->next;
  *link = region->next;
  free_region(worker, region);
}

void block_reduction_drop_regions(Worker* worker, Team* team) {
  while (RegionBlocks* region = team->region_blocks) {
    team->region_blocks = region->next;
    free_region(worker, region);
  }
}

/// Finds the offset in a block for `address`, an item's original or an address inside a copy. False if the reduction
/// has no such item.
static bool find_offset(const BlockReduction* reduction, void* address, size_t* offset) {
  auto place = reinterpret_cast<uintptr_t>(address);
  if (place >= reduction->blocks && place < reduction->end()) {
    *offset = (place - reduction->blocks) % reduction->block_bytes;
    return true;
  }
  for (uint64_t i = 0; i < reduction->count; ++i)
    if (reduction->items[i].original == address) {
      *offset = reduction->items[i].offset;
      return true;
    }
  return false;
}

static void* original_at(const BlockReduction* reduction, size_t offset) {
  for (uint64_t i = 0; i < reduction->count; ++i)
    if (reduction->items[i].offset == offset) return reduction->items[i].original;
  fatal("in_reduction: this address is not the beginning of a reduced item");
}

static const BlockReduction* find_reduction(Worker* worker, void* address, size_t* offset) {
  for (const Taskgroup* group = worker->current->taskgroup; group != nullptr; group = group->parent)
    if (group->blocks != nullptr && find_offset(group->blocks, address, offset)) return group->blocks;
  fatal("in_reduction: no enclosing taskgroup, loop or parallel region reduces this item with tasks");
}

void block_reduction_translate(Worker* worker, size_t count, size_t originals_wanted, void** addresses) {
  auto tid = static_cast<size_t>(copy_of(worker->member));
  for (size_t i = 0; i < count; ++i) {
    size_t offset;
    const BlockReduction* reduction = find_reduction(worker, addresses[i], &offset);
    if (i < originals_wanted) addresses[count + i] = original_at(reduction, offset);
    addresses[i] = reinterpret_cast<void*>(reduction->blocks + tid * reduction->block_bytes + offset);
  }
}

void block_reduction_reset_after_fork() { blocks_lock.reset_after_fork(); }

} // namespace chomp
