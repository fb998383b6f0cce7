// See taskloop.h. If bitwise copies of the pattern will do, the loop's tasks are not made before they run. What waits
// in deques are ranges of them, each of which is itself a task, made by this file. A worker that runs a range puts the
// rest of it into its deque. There a thief can take it, or half of it if somebody is requesting and half is worth a
// steal. Then the worker makes the next task of the loop in a block that it uses again and again, runs it, and
// takes the rest back. A range is a child of the encountering task, or of the range that it was cut from, which waits
// for it. So ranges are counted like other tasks.
//
// If code of the compiler makes the copies (constructors, lastprivate), it may read variables of the encountering task.
// Then that task makes them all, one after the other.
#include "runtime/tasks/taskloop.h"

#include <algorithm>
#include <new>
#include <string.h>

#include "runtime/base/policy.h"
#include "runtime/config/config.h"
#include "runtime/core/events.h"
#include "runtime/core/team.h"
#include "runtime/wait/work_loop.h"
#include "runtime/core/program_call.h"
#include "runtime/tasks/cancel.h"
#include "runtime/stealing/publish.h"
#include "runtime/stealing/task_affinity.h"
#include "runtime/tasks/task_alloc.h"
#include "runtime/tasks/task_graph.h"
#include "runtime/tasks/task_run.h"
#include "runtime/tasks/task_spawn.h"
#include "runtime/tasks/taskgroup.h"
#include "runtime/tasks/transparent.h"

namespace chomp {

/// How `trips` iterations are cut: `tasks` tasks of `grain` iterations, of which the first `larger` have one more; with
/// strict grainsize the last one has what is left.
///   trips = tasks * grain + larger, or trips <= tasks * grain if strict
struct Partitioning {
  uint64_t trips, tasks, grain, larger;
};

/// Iterations of a loop. Bounds are of either signedness: the difference modulo 2^64 is right for both.
static uint64_t trip_count(uint64_t lower, uint64_t upper, int64_t stride) {
  if (stride == 1) return upper - lower + 1; // 0 if upper is just below lower: no iteration
  if (stride > 0) return (upper - lower) / static_cast<uint64_t>(stride) + 1;
  return (lower - upper) / (0 - static_cast<uint64_t>(stride)) + 1;
}

static Partitioning into_tasks(uint64_t trips, uint64_t tasks) {
  if (tasks == 0) tasks = 1;
  if (tasks > trips) tasks = trips;
  return {trips, tasks, trips / tasks, trips % tasks};
}

/// Whether the encountering task makes each task singly: it is of a kind that a range cannot stand for.
static bool has_clauses_of_tasks(const Task* pattern) { return pattern->is(kMayWait); }

/// Whether all tasks are run here, one after the other, since the team has no other thread.
static bool runs_alone(const Worker* worker, const Task* pattern) {
  return worker->member->team->serial() && !has_clauses_of_tasks(pattern) && !tasks_may_stop();
}

static Partitioning partition(const Worker* worker, const Taskloop& loop, uint64_t trips) {
  uint64_t amount = loop.amount == 0 ? 1 : loop.amount;
  switch (loop.partition) {
  case Taskloop::kNumTasks: return into_tasks(trips, amount);
  case Taskloop::kGrainsize:
    if (loop.strict) return {trips, (trips - 1) / amount + 1, amount, 0};
    // At least `amount` and fewer than twice as many iterations per task (12.6.1).
    return into_tasks(trips, trips / amount);
  case Taskloop::kDefault: break;
  }
  // These are enough tasks for uneven loops and few enough for cheap ones; the number is libomp's, to which programs
  // are tuned. A thread that runs them all anyway needs one; a free agent's team gets some.
  const Team* team = bound_team(worker->member);
  if (team == worker->member->team && runs_alone(worker, loop.pattern)) return into_tasks(trips, 1);
  return into_tasks(trips, static_cast<uint64_t>(team->size()) * 10);
}

// ---- One task of the loop -------------------------------------------------------------------------------------------

/// What the tasks of a loop have in common. It lives as long as any range of the loop that taskloop_run() made, which
/// waits for those that were cut from it; taskloop_run() itself counts as one.
struct TaskloopPlan {
  Taskloop loop;
  Partitioning cut;
  uint64_t lower;                       // of the whole loop
  ptrdiff_t lower_offset, upper_offset; // of a task's own bounds in its payload
  uintptr_t shareds_offset;             // in the payload, behind the privates; beyond its end if there are none
  size_t payload_bytes;
  alignas(kCacheLine) atomic<uint32_t> ranges{1}; // the rest is read for each task
};

static void plan_release(Worker* worker, TaskloopPlan* plan) {
  // acq_rel: pairs with itself: the last range sees that the others no longer use the pattern.
  if (plan->ranges.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  // The pattern never ran, but its privates were constructed.
  Task* pattern = plan->loop.pattern;
  task_destroy_copies(worker, pattern);
  task_discard(worker, pattern);
  object_free(worker, plan, sizeof(TaskloopPlan));
}

static Task* allocate_copy(Worker* worker, Task* pattern) {
  return task_allocate(worker, pattern->flags & kMakersFlags, task_payload_capacity(pattern), 0,
                       pattern->payload()->routine);
}

static CHOMP_SLOW void take_clauses(Worker* worker, Task* task, const Task* pattern) {
  task->flags |= pattern->flags & kPool;
  if (!pattern->is(kHasAffinity)) return;
  task_take_affinity(task, pattern);
  if (is_transparent(pattern)) transparent_make(worker, task);
}

/// The bounds of the task with that number, as they stand in its payload.
struct Bounds {
  uint64_t lower, upper;
};

static Bounds bounds_of(const TaskloopPlan* plan, uint64_t number) {
  const Partitioning& cut = plan->cut;
  uint64_t stride = static_cast<uint64_t>(plan->loop.stride); // arithmetic modulo 2^64
  uint64_t first = number * cut.grain + std::min(number, cut.larger);
  uint64_t iterations = cut.grain + (number < cut.larger ? 1 : 0);
  if (iterations > cut.trips - first) iterations = cut.trips - first;
  uint64_t lower = plan->lower + stride * first;
  return {lower, lower + stride * (iterations - 1) + plan->loop.beyond};
}

static uint64_t iterations_of(const TaskloopPlan* plan, Bounds bounds) {
  return trip_count(bounds.lower, bounds.upper - plan->loop.beyond, plan->loop.stride);
}

constexpr size_t kLine = 64; // blocks are whole lines

/// Makes a task a copy of the pattern with its own bounds, again and again.
class Filling {
public:
  Filling(const TaskloopPlan* plan, Task* task)
      : from_(reinterpret_cast<const char*>(plan->loop.pattern->payload())),
        to_(reinterpret_cast<char*>(task->payload())), bytes_(plan->payload_bytes),
        shareds_(plan->shareds_offset < bytes_ ? to_ + plan->shareds_offset : plan->loop.pattern->payload()->shareds),
        lower_(to_ + plan->lower_offset), upper_(to_ + plan->upper_offset) {}

  void fill(Bounds bounds) const {
    copy(bounds, 0, bytes_);
    reinterpret_cast<TaskPayload*>(to_)->shareds = shareds_;
  }

  void copy(Bounds bounds, size_t from, size_t end) const {
#pragma clang loop unroll(disable)
    for (size_t line = from; line < end; line += kLine) __builtin_memcpy_inline(to_ + line, from_ + line, kLine);
    memcpy(lower_, &bounds.lower, sizeof bounds.lower);
    memcpy(upper_, &bounds.upper, sizeof bounds.upper);
  }

private:
  const char* const from_;
  char* const to_;
  const size_t bytes_;
  void* const shareds_;
  char *const lower_, *const upper_;
};

inline void fill_copy(const TaskloopPlan* plan, Task* task, Bounds bounds) { Filling(plan, task).fill(bounds); }

/// Notes which iterations an observed task has, and what the construct said of it.
CHOMP_SLOW static void note_chunk(const TaskloopPlan* plan, Task* task, uint64_t number) {
  Task* pattern = plan->loop.pattern;
  if (pattern->extra != nullptr && pattern->is(kObserved) && observed(pattern)->mergeable) event_note_mergeable(task);
  Bounds bounds = bounds_of(plan, number);
  event_note_chunk(task, bounds.lower, iterations_of(plan, bounds));
}

static void duplicate(const TaskloopPlan* plan, Task* task, uint64_t number) {
  if (plan->loop.duplicate != nullptr)
    plan->loop.duplicate(task->payload(), plan->loop.pattern->payload(), number + 1 == plan->cut.tasks);
}

/// Runs the body of a copy on top of `below`, whose floor is `floor`.
__attribute__((always_inline)) inline void run_copy(Worker* worker, Member* member, Task* task, Task* below,
                                                    uint64_t floor) {
  begin_task(worker, member, task, below, member->deque.top());
  run_body(worker, task);
  end_task(worker, member, below, floor);
}

/// The same where tasks may be cancelled, or are observed.
CHOMP_SLOW static void run_copy_slow(Worker* worker, Member* member, Task* task, const TaskloopPlan* plan,
                                     uint64_t number) {
  bool observed = task->is(kObserved);
  if (observed) {
    note_chunk(plan, task, number);
    event_note_undeferred(task);
    event_loop_task_created(worker, task, plan->loop.pattern);
  }
  if (config.cancellation && task_is_cancelled(task, member->team)) {
    if (observed) event_task_discarded(worker, task);
    return;
  }
  if (!observed) return run_copy(worker, member, task, worker->current, member->deque.floor());
  Task* below = worker->current;
  uint64_t floor = member->deque.floor();
  event_task_begin(worker, task);
  begin_task(worker, member, task, below, member->deque.top());
  run_body_in_frame(worker, task);
  event_task_end(worker, task);
  end_task(worker, member, below, floor);
}

/// Runs tasks of a loop on top of the current task, undeferred, in one block as long as nothing holds on to it.
class CopyRunner {
public:
  CopyRunner(Worker* worker, const TaskloopPlan* plan)
      : worker_(worker), member_(worker->member), below_(worker->current), floor_(worker->member->deque.floor()),
        plan_(plan), runs_copies_slow_(config.cancellation || plan->loop.pattern->is(kObserved)) {}
  CopyRunner(const CopyRunner&) = delete;
  CopyRunner& operator=(const CopyRunner&) = delete;
  ~CopyRunner() {
    if (task_ != nullptr) task_discard(worker_, task_);
  }

  __attribute__((always_inline)) void run(uint64_t number) {
    if (CHOMP_UNLIKELY(task_ == nullptr)) {
      task_ = allocate_copy(worker_, plan_->loop.pattern);
      flags_ = task_->flags | kUncounted | (plan_->loop.pattern->flags & kObserved); // a range is not observed
    }
    task_->flags = flags_;
    fill_copy(plan_, task_, bounds_at(number));
    if (CHOMP_UNLIKELY(plan_->loop.duplicate != nullptr)) {
      PrivateDeque::FixedFloor fixed(member_->deque);
      duplicate(plan_, task_, number);
    }
    if (CHOMP_UNLIKELY(runs_copies_slow_))
      run_copy_slow(worker_, member_, task_, plan_, number);
    else
      run_copy(worker_, member_, task_, below_, floor_);
    finish();
  }

  /// Runs them all.
  void run_all() {
    const Partitioning& cut = plan_->cut;
    for (uint64_t number = 0; number < cut.tasks;) {
      run(number++);
      if (number > cut.larger && number + 1 < cut.tasks && task_ != nullptr && plan_->loop.duplicate == nullptr &&
          !runs_copies_slow_)
        number = run_alike(number, cut.tasks - 1);
    }
  }

private:
  /// Runs those from `number` to before `end`, which all have as many iterations, as long as each leaves its block as
  /// it was: then it stays the current task from one to the next. Returns the number of the first that it has not run.
  uint64_t run_alike(uint64_t number, uint64_t end) {
    const PrivateDeque& deque = member_->deque;
    const uint64_t advance = static_cast<uint64_t>(plan_->loop.stride) * plan_->cut.grain, top = deque.top();
    Task* const task = task_;
    const Filling filling(plan_, task);
    Bounds bounds = bounds_;
    // Lines enough for what tasks may have changed; the last one may end with the block.
    const size_t unchanged = plan_->loop.unchanged_bytes,
                 end_of_copy = plan_->loop.bytes != 0 ? plan_->loop.bytes : plan_->payload_bytes;
    const size_t lines = (end_of_copy - unchanged + kLine - 1) / kLine * kLine;
    const size_t from = std::min(unchanged, plan_->payload_bytes - lines);
    TaskPayload* const pattern = plan_->loop.pattern->payload();
    void* const shareds = pattern->shareds;
    pattern->shareds = task->payload()->shareds; // so the copies have it, too: nobody else makes any
    begin_task(worker_, member_, task, below_, top);
    task->flags = flags_;
    do {
      bounds = {bounds.lower + advance, bounds.upper + advance};
      filling.copy(bounds, from, from + lines);
      task->payload()->routine(worker_->gtid, task->payload());
      ++number;
    } while (CHOMP_LIKELY(task->flags == flags_ && !has_counts(task) && deque.top() == top) && number < end);
    while (CHOMP_UNLIKELY(untied_task_goes_on(task))) task->payload()->routine(worker_->gtid, task->payload());
    end_task(worker_, member_, below_, floor_);
    pattern->shareds = shareds;
    bounds_ = bounds;
    next_ = number;
    finish();
    return number;
  }

  /// The task has ended: its block may be used again unless something holds on to it.
  __attribute__((always_inline)) void finish() {
    if (CHOMP_LIKELY((task_->flags & kSlowAtFinish) == kUncounted && !has_counts(task_))) return;
    finish_task_slow_flags(worker_, member_, task_);
    task_ = nullptr;
  }

  /// The bounds of the task with that number, which is mostly the one after the last.
  Bounds bounds_at(uint64_t number) {
    const Partitioning& cut = plan_->cut;
    if (CHOMP_UNLIKELY(number != next_ || number <= cut.larger || number + 1 == cut.tasks)) {
      bounds_ = bounds_of(plan_, number);
    } else {
      uint64_t advance = static_cast<uint64_t>(plan_->loop.stride) * cut.grain;
      bounds_ = {bounds_.lower + advance, bounds_.upper + advance};
    }
    next_ = number + 1;
    return bounds_;
  }

  Worker* const worker_;
  Member* const member_;
  Task* const below_;
  const uint64_t floor_;
  const TaskloopPlan* const plan_;
  const bool runs_copies_slow_; // run_copy_slow()
  Task* task_ = nullptr;
  uint32_t flags_ = 0;
  uint64_t next_ = 0;
  Bounds bounds_{};
};

// ---- Ranges ---------------------------------------------------------------------------------------------------------

struct RangePayload : BodyPayload {
  TaskloopPlan* plan;
  Taskgroup* group;    // of its tasks
  uint64_t first, end; // numbers of tasks
  uint64_t pace;       // Batch::pace() where it was cut off
};

static int32_t run_range(int32_t gtid, void* payload);

static int32_t release_range(int32_t, void* payload) {
  plan_release(tls_worker, static_cast<RangePayload*>(payload)->plan);
  return 0;
}

bool is_taskloop_range(Task* task) { return task->payload()->routine == run_range; }

static RangePayload* range_of(Task* task) { return static_cast<RangePayload*>(task->payload()); }

/// `counted`: the range keeps the plan alive, and counts in the taskgroup. One that is cut from another does neither,
/// since that one waits for it: all who finish such ranges would write the same two lines. No range is tied: the
/// program has no code in it that others' tasks could disturb while it waits.
static Task* make_range(Worker* worker, TaskloopPlan* plan, uint64_t first, uint64_t end, uint64_t pace, bool counted) {
  Task* task = task_allocate(worker, counted ? kDestructors : 0, sizeof(RangePayload), 0, run_range);
  task->flags &= ~kObserved; // a range is no task of the program
  RangePayload* range = range_of(task);
  range->set_body(reinterpret_cast<BodyPayload::Body>(code_of(plan->loop.pattern->payload())));
  range->plan = plan;
  range->group = task->taskgroup;
  range->first = first;
  range->end = end;
  range->pace = pace;
  if (!counted) {
    task->taskgroup = nullptr;
    return task;
  }
  range->data1.destructors = release_range;             // also of a range that is cancelled before it begins
  plan->ranges.fetch_add(1, std::memory_order_relaxed); // relaxed: the caller holds the plan
  return task;
}

/// Leaves [first, end) in the deque as the range `rest`. False if the deque is full.
static bool expose(Worker* worker, Task* rest, uint64_t first, uint64_t end, uint64_t pace) {
  Member* member = worker->member;
  range_of(rest)->pace = pace;
  range_of(rest)->first = first;
  range_of(rest)->end = end;
  ++worker->current->local_children;
  if (CHOMP_LIKELY(member->deque.push(rest) || (member->deque.make_room() && member->deque.push(rest)))) return true;
  --worker->current->local_children;
  return false;
}

/// Runs what tasks of the loop have left in the deque above index `at`, then takes back what expose() left there. False
/// if that range was taken, by another worker or by a task that waited on top of this one. Its block may hold another
/// task by then, so its index identifies it, not its address.
static bool take_back(Worker* worker, uint64_t at) {
  Member* member = worker->member;
  while (Task* task = member->deque.pop_above(at)) {
    if (CHOMP_LIKELY(member->deque.top() == at)) {
      --worker->current->local_children;
      return true;
    }
    publish_if_requested(member);
    run_task(worker, member, task);
  }
  return false;
}

/// How many tasks to run between two looks at the deque. Exposing what is left costs as much as a short task. But
/// nobody can take from a worker what it has not exposed, be it in a long task or in one that waits for the next. So
/// the worker runs one at a time until very many in a row have turned out to be short.
class Batch {
public:
  Batch(const Member* member, uint64_t first, uint64_t pace) : member_(member), first_(first), pace_(pace) { shared(); }
  /// The number of the first task after the batch that begins with `first`.
  uint64_t next(uint64_t first) {
    uint64_t now = cycle_counter(), took = now - since_, ran = first - first_;
    if (ran != 0) note_pace(took / ran);
    since_ = now;
    first_ = first;
    short_ = ran != 0 && took < kShort ? short_ + ran : 0;
    size_ = short_ < kExperience ? 1 : size_ < kMost ? 2 * size_ : kMost;
    return first + size_;
  }
  /// What a task takes, in cycles: a mean in which the last one counts an eighth. 0: not known.
  uint64_t pace() const { return pace_; }
  /// Whether half of so many tasks is worth a steal (core/granularity.h). The tasks of a loop are mostly alike,
  /// so the worker that has run some knows. Of what is not worth it others take only by force, from a long task.
  bool worth_sharing(uint64_t tasks) const { return tasks >= 2 && (pace_ == 0 || tasks / 2 * pace_ >= longest_short_); }
  /// The time since next() was not spent in tasks.
  void shared() {
    since_ = cycle_counter();
    longest_short_ = member_->worth->longest_short();
  }

private:
  void note_pace(uint64_t task) { pace_ = pace_ == 0 ? task : pace_ - pace_ / 8 + task / 8; }

  // kShort is about a microsecond in cycles; the others are numbers of tasks.
  static constexpr uint64_t kShort = 8 * policy::kTransferCycles, kMost = policy::kThrottle / 8,
                            kExperience = policy::kManyChildren;
  const Member* const member_;
  uint64_t size_ = 1, short_ = 0;
  uint64_t since_, first_, pace_;
  uint64_t longest_short_; // as it was a while ago: all thieves write the line
};

/// Somebody is requesting: halves of [first, end) become ranges for others. Returns the end of what is left.
static uint64_t share(Worker* worker, TaskloopPlan* plan, uint64_t first, uint64_t end, Batch& batch) {
  Member* member = worker->member;
  while (batch.worth_sharing(end - first) && somebody_requests(member) && publish_wanted(member)) {
    uint64_t middle = first + (end - first + 1) / 2;
    task_spawn(worker, make_range(worker, plan, middle, end, batch.pace(), false));
    publish_oldest(member); // publish_wanted() has answered a request, which nobody sees any more
    end = middle;
    batch.shared();
  }
  return end;
}

/// The body of a range.
static int32_t run_range(int32_t, void* payload) {
  Worker* worker = tls_worker;
  Task* current = worker->current;
  auto range = static_cast<RangePayload*>(payload);
  TaskloopPlan* plan = range->plan;
  uint64_t first = range->first, end = range->end;
  bool counted = current->is(kDestructors);
  current->taskgroup = range->group; // for its tasks
  CopyRunner runner(worker, plan);
  Batch batch(worker->member, first, range->pace);
  Task* rest = nullptr;
  while (first < end) {
    uint64_t stop = batch.next(first);
    bool exposed = false, shares = false;
    uint64_t at = 0;
    if (stop < end) {
      if (CHOMP_UNLIKELY(somebody_requests(worker->member))) end = share(worker, plan, stop, end, batch);
      if (rest == nullptr) rest = make_range(worker, plan, stop, end, 0, false);
      at = worker->member->deque.top();
      exposed = expose(worker, rest, stop, end, batch.pace());
      shares = batch.worth_sharing(end - stop);
      if (shares) publish_if_requested(worker->member);
    } else {
      stop = end;
    }
    do runner.run(first++);
    while (first < stop && !(shares && somebody_requests(worker->member)));
    if (!exposed) continue;
    if (take_back(worker, at)) continue;
    rest = nullptr; // somebody has it
    end = stop;
  }
  if (rest != nullptr) task_discard(worker, rest);
  task_wait(worker); // for the ranges that were cut off
  if (counted) return 0;
  leave_deque(worker, worker->member, current, Leaving::kEnds); // while the group is known
  current->taskgroup = nullptr;
  return 0;
}

// ---- The construct --------------------------------------------------------------------------------------------------

/// One range for each member, so that all can begin at once; the nearest one comes last, and so is found first. In a
/// team on several chips one for each, whose members take parts of it: every range that others begin moves `ranges`.
static void spawn_ranges(Worker* worker, TaskloopPlan* plan) {
  const Team* team = bound_team(worker->member);
  uint64_t tasks = plan->cut.tasks, ranges = static_cast<uint64_t>(team->size());
  if (team->domains_in_use > 1) ranges = static_cast<uint64_t>(team->domains_in_use);
  if (ranges > tasks) ranges = tasks;
  uint64_t end = tasks;
  for (uint64_t left = ranges; left > 0; --left) {
    uint64_t first = end - end / left;
    task_spawn(worker, make_range(worker, plan, left == 1 ? 0 : first, end, 0, true));
    end = first;
  }
}

/// Makes all tasks here and now.
static void spawn_copies(Worker* worker, TaskloopPlan* plan) {
  for (uint64_t number = 0; number < plan->cut.tasks; ++number) {
    Task* task = allocate_copy(worker, plan->loop.pattern);
    fill_copy(plan, task, bounds_of(plan, number));
    duplicate(plan, task, number);
    if (CHOMP_UNLIKELY(task->is(kObserved))) note_chunk(plan, task, number);
    if (CHOMP_UNLIKELY(has_clauses_of_tasks(plan->loop.pattern))) take_clauses(worker, task, plan->loop.pattern);
    task_spawn(worker, task);
  }
}

static void run_copies(Worker* worker, TaskloopPlan* plan) { CopyRunner(worker, plan).run_all(); }

static void run_plan(Worker* worker, TaskloopPlan* plan) {
  const bool clauses = has_clauses_of_tasks(plan->loop.pattern);
  if (!plan->loop.deferred && is_transparent(plan->loop.pattern)) transparent_wait(worker);
  NewTask all = new_task(worker, plan->loop.pattern, Throttled::kNo);
  all.included |= !plan->loop.deferred;
  all.alone = runs_alone(worker, plan->loop.pattern);
  if (runs_here(all))
    run_copies(worker, plan);
  else if (clauses || tasks_may_stop() || plan->loop.duplicate != nullptr || task_priority(plan->loop.pattern) > 0 ||
           (CHOMP_UNLIKELY(plan->loop.pattern->is(kObserved)) &&
            tool_attached())) // tools expect the encountering task to make them
    spawn_copies(worker, plan);
  else
    spawn_ranges(worker, plan);
}

// The construct is one step of a task graph; how it is cut into tasks is not recorded.
CHOMP_SLOW static void run_recorded(Worker* worker, const Taskloop& loop) {
  Task* current = worker->current;
  bool records = current->is(kRecords);
  loop.pattern->flags &= ~kRecords;
  if (records) graph_note_taskloop(worker, loop);
  current->flags &= ~kRecords;
  taskloop_run(worker, loop);
  if (records) current->flags |= kRecords;
}

void taskloop_run(Worker* worker, const Taskloop& loop) {
  if (CHOMP_UNLIKELY(loop.pattern->is(kRecords))) return run_recorded(worker, loop);
  if (loop.in_group) taskgroup_begin(worker);
  auto plan = new (object_allocate(worker, sizeof(TaskloopPlan))) TaskloopPlan;
  uint64_t trips = trip_count(*loop.lower, *loop.upper - loop.beyond, loop.stride);
  auto base = reinterpret_cast<char*>(loop.pattern->payload());
  plan->loop = loop;
  plan->lower = *loop.lower;
  plan->shareds_offset =
      reinterpret_cast<uintptr_t>(loop.pattern->payload()->shareds) - reinterpret_cast<uintptr_t>(base);
  plan->payload_bytes = task_payload_capacity(loop.pattern);
  plan->lower_offset = reinterpret_cast<char*>(loop.lower) - base;
  plan->upper_offset = reinterpret_cast<char*>(loop.upper) - base;
  if (CHOMP_UNLIKELY(loop.pattern->is(kObserved))) event_loop_begin(worker, loop.pattern);
  if (announcing()) event_work_at(worker, WorkKind::kTaskloop, true, trips, worker->observe.tool.site);
  if (trips != 0) {
    plan->cut = partition(worker, loop, trips);
    run_plan(worker, plan);
  }
  if (announcing()) event_work_at(worker, WorkKind::kTaskloop, false, trips, worker->observe.tool.site);
  plan_release(worker, plan);
  if (loop.in_group) taskgroup_end(worker);
}

} // namespace chomp
