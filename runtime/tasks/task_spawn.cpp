// The slow half of spawning (task_spawn.h), and tasks that become available otherwise: released, undeferred.
#include "runtime/tasks/task_spawn.h"

#include "runtime/config/config.h"
#include "runtime/base/os_linux.h"
#include "runtime/base/policy.h"
#include "runtime/core/events.h"
#include "runtime/core/program_call.h"
#include "runtime/tasks/destination.h"
#include "runtime/tasks/task_graph.h"
#include "runtime/tasks/task_run.h"
#include "runtime/threads/free_agents.h"
#include "runtime/tasks/taskgroup.h"
#include "runtime/tasks/transparent.h"
#include "runtime/threads/thread_pool.h"

namespace chomp {

// Where other tasks would get a fresh segment of stack, this one waits, whatever the bound.
static __attribute__((noinline, cold)) int32_t spawn_without_room_slow(Worker* worker, Member* member, Task* task) {
  if (!runs_here({.alone = member->team->serial(),
                  .unbounded = !config.task_throttling,
                  .stack_is_low = stack_is_low(worker)})) {
    send(worker, member->team, task, Cause::kMade);
    publish_if_requested(member);
    return current_not_queued();
  }
  note_runs_at_creation(task);
  run_task(worker, member, task);
  publish_if_requested(member); // as in spawn_run_short()
  return current_not_queued();
}

// There is no room where the task would wait.
static inline int32_t spawn_without_room(Worker* worker, Member* member, Task* task) {
  if (CHOMP_UNLIKELY(must_run_slow(worker) || !runs_here(new_plain_task(member, false))))
    return spawn_without_room_slow(worker, member, task);
  run_task_here(worker, member, task, worker->current, member->deque.floor());
  return current_not_queued();
}

// To wherever a task of its kind waits.
static __attribute__((noinline)) int32_t spawn_by_kind(Worker* worker, Member* member, Task* task) {
  if (send_new(worker, member, task)) return current_not_queued();
  return config.task_throttling ? spawn_without_room(worker, member, task)
                                : spawn_without_room_slow(worker, member, task);
}

int32_t spawn_slow(Worker* worker, Member* member, Task* task) {
  if (member->deque.make_room()) {
    member->deque.push(task);
    publish_if_requested(member);
    return current_not_queued();
  }
  if (CHOMP_UNLIKELY(member->deals)) return spawn_by_kind(worker, member, task);
  publish_if_requested(member);
  return spawn_without_room(worker, member, task);
}

uint64_t spawn_bound(const Team* team) {
  if (team->serial() || spawn_deals(team)) return 0;
  return config.task_throttling ? policy::kThrottle : UINT64_MAX;
}

bool creator_runs_short_tasks(Worker* worker) {
  const Member* member = worker->member;
  return CHOMP_UNLIKELY(!member->worth->pays()) && config.task_throttling && !stack_is_low(worker) &&
         !tasks_may_stop(); // else they are not short
}

bool spawn_deals(const Team* team) { return !team->serial() && team->scheduler->private_depth == 0; }

Throttled creator_made_one(Worker* worker, int64_t children) {
  Task* current = worker->current;
  Throttled before = throttled(current);
  Throttled now = throttled_next(before, creator_runs_short_tasks(worker), children);
  if (now != before) task_extra(current)->throttled = now;
  return now;
}

static __attribute__((noinline)) int32_t spawn_run_short(Worker* worker, Member* member, Task* task) {
  note_runs_at_creation(task);
  run_task(worker, member, task);
  publish_if_requested(member); // what a more urgent one has released, that ran in its place
  return current_not_queued();
}

// Notes the program's call for tools. This function is entered by a jump, so its frame is the entry point's.
static __attribute__((noinline, cold)) int32_t spawn_observed(Worker* worker, Member* member, Task* task,
                                                              const void* site) {
  ProgramCall call(worker, site, __builtin_frame_address(0));
  return spawn_slow_flags(worker, member, task, nullptr);
}

// Records the task, which else is like others.
static __attribute__((noinline, cold)) int32_t spawn_recorded(Worker* worker, Task* task) {
  task->flags &= ~kPool;
  if (runs_at_once(task)) {
    if (worker->current->is(kRecords)) graph_give_up(worker);
    task->flags &= ~kRecords;
  } else {
    graph_note_task(worker, task, nullptr);
  }
  return task_spawn_inline(worker, task);
}

// The copies that tasks of a reduction have belong to members of the team; a team of one has none.
static bool is_reduced(const Taskgroup* group) {
  while (group != nullptr && !group->reduces) group = group->parent;
  return group != nullptr;
}

bool may_be_offered(Worker* worker, Task* task) {
  if (!task->is(kPool)) return false;
  // Tools hear of threads in teams only, and of helpers. A task with settings of its own, or recorded, belongs to its
  // creator's thread.
  const bool target = is_target(task);
  bool may = !task->is(kRecords | kOwnIcvs) && !runs_at_once(task) && (target || !announcing()) &&
             !worker->current->is(kIncludes) && !is_reduced(task->taskgroup) &&
             agents_want_tasks(worker, bound_team(worker->member), target);
  if (!may) task->flags &= ~kPool;
  return may;
}

// The task has threadset(omp_pool). If no free agent wants it, it is one like any other; but a creator that is an agent
// itself runs it at once.
static __attribute__((noinline, cold)) int32_t spawn_for_pool(Worker* worker, Member* member, Task* task,
                                                              const void* site) {
  if (!may_be_offered(worker, task)) {
    if (member->team->served == nullptr || task->is(kDetachable | kRecords))
      return task_spawn_inline(worker, task, site);
    ++worker->current->local_children;
    run_task(worker, member, task);
    return current_not_queued();
  }
  if (task->is(kObserved)) {
    ProgramCall call(site != nullptr ? worker : nullptr, site, __builtin_frame_address(0));
    event_task_created(worker, task, false);
  }
  Team* team = bound_team(member);
  if (team->parent_member == nullptr) workers_await_initial_tasks();
  ++worker->current->local_children;
  send(worker, team, task, Cause::kMade);
  return current_not_queued();
}

// In a team of one thread a task that may stop begins at once, too, but its creator does not wait for it.
static int32_t spawn_undeferred(Worker* worker, Member* member, Task* task) {
  if (tasks_may_stop() && !worker->current->is(kIncludes) && !task->is(kOwnIcvs) && !runs_at_once(task)) {
    if (CHOMP_UNLIKELY(task->is(kObserved))) event_task_created(worker, task, true);
    run_task(worker, member, task);
    return current_not_queued();
  }
  if (CHOMP_UNLIKELY(task->is(kObserved))) {
    event_note_undeferred(task);
    event_task_created(worker, task, true);
  }
  run_undeferred(worker, member, task);
  return current_not_queued();
}

int32_t spawn_slow_flags(Worker* worker, Member* member, Task* task, const void* site) {
  if (CHOMP_UNLIKELY(is_transparent(task))) transparent_import(worker, task);
  if (CHOMP_UNLIKELY(task->is(kPool))) return spawn_for_pool(worker, member, task, site);
  if (CHOMP_UNLIKELY(task->is(kRecords))) return spawn_recorded(worker, task);
  if (CHOMP_UNLIKELY(task->is(kObserved)) && site != nullptr) return spawn_observed(worker, member, task, site);
  ++worker->current->local_children;
  // Urgent tasks that are short stay with their creator once it has made many, as those with dependences do
  // (task_deps.cpp). All others wait in its deque, which bounds them.
  const bool urgent = task_priority(task) > 0;
  NewTask made =
      new_task(worker, task, urgent ? creator_made_one(worker, children_of(worker->current)) : Throttled::kNo);
  made.alone = member->team->serial();
  const bool runs = runs_here(made);
  if (task->is(kDetachable)) task_count_exported(member, task);
  if (made.included || made.alone) return spawn_undeferred(worker, member, task);
  if (CHOMP_UNLIKELY(task->is(kObserved))) event_task_created(worker, task, false);
  return runs ? spawn_run_short(worker, member, task) : spawn_by_kind(worker, member, task);
}

// They run inside the call by which the first part hands the task over.
int32_t spawn_parts_left(Worker* worker, Task* task) {
  task->flags &= ~kCalledByProgram;
  run_body(worker, task);
  return current_not_queued();
}

// The next task may be as large as the last one, and its block may come from a thief that has freed it. The block is
// read, for its link, and then written.
int32_t spawn_published(Worker* worker, Member* member) {
  publish_oldest(member);
  if (const Task* block = worker->memory.free_blocks[worker->stealing.published_flags >> kSizeClassShift])
    fetch_for_write(block);
  return current_not_queued();
}

void task_runs_at_once(Task* task) {
  task_extra(task)->runs_at_once = true;
  task->flags |= kHasAffinity;
}

void task_spawn(Worker* worker, Task* task) { task_spawn_inline(worker, task); }

void task_count_created(Worker* worker, Task* task) {
  if (CHOMP_UNLIKELY(task->is(kObserved))) event_task_created(worker, task, false);
  ++worker->current->local_children;
  task_count_exported(worker->member, task);
}

void task_run_now(Worker* worker, Task* task) {
  note_runs_at_creation(task);
  run_undeferred(worker, worker->member, task);
}

void task_make_ready_here(Worker* worker, Task* task) {
  Member* member = worker->member;
  fetch_for_write(task); // the creator owns its line, and take_over() writes it
  if (CHOMP_UNLIKELY(task->is(kPrioritySpecified | kHasAffinity | kPool) || member->deals))
    return send(worker, member->team, task, Cause::kReleased);
  take_over(worker, task);
  ++worker->tasks.released;
  if (!member->deque.push(task)) member->deque.push_growing(task);
}

static void create_undeferred(Worker* worker, Task* task) {
  if (task->is(kObserved)) event_note_undeferred(task);
  if (task->is(kDetachable)) {
    task_count_created(worker, task); // it may outlive its construct
  } else {
    task->flags |= kUncounted;
    if (task->is(kObserved)) event_task_created(worker, task, true);
  }
}

static CHOMP_SLOW void begin_undeferred_slow_flags(Worker* worker, Task* task, const void* site, const void* frame,
                                                   FrameOwner owner) {
  const void* here = __builtin_frame_address(0);
  if (task->is(kRecords)) graph_note_undeferred(worker, task);
  if (is_transparent(task)) transparent_import(worker, task);
  if (!task->is(kObserved)) return create_undeferred(worker, task);
  {
    ProgramCall call(worker, site, here);
    create_undeferred(worker, task);
  }
  note_runs_at_creation(task);
  // The program's own code calls the task after this call has returned, so its frame lies below the task. While the
  // task runs, the encountering task is in the runtime, for tools.
  if (announcing()) note_enter_frame(worker, here);
  event_task_begin(worker, task);
  observed(task)->tool.frame.exit = frame;
  observed(task)->tool.frame.exit_owner = owner;
}

void task_begin_undeferred(Worker* worker, Task* task, const void* site, const void* frame, FrameOwner owner) {
  if (CHOMP_UNLIKELY(task->is(kSlowAtUndeferred))) {
    task->flags |= kCalledByProgram;
    begin_undeferred_slow_flags(worker, task, site, frame, owner);
  } else {
    task->flags |= kCalledByProgram | kUncounted;
  }
  begin_undeferred_quick(worker, task);
}

static CHOMP_SLOW void complete_undeferred_slow_flags(Worker* worker, Task* task) {
  if (task->is(kObserved)) end_observed(worker, task);
  if (announcing()) note_enter_frame(worker, nullptr);
  finish_task(worker, worker->member, task);
}

void task_complete_undeferred(Worker* worker, Task* task) {
  end_undeferred(worker, task);
  if (CHOMP_UNLIKELY(!completes_quickly(task))) return complete_undeferred_slow_flags(worker, task);
  free_task_made_here(worker, task);
}

} // namespace chomp
