// Dependences among sibling tasks (OpenMP 5.2, 15.9): in, out, inout, mutexinoutset, inoutset, omp_all_memory; a depobj
// arrives expanded by the compiler.
//
// Each parent has a table of its children's accesses (dependence_table.h), and each child with dependences has a node
// (dependence_node.h). A task that has to wait is counted at once. The worker that finishes its last predecessor makes
// it ready, in its own private deque. A task of a mutexinoutset acquires its resources then, or waits in line for them.
// Protocol and proof: runtime/dependences/README.md, "Dependences".
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/core/task.h"
#include "runtime/core/worker.h"

namespace chomp {

struct DependenceNode;
struct DependenceTable;
struct Member;
struct Team;

/// One item of a depend clause, as the compiler lays it out (kmp_depend_info_t).
struct Dependence {
  static constexpr uint8_t kIn = 1, kOut = 2, kMutexInOutSet = 4, kInOutSet = 8, kAllMemory = 0x80;
  uintptr_t address;
  size_t length; // not used: items that overlap must begin at the same address
  uint8_t flags;
};
static_assert(sizeof(Dependence) == 24);

/// The items of a construct. The compiler gives two lists; items of either may name the same address.
struct DependenceList {
  struct Part {
    const Dependence* items;
    int count;
  } parts[2];
  bool empty() const { return parts[0].count + parts[1].count <= 0; }
};

/// The current task may stay unfinished when its construct ends: later siblings depend on it after all.
void dependences_enter_late(Worker* worker, Task* task);

/// __kmpc_omp_task_with_deps: task_spawn() after the siblings that the task depends on.
void task_spawn_with_dependences(Worker* worker, Task* task, const DependenceList& list);

/// Runs an undeferred task here, after the siblings that it depends on. If it is detachable, its siblings may depend on
/// it in turn; any other task has finished on return.
void task_run_undeferred(Worker* worker, Task* task, const DependenceList& list);

/// taskwait depend(…), and what precedes an undeferred task: the current task waits for its children that a task with
/// these dependences would wait for.
void wait_for_dependences(Worker* worker, const DependenceList& list);

/// The current task waits for all children with dependences that its table knows.
void wait_for_recorded_dependences(Worker* worker);

/// taskwait depend(…) nowait: an empty task with these dependences.
void spawn_empty_task_with_dependences(Worker* worker, const DependenceList& list);

/// Either of the two: a construct that has depend clauses, and nothing else to do.
inline void dependences_alone(Worker* worker, bool nowait, const DependenceList& list) {
  nowait ? spawn_empty_task_with_dependences(worker, list) : wait_for_dependences(worker, list);
}

/// Lets `node` gather what a task with these dependences waits for. The first also records its accesses in the table.
void dependences_access(Worker* worker, DependenceTable* table, DependenceNode* node, const DependenceList& list);
void dependences_await(Worker* worker, DependenceTable* table, DependenceNode* node, const DependenceList& list);

/// Acquires what the claim lacks, in order. False at the first resource that is taken. If `wait_in_line`, the node then
/// waits for it: the holder's worker hands the resource over, and acquires the rest. So the node must not be touched
/// any more.
CHOMP_SLOW bool mutex_claim_acquire(DependenceNode* node, bool wait_in_line);
/// Hands on the resources of a task that has finished. The claim may be acquired again.
void mutex_claim_release(Worker* worker, Team* team, bool may_run, DependenceNode* node);

/// The predecessors of a counted new child of the current task have finished.
void dependences_met(Worker* worker, DependenceNode* node);

/// From now on the children's dependences are recorded even if the team is serial or the current task final: a
/// detachable child may stay unfinished when its body has returned.
void dependences_track_always(Worker* worker);

/// Called when the task has ended on top of the worker's stack: successors that have no other predecessor become ready
/// here.
void dependences_release(Worker* worker, Member* member, Task* task);
/// The same, called by the thread that fulfilled the event of a detached task. It may be no member of `team`.
void dependences_release_outside(Worker* worker, Team* team, Task* task);

} // namespace chomp
