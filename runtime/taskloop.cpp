// See taskloop.h. Tasks are made one after the other by the encountering worker: hungry workers get the first of them
// while it makes the rest.
#include "runtime/taskloop.h"

#include <string.h>

#include "runtime/task_engine.h"
#include "runtime/task_priority.h"
#include "runtime/team.h"

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
  // Enough for the uneven, few enough for the cheap; the number is libomp's, programs are tuned to it.
  return into_tasks(trips, static_cast<uint64_t>(worker->member->team->size()) * 10);
}

/// A copy of the pattern with the same shareds; its parent is the current task, its group the current one.
static Task* copy_pattern(Worker* worker, Task* pattern) {
  TaskPayload* source = pattern->payload();
  size_t bytes = task_payload_capacity(pattern);
  Task* task = task_allocate(worker, pattern->flags & kCompilerMask, bytes, 0, source->routine);
  TaskPayload* payload = task->payload();
  memcpy(static_cast<void*>(payload), source, bytes);
  // The shareds lie behind the privates, in the block itself.
  uintptr_t offset = reinterpret_cast<uintptr_t>(source->shareds) - reinterpret_cast<uintptr_t>(source);
  if (offset < bytes) payload->shareds = reinterpret_cast<char*>(payload) + offset;
  return task;
}

static void run_undeferred(Worker* worker, Task* task) {
  TaskPayload* payload = task->payload();
  task_begin_undeferred(worker, task);
  payload->routine(worker->gtid, payload);
  task_complete_undeferred(worker, task);
}

static void make_tasks(Worker* worker, const Taskloop& loop, const Partitioning& cut) {
  uintptr_t base = reinterpret_cast<uintptr_t>(loop.pattern->payload());
  uintptr_t lower_offset = reinterpret_cast<uintptr_t>(loop.lower) - base;
  uintptr_t upper_offset = reinterpret_cast<uintptr_t>(loop.upper) - base;
  uint64_t stride = static_cast<uint64_t>(loop.stride); // arithmetic modulo 2^64
  uint64_t lower = *loop.lower, left = cut.trips;
  for (uint64_t i = 0; i < cut.tasks; ++i) {
    uint64_t iterations = cut.grain + (i < cut.larger ? 1 : 0);
    if (iterations > left) iterations = left;
    left -= iterations;
    uint64_t upper = lower + stride * (iterations - 1);
    Task* task = copy_pattern(worker, loop.pattern);
    char* payload = reinterpret_cast<char*>(task->payload());
    memcpy(payload + lower_offset, &lower, sizeof lower);
    memcpy(payload + upper_offset, &upper, sizeof upper);
    if (loop.duplicate != nullptr) loop.duplicate(payload, loop.pattern->payload(), left == 0);
    lower += stride * iterations;
    if (loop.deferred) {
      task_note_priority(task);
      task_spawn(worker, task);
    } else {
      run_undeferred(worker, task);
    }
  }
}

void taskloop_run(Worker* worker, const Taskloop& loop) {
  if (loop.in_group) taskgroup_begin(worker);
  uint64_t trips = trip_count(*loop.lower, *loop.upper, loop.stride);
  if (trips != 0) make_tasks(worker, loop, partition(worker, loop, trips));
  // The pattern never ran, but its privates were constructed.
  TaskPayload* payload = loop.pattern->payload();
  if (loop.pattern->is(kDestructors)) payload->data1.destructors(worker->gtid, payload);
  task_discard(worker, loop.pattern);
  if (loop.in_group) taskgroup_end(worker);
}

} // namespace chomp
