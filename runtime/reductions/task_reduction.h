// Reductions by tasks: taskgroup task_reduction(…), taskloop reduction(…), and reduction(task, …) on parallel and
// worksharing regions (OpenMP 5.2, 5.5.9 and 5.5.10). Called by abi/ and graphs/; taskgroup_end() calls
// task_reduction_finish().
//
// A group's TaskReduction has, for each item, one private copy per member of the team, a cache line apart. A member
// makes its copies ready when its first task asks. So the memory is near, and copies that no task asks for are neither
// made nor combined. At the end of the group its owner combines those that exist into the original.
//
// reduction(task, …): every member encounters the construct with an original of its own, its private copy of the list
// item. But they share the task-private copies: each member's group has a TaskReduction of its own that refers to the
// same ReductionCopies. The member that ends its group last combines them all into its own original; the reduction of
// the construct does the rest.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/core/task.h"
#include "runtime/core/worker.h"
#include "runtime/tasks/taskgroup.h"

namespace chomp {

/// One item as the compiler describes it, in either of its forms. With an `original`, initialise takes (copy,
/// original).
struct ReductionItem {
  void* shared;   // what is reduced into
  void* original; // omp_orig; null: initialise takes the copy alone
  size_t size;
  void* initialise; // or null: the copy begins as zeros
  void* finalise;   // or null
  void* combine;    // (into, copy)
};

/// Begins the reduction of `count` items in the current taskgroup. Returns the group, a handle for the compiler.
Taskgroup* task_reduction_begin(Worker* worker, int count, const ReductionItem* items);

/// Begins a group whose items are shared with the other members of the team that encounter the same region.
Taskgroup* task_reduction_begin_region(Worker* worker, int count, const ReductionItem* items);

/// The calling member's copy of the item to which `address` belongs. `address` is that of an original or of any
/// member's copy, in `group` (null: the current one) or a group around it.
void* task_reduction_copy(Worker* worker, Taskgroup* group, void* address);

/// Combines and frees the data of a group that has ended.
void task_reduction_finish(Worker* worker, Taskgroup* group);

/// Frees the data of a group whose construct was left by cancellation; nothing is combined.
void task_reduction_drop(Worker* worker, TaskReduction* reduction);

/// Called between regions: frees the copies of regions that members left by cancellation.
void task_reduction_drop_regions(Worker* worker, Team* team);

/// Called in the child of fork(), since another thread may have held the lock.
void task_reduction_reset_after_fork();

} // namespace chomp
