// Reductions by tasks: taskgroup task_reduction(…), taskloop reduction(…), and reduction(task, …) on parallel and
// worksharing regions (OpenMP 5.2, 5.5.9 and 5.5.10). taskgroup_end() calls task_reduction_finish().
//
// A group's TaskReduction refers to one block of memory per member of the team, which has the member's private copies
// of all items, a cache line apart from the next member's. With LLVM's code a member makes a copy ready when its first
// task asks for it. So the memory is near, and copies that no task asks for are neither made nor combined. At the end
// of the group its owner combines those that exist into the original. GCC's code does both itself: it gets zeroed
// blocks, and gives them back when it has combined them.
//
// reduction(task, …): every member encounters the construct with an original of its own, its private copy of the list
// item. But they share the task-private copies: each member's group has a TaskReduction of its own that refers to the
// same ReductionCopies. With LLVM's code the member that ends its group last combines them all into its own original;
// the reduction of the construct does the rest.
//
// In a team of one LLVM's code needs no copies: its tasks use the original.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/core/task.h"
#include "runtime/core/worker.h"
#include "runtime/tasks/taskgroup.h"

namespace chomp {

struct ReductionCopies;

/// Where an item is. GCC's code lays out arrays of these; LLVM's name an item by either address: a task that the
/// construct does not enclose in its text knows the original only.
struct ReductionPlace {
  void* shared;   // what is reduced into
  size_t offset;  // in each member's block of copies
  void* original; // LLVM: the variable outside the construct (omp_orig), or null
};

/// One item of LLVM's code.
struct ReductionItem {
  void* shared;
  void* original; // null: none is known
  size_t size;
  void* initialise; // (copy, original) if there is an original, or (copy); null: the copy begins as zeros
  void* finalise;   // or null
  void* combine;    // (into, copy)
};

/// What GCC's code, which combines the copies itself, says of its items, and is told.
struct CompiledReduction {
  size_t count;
  size_t block_bytes;      // a multiple of the alignment
  uintptr_t blocks;        // first the alignment, then member i's block begins at blocks + i * block_bytes
  ReductionCopies* copies; // first kNotBegun, then ours, for task_reduction_free()
  uintptr_t unused[3];
  ReductionPlace places[];

  static ReductionCopies* not_begun() { return reinterpret_cast<ReductionCopies*>(~uintptr_t{0}); }
};

/// The items of a construct, in one of the two forms.
struct ReductionForm {
  int count;
  const ReductionItem* items = nullptr; // LLVM's code
  CompiledReduction* compiled = nullptr;
};

/// Begins the reduction in the current taskgroup. Returns the group, a handle for LLVM's code.
Taskgroup* task_reduction_begin(Worker* worker, const ReductionForm& form);

/// Begins a group whose copies are shared with the other members of the team that encounter the same region.
Taskgroup* task_reduction_begin_region(Worker* worker, const ReductionForm& form);

/// The same for a parallel region of GCC's code, where all members share one description.
void task_reduction_begin_parallel(Worker* worker, const ReductionForm& form);

/// The calling member's copy of the item to which `address` belongs: an original's address, or one in any member's
/// copy, in `group` (null: the current one) or a group around it. For LLVM's code.
void* task_reduction_copy(Worker* worker, Taskgroup* group, void* address);

/// The same for GCC's code, in the current group: replaces each of `count` addresses. Behind them it stores the
/// addresses of the originals of the first `originals_wanted`.
void task_reduction_translate(Worker* worker, size_t count, size_t originals_wanted, void** addresses);

/// Combines and frees the data of a group that has ended, and that owns them.
void task_reduction_finish(Worker* worker, Taskgroup* group);

/// Frees copies that GCC's code has combined.
void task_reduction_free(Worker* worker, ReductionCopies* copies);

/// Frees the data of such a group whose construct was left by cancellation; nothing is combined.
void task_reduction_drop(Worker* worker, const Taskgroup* group);

/// Called between regions: frees what a cancelled region has left of constructs that not all members met or finished.
CHOMP_SLOW void task_reduction_drop_regions_slow(Team* team);

/// Called in the child of fork(), since another thread may have held the lock.
void task_reduction_reset_after_fork();

} // namespace chomp
