// Making a task: one block for header, payload and shareds, and the fields that its creator knows.
#include "runtime/task_alloc.h"

#include "runtime/task_engine.h"
#include "runtime/team.h"

namespace chomp {

Task* task_allocate(Worker* worker, uint32_t flags, size_t payload_bytes, size_t shareds_bytes,
                    TaskPayload::Entry entry) {
  payload_bytes = (payload_bytes + 7) & ~size_t{7};
  unsigned size_class = size_class_of(sizeof(Task) + payload_bytes + shareds_bytes);
  Task* task = block_allocate(worker, size_class);
  Task* parent = worker->current;
  // final is inherited (OpenMP 5.2, 12.3), so are the internal control variables.
  task->flags = (flags & kCompilerMask) | (parent->flags & (kFinal | kIcvMask)) | size_class << kSizeClassShift;
  // release: pairs with the acquire fence of an ancestor walk that finds the header reused (constraint.cpp).
  task->parent.store(parent, std::memory_order_release);
  task->descend_from(parent);
  task->taskgroup = parent->taskgroup;
  DCHECK(task->extra == nullptr && task->local_children == 0);
  TaskPayload* payload = task->payload();
  payload->shareds = shareds_bytes > 0 ? reinterpret_cast<char*>(payload) + payload_bytes : nullptr;
  payload->routine = entry;
  payload->part_id = 0;
  return task;
}

void task_discard(Worker* worker, Task* task) {
  if (task->extra != nullptr) object_free(worker, task->extra, sizeof(TaskExtra));
  task->extra = nullptr;
  block_free(worker, task, task->flags >> kSizeClassShift);
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
