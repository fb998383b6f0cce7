// The slow half of making a task. See task_alloc.h.
#include "runtime/tasks/task_alloc.h"

#include <new>

#include "runtime/core/team.h"

namespace chomp {

Task* task_allocate(Worker* worker, uint32_t flags, size_t payload_bytes, size_t shareds_bytes,
                    TaskPayload::Entry entry) {
  return Task::of_payload(task_allocate_inline(worker, flags, payload_bytes, shareds_bytes, entry));
}

TaskPayload* task_allocate_slow(Worker* worker, uint32_t flags, size_t payload_bytes, size_t shareds_bytes,
                                TaskPayload::Entry entry) {
  // The worker's list was empty, or the block is too large for task_allocate_inline() to look for one.
  Task* block = block_allocate(worker, size_class_of_task(payload_bytes, shareds_bytes));
  return task_fill(worker, block, flags, payload_bytes, shareds_bytes, entry);
}

static size_t extra_bytes(const Task* task) { return task->is(kObserved) ? sizeof(ObservedTask) : sizeof(TaskExtra); }

void task_discard(Worker* worker, Task* task) {
  task_extra_free(worker, task);
  block_free_own(worker, task, task->flags >> kSizeClassShift);
}

size_t task_payload_capacity(const Task* task) { return size_of_class(task->flags >> kSizeClassShift) - sizeof(Task); }

TaskExtra* task_extra(Task* task) {
  if (task->extra == nullptr) {
    void* memory = object_allocate(this_worker(), extra_bytes(task));
    task->extra = task->is(kObserved) ? new (memory) ObservedTask{} : new (memory) TaskExtra{};
    task->flags |= kHasExtra;
  }
  return task->extra;
}

void task_extra_free(Worker* worker, Task* task) {
  if (task->extra == nullptr) return;
  object_free(worker, task->extra, extra_bytes(task));
  task->extra = nullptr;
}

} // namespace chomp
