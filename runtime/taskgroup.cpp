// Taskgroups (OpenMP 5.2, 15.4). The owner's worker counts plainly; every other worker has its own single-writer
// counters, made when the first of them touches the group. Termination is the barrier's double sum: all `finished` are
// read before all `created`; equal means that nothing was left at the moment between the two.
#include "runtime/task_engine.h"

#include "runtime/base/os_linux.h"
#include "runtime/task_alloc.h"
#include "runtime/team.h"
#include "runtime/work_loop.h"

namespace chomp {
namespace {

__attribute__((noinline)) TaskgroupShard* make_shards(Taskgroup* group, Worker* worker, Member* member) {
  size_t bytes = sizeof(TaskgroupShard) * static_cast<size_t>(member->team->capacity);
  auto* made = static_cast<TaskgroupShard*>(object_allocate(worker, bytes));
  for (int32_t tid = 0; tid < member->team->capacity; ++tid) new (&made[tid]) TaskgroupShard;
  TaskgroupShard* expected = nullptr;
  // acq_rel: release publishes the zeroed counters; acquire pairs with the same release of another worker.
  if (group->shards.compare_exchange_strong(expected, made, std::memory_order_acq_rel, std::memory_order_acquire))
    return made;
  object_free(worker, made, bytes);
  return expected;
}

TaskgroupShard& shard_of(Taskgroup* group, Worker* worker, Member* member) {
  // acquire: pairs with release in make_shards().
  TaskgroupShard* shards = group->shards.load(std::memory_order_acquire);
  if (CHOMP_UNLIKELY(shards == nullptr)) shards = make_shards(group, worker, member);
  return shards[member->tid];
}

} // namespace

void taskgroup_begin(Worker* worker) {
  Task* task = worker->current;
  auto* group = static_cast<Taskgroup*>(object_allocate(worker, sizeof(Taskgroup)));
  group->parent = task->taskgroup;
  group->owner_tid = worker->member->tid;
  group->owner_gtid = worker->gtid;
  group->local_pending = 0;
  // relaxed, all: no other worker knows the group yet.
  group->shards.store(nullptr, std::memory_order_relaxed);
  group->finished_outside.store(0, std::memory_order_relaxed);
  taskgroup_waiting(group).store(0, std::memory_order_relaxed);
  group->cancelled.store(0, std::memory_order_relaxed);
  group->reduction = nullptr;
  task->taskgroup = group;
  task->flags |= kInGroup;
}

void taskgroup_end(Worker* worker) {
  Task* task = worker->current;
  Taskgroup* group = task->taskgroup;
  if (CHOMP_UNLIKELY(group == nullptr)) return;
  if (!taskgroup_is_finished(group, worker->member)) wait_for_taskgroup(worker, group);
  if (CHOMP_UNLIKELY(group->reduction != nullptr)) task_reduction_finish(worker, group);
  task->taskgroup = group->parent;
  if (group->parent == nullptr) task->flags &= ~kInGroup;
  // relaxed: nobody else holds the group any more.
  if (TaskgroupShard* shards = group->shards.load(std::memory_order_relaxed))
    object_free(worker, shards, sizeof(TaskgroupShard) * static_cast<size_t>(worker->member->team->capacity));
  taskgroup_waiting(group).store(0, std::memory_order_relaxed); // relaxed: a free block's header is clear
  object_free(worker, group, sizeof(Taskgroup));
}

void taskgroup_count_created_elsewhere(Taskgroup* group, Worker* worker, Member* member) {
  TaskgroupShard& shard = shard_of(group, worker, member);
  // relaxed: single writer; whoever sees the task finished sees this first (release below).
  shard.created.store(shard.created.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

// The group may be gone as soon as the last task is counted. What is read of it afterwards is a block that was never
// unmapped: at worst a worker is woken that looks around and parks again.
void taskgroup_count_finished_elsewhere(Taskgroup* group, Worker* worker, Member* member) {
  TaskgroupShard& shard = shard_of(group, worker, member);
  int32_t owner_gtid = group->owner_gtid;
  // release: pairs with acquire in taskgroup_is_finished(); what the task wrote is seen by the owner.
  shard.finished.store(shard.finished.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  light_fence(); // pairs with heavy_fence() in Idler::park(): either we see `waiting` or the owner sees `finished`
  // relaxed: ordered by the fence.
  if (CHOMP_UNLIKELY(taskgroup_waiting(group).load(std::memory_order_relaxed) != 0))
    worker_wake(worker_by_gtid(owner_gtid));
}

bool taskgroup_is_finished(const Taskgroup* group, const Member* member) {
  // acquire, all three: pair with the releases of those who count; the owner sees what the tasks wrote.
  // finished_outside comes first: a task counted there was created in a shard, which must be seen then.
  uint64_t finished = group->finished_outside.load(std::memory_order_acquire);
  TaskgroupShard* shards = group->shards.load(std::memory_order_acquire);
  uint64_t created = 0;
  if (shards != nullptr) {
    for (int32_t tid = 0; tid < member->team->capacity; ++tid)
      finished += shards[tid].finished.load(std::memory_order_acquire); // acquire: pairs as above
    for (int32_t tid = 0; tid < member->team->capacity; ++tid)
      created += shards[tid].created.load(std::memory_order_relaxed); // relaxed: read after every `finished` above
  }
  return static_cast<uint64_t>(group->local_pending) + created == finished;
}

} // namespace chomp
