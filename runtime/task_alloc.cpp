// The slow half of making a task. See task_alloc.h.
#include "runtime/task_alloc.h"

#include "runtime/task_engine.h"
#include "runtime/team.h"

namespace chomp {

Task* task_allocate(Worker* worker, uint32_t flags, size_t payload_bytes, size_t shareds_bytes,
                    TaskPayload::Entry entry) {
  return Task::of_payload(task_new(worker, flags, payload_bytes, shareds_bytes, entry));
}

TaskPayload* task_new_slow(Worker* worker, uint32_t flags, size_t payload_bytes, size_t shareds_bytes,
                           TaskPayload::Entry entry) {
  // A block goes onto the list that was empty, or is too large for task_new() to look for one.
  Task* block = block_allocate(worker, size_class_of_task(payload_bytes, shareds_bytes));
  return task_fill(worker, block, flags, payload_bytes, shareds_bytes, entry);
}

void task_discard(Worker* worker, Task* task) {
  if (task->extra != nullptr) object_free(worker, task->extra, sizeof(TaskExtra));
  task->extra = nullptr;
  block_free_own(worker, task, task->flags >> kSizeClassShift);
}

size_t task_payload_capacity(const Task* task) { return size_of_class(task->flags >> kSizeClassShift) - sizeof(Task); }

TaskExtra* task_extra(Task* task) {
  if (task->extra == nullptr) {
    task->extra = static_cast<TaskExtra*>(object_allocate(this_worker(), sizeof(TaskExtra)));
    *task->extra = TaskExtra{};
    task->flags |= kHasExtra;
  }
  return task->extra;
}

} // namespace chomp
