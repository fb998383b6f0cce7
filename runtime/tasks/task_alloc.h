// Making a task, the beginning of the hot path: takes one block for header, payload and shareds, and fills in the
// fields that the creator knows.
#pragma once

#include "runtime/base/os_linux.h"
#include "runtime/core/memory.h"
#include "runtime/core/task.h"
#include "runtime/core/worker.h"

namespace chomp {

/// A task for `entry` with room for `payload_bytes` (a kmp_task_t and its privates) and, behind it, `shareds_bytes`.
/// `flags`: of kMakersFlags; final and the ICVs are inherited from the current task.
Task* task_allocate(Worker* worker, uint32_t flags, size_t payload_bytes, size_t shareds_bytes,
                    TaskPayload::Entry entry);

/// Frees a task that was never spawned (a taskloop's pattern), no matter which worker made it.
void task_discard(Worker* worker, Task* task);

/// Bytes of the payload that a block of the task's class can hold; for copying patterns (task_dup).
size_t task_payload_capacity(const Task* task);

inline size_t rounded_payload(size_t bytes) { return (bytes + 7) & ~size_t{7}; }

inline unsigned size_class_of_task(size_t payload_bytes, size_t shareds_bytes) {
  return size_class_of(sizeof(Task) + rounded_payload(payload_bytes) + shareds_bytes);
}

inline TaskPayload* task_fill(Worker* worker, Task* task, uint32_t flags, size_t payload_bytes, size_t shareds_bytes,
                              TaskPayload::Entry entry) {
  payload_bytes = rounded_payload(payload_bytes);
  unsigned size_class = size_class_of(sizeof(Task) + payload_bytes + shareds_bytes);
  Task* parent = worker->current;
  fetch_for_write(parent); // a thief may have counted another child; the spawn counts this one
  DCHECK((flags & ~(kMakersFlags | kCalledByProgram | kUncounted)) == 0);
  task->flags = flags | (parent->flags & kInherited) | size_class << kSizeClassShift;
  // release: pairs with the acquire fence of an ancestor walk that finds the header reused (constraint.cpp).
  task->parent.store(parent, std::memory_order_release);
  task->descend_from(parent);
  task->taskgroup = parent->taskgroup;
  DCHECK(task->extra == nullptr && task->local_children == 0);
  TaskPayload* payload = task->payload();
  payload->shareds = shareds_bytes > 0 ? reinterpret_cast<char*>(payload) + payload_bytes : nullptr;
  payload->routine = entry;
  payload->part_id = 0;
  return payload;
}

/// The same as task_allocate_inline(), for a worker without a free block of that size, and for large blocks.
__attribute__((noinline, cold)) TaskPayload* task_allocate_slow(Worker* worker, uint32_t flags, size_t payload_bytes,
                                                                size_t shareds_bytes, TaskPayload::Entry entry);

/// Whether the worker has a free block for such a task, of a usual size.
inline bool has_free_block(const Worker* worker, size_t payload_bytes, size_t shareds_bytes) {
  size_t bytes = rounded_payload(payload_bytes) + shareds_bytes;
  return bytes <= kFineClasses * 64 - sizeof(Task) &&
         worker->memory.free_blocks[size_class_of(sizeof(Task) + bytes)] != nullptr;
}

/// task_allocate(), inline; returns the payload, which is what compiled code gets.
inline TaskPayload* task_allocate_inline(Worker* worker, uint32_t flags, size_t payload_bytes, size_t shareds_bytes,
                                         TaskPayload::Entry entry) {
  if (CHOMP_UNLIKELY(!has_free_block(worker, payload_bytes, shareds_bytes)))
    return task_allocate_slow(worker, flags, payload_bytes, shareds_bytes, entry);
  unsigned size_class = size_class_of_task(payload_bytes, shareds_bytes);
  Task* task = worker->memory.free_blocks[size_class];
  worker->memory.free_blocks[size_class] = task->below();
  mark_in_use(task + 1, bytes_behind_header(size_class));
  return task_fill(worker, task, flags, payload_bytes, shareds_bytes, entry);
}

} // namespace chomp
