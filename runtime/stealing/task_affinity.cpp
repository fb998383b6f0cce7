// See task_affinity.h.
#include "runtime/stealing/task_affinity.h"

#include <new>

#include "runtime/core/memory.h"
#include "runtime/core/team.h"

namespace chomp {

// The team's map: the first member that needs it makes it, and it stays as long as the team.
static AffinityMap* map_of(Team* team) {
  // acquire: pairs with release below; the map is empty.
  AffinityMap* map = team->affinity_map.load(std::memory_order_acquire);
  if (CHOMP_LIKELY(map != nullptr)) return map;
  auto made = new (memory_permanent(sizeof(AffinityMap))) AffinityMap;
  // acq_rel: release pairs with acquire above; acquire with the release of a member that came first (then our map is
  // lost, once).
  return team->affinity_map.compare_exchange_strong(map, made, std::memory_order_acq_rel) ? made : map;
}

void task_note_affinity(Worker* worker, Task* task, int32_t count, const AffinityItem* items) {
  if (worker->member->team->shape.domain_count <= 1 || count <= 0) return;
  const AffinityItem* largest = items;
  for (int32_t i = 1; i < count; ++i)
    if (items[i].bytes > largest->bytes) largest = &items[i];
  if (largest->address == 0) return;
  task_extra(task)->affinity = AffinityMap::key_of(largest->address);
  task->flags |= kHasAffinity;
}

void task_take_affinity(Task* task, const Task* pattern) {
  if (pattern->extra->affinity == 0) return;
  task_extra(task)->affinity = pattern->extra->affinity;
  task->flags |= kHasAffinity;
}

Member* affinity_target(Member* member, const Task* task) {
  if (task->extra->affinity == 0) return nullptr; // the task is transparent
  Team* team = member->team;
  int32_t tid = map_of(team)->recall(task->extra->affinity);
  if (tid < 0 || tid >= team->size()) return nullptr;
  Member* target = &team->members[tid];
  return target->domain != member->domain ? target : nullptr;
}

void affinity_remember(Member* member, const Task* task) {
  map_of(member->team)->remember(task->extra->affinity, member->tid);
}

} // namespace chomp
