// What the rest of the runtime and abi/ ask of the task engine. The hot path is task_spawn.cpp, task_run.h and
// task_finish.cpp; everything that waits does so in work_loop.cpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "runtime/core/task.h"
#include "runtime/core/worker.h"

namespace chomp {

struct Member;

/// A group of tasks that the end of a taskgroup region waits for (OpenMP 5.2, 15.4). The owner is the task that
/// encountered it. Tasks that stay in the owner's deque are above `base` there, and counted nowhere.
struct Taskgroup {
  static constexpr int64_t kWaiting = 1; // the owner is parked: who brings the count to zero wakes it
  static constexpr int64_t kOneTask = 2;

  Taskgroup* parent;    // the enclosing group of the owner
  Task* owner;          // the task that began it
  uint64_t outer_floor; // the owner's floor outside the group; inside, the floor is where the group's tasks begin
  std::atomic<int64_t> pending; // exported tasks of the group, in units of kOneTask; kWaiting
  int32_t owner_gtid;
  std::atomic<uint32_t> cancelled;
  struct TaskReduction* reduction; // task_reduction(…) data (task_reduction.cpp), owner writes before children exist
  struct BlockReduction* blocks;   // the same in GCC's form (block_reduction.cpp)
};

// ---- task_alloc.cpp -------------------------------------------------------------------------------------------------

/// A task for `entry` with room for `payload_bytes` (a kmp_task_t and its privates) and, behind it, `shareds_bytes`.
/// `flags` as given to __kmpc_omp_task_alloc, without bits beyond kCompilerMask; final and the ICVs are inherited from
/// the current task.
Task* task_allocate(Worker* worker, uint32_t flags, size_t payload_bytes, size_t shareds_bytes,
                    TaskPayload::Entry entry);

/// Frees a task that was never spawned (a taskloop's pattern).
void task_discard(Worker* worker, Task* task);

/// Bytes of the payload that a block of the task's class can hold; for copying patterns (task_dup).
size_t task_payload_capacity(const Task* task);

/// What the hot entry points return: the current task was not queued (TASK_CURRENT_NOT_QUEUED).
inline constexpr int32_t kCurrentNotQueued = 0;

/// Their slow ways return it too, so that they are jumps; in a form that link-time optimisation cannot see through, or
/// it makes calls of them again.
inline int32_t current_not_queued() {
  int32_t result = kCurrentNotQueued;
  asm("" : "+r"(result));
  return result;
}

// ---- task_spawn.cpp -------------------------------------------------------------------------------------------------

/// __kmpc_omp_task: queues the task, or runs it here (throttle, serial team, final); or, for an untied task that hands
/// over itself, asks its invoker to call it again.
void task_spawn(Worker* worker, Task* task);

/// Counts the task at its parent, and as exported, without making it available: it waits for something (dependences).
/// task_make_ready() follows, once.
void task_count_created(Worker* worker, Task* task);

/// Makes a counted task available: to be called by the worker that finished its last predecessor. `worker` may be a
/// member of another team or a thread that is not a member: the task then goes to its team's inbox.
void task_make_ready(Worker* worker, Team* team, Task* task);

/// The same by the worker on whose stack the last predecessor has just ended (runtime/README.md, "Dependences"): the
/// task goes to the private deque. No thread is notified: publish_if_hungry() follows unless the worker pops it at
/// once.
void task_make_ready_here(Worker* worker, Task* task);

/// Runs a counted task here and now (serial teams, if(0) with dependences).
void task_run_now(Worker* worker, Task* task);

/// __kmpc_omp_task_begin_if0 / complete_if0: the compiled code calls the routine in between.
void task_begin_undeferred(Worker* worker, Task* task);
void task_complete_undeferred(Worker* worker, Task* task);

// ---- work_loop.cpp --------------------------------------------------------------------------------------------------

/// Runs tasks, then spins, then parks, until *word is zero. Who stores the zero calls worker_wake(gtid of the waiter).
void wait_until_zero(Worker* worker, std::atomic<uint32_t>* word);

/// taskyield (OpenMP 5.2, 12.7): may run one other task. Returns whether it did.
bool task_yield(Worker* worker);

// ---- idle.cpp -------------------------------------------------------------------------------------------------------

/// Wakes a worker if it is parked. Call after the store it waits for; contains the light side of the fence.
void worker_wake(Worker* worker);

// ---- taskgroup.cpp --------------------------------------------------------------------------------------------------

void taskgroup_begin(Worker* worker);
/// Waits for all tasks of the group and their descendants, combines task reductions, leaves the group.
void taskgroup_end(Worker* worker);
/// The newest child in the deque that the current task made before the groups it is in, or null.
Task* taskgroup_pop_older(Worker* worker, Member* member);

// ---- task_finish.cpp ------------------------------------------------------------------------------------------------

/// The end of a detachable task whose event was fulfilled after its body returned. `worker` is the fulfilling thread's;
/// it may be no member of `team`.
void finish_task_outside(Worker* worker, Team* team, Task* task);

// ---- hooks of what few tasks use ------------------------------------------------------------------------------------

/// task_deps.cpp: the task has ended on top of the worker's stack; successors that have no other predecessor become
/// ready here. _outside: the same by whoever fulfilled the event of a detached task, at any place.
void dependences_release(Worker* worker, Member* member, Task* task);
void dependences_release_outside(Worker* worker, Team* team, Task* task);
/// task_deps.cpp: the parent has finished: frees its table of children's dependences.
void dependence_table_free(Worker* worker, Task* parent);
/// task_detach.cpp: the body of a detachable task has returned. True if the event is already fulfilled: finish now.
bool detach_body_returned(Worker* worker, Task* task);
/// task_reduction.cpp: combines and frees the data of a group that has ended.
void task_reduction_finish(Worker* worker, Taskgroup* group);

} // namespace chomp
