// What programs that `chomp cc --inline` has compiled know of the runtime (abi/inlined.cpp): this table, and what
// inlined code touches of Worker, Member, Task and PrivateDeque. The table's name ends in the number of that knowledge:
// test/abi/inlined_code.txt has it, and test/abi/inlined_code says when the number changes. Programs ask for the name
// weakly: in another library, and after an update that changes the number, they find null, and call the entry points
// until they are compiled again. So they do while the offset is zero: until the runtime has started, and in builds with
// checks or sanitizers; and while `*calls` is true, for loops, locks and barriers.
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/core/task.h"

namespace chomp {

struct Member;
class PrivateDeque;
struct Worker;

struct InlinedTable {
  atomic<intptr_t> worker_offset; // of tls_worker from the thread pointer
  int32_t (*spawn_slow)(Worker* worker, Member* member, Task* task);
  int32_t (*spawn_published)(Worker* worker, Member* member);
  int32_t (*wait_for_children)(Worker* worker, Task* task);
  Task* (*pop_contended)(PrivateDeque* deque, uint64_t index);
  void (*run_rest)(Worker* worker, Member* member, Task* task, Task* below, uint64_t floor);
  atomic<const atomic<bool>*> calls; // announcing_, or what is always true: where regions can be cancelled, or as above
};

/// The pointer is read as what stays; relaxed: as announcing().
inline bool constructs_are_calls(const InlinedTable& table) {
  return (*reinterpret_cast<const atomic<bool>* const*>(&table.calls))->load(std::memory_order_relaxed);
}

/// The parent of a task that has run here. relaxed: nobody writes it any more.
inline Task* parent_of(const Task* task) { return task->parent.load(std::memory_order_relaxed); }

} // namespace chomp

// Protected: of two copies of chomp in a process, each fills its own.
extern "C" __attribute__((visibility("protected"))) chomp::InlinedTable chomp_inline_abi_4;
