// Task graphs (OpenMP 6.0, 14.3), as the other files see them. The tasks of a taskgraph construct are recorded when it
// is first encountered, and later run again without the code that makes them. abi/ calls the two ends of the construct;
// whatever a recording task calls makes the notes; the ends of tasks call the rest. Implemented in runtime/graphs/.
//
// A task that records has kRecords in its flags, which its children inherit, and every wait of its worker takes the
// slow path. So a task that nobody records pays nothing.
#pragma once

#include <cstdint>

#include "runtime/core/team.h"
#include "runtime/core/worker.h"

namespace chomp {

struct DependenceList;
struct ReductionItem;
struct Taskloop;

/// Which graph a construct means: `place` is the construct's own, or null; `number` is the program's (graph_id).
struct GraphKey {
  const void* place;
  uint64_t number;
  bool operator==(const GraphKey&) const = default;
};

/// What a construct says. The numbers are the compiler's, but for kGraphMarks: graph_note_functions() is called before
/// each task that is to be replayed. Other tasks are not replayed, nor are taskloops and waits for dependences.
enum GraphClause : uint32_t { kGraphNoGroup = 1, kGraphReset = 2, kGraphMarks = 4 };

/// Makes a recorded task's shared variables be those of the present encounter. `captures`: as given to graph_begin().
using GraphRelocate = void (*)(void* payload, void* captures);
/// Makes a copy that a bitwise one is not: firstprivate objects with constructors.
using GraphClone = void (*)(void* payload, void* original_payload, int32_t);

/// A taskgraph construct begins. True: the caller goes through its region. False: its tasks have been made from the
/// record. Either way graph_end() follows.
bool graph_begin(Worker* worker, GraphKey key, uint32_t clauses, void* captures);
void graph_end(Worker* worker);
/// Whether the task is between the two on this worker.
bool graph_region_is_open(const Worker* worker, const Task* task);

// What the current task does while it records. Nothing else of a region is recorded.
/// It makes a task; `list` may be null.
void graph_note_task(Worker* worker, Task* task, const DependenceList* list);
/// The next task that it makes is to be replayed, and has these functions, either of which may be null.
void graph_note_functions(Worker* worker, GraphRelocate relocate, GraphClone clone);
/// It makes an undeferred task, which the program's own code will call.
void graph_note_undeferred(Worker* worker, Task* task);
/// taskwait; taskwait depend(…).
void graph_note_wait(Worker* worker);
void graph_note_wait_for(Worker* worker, const DependenceList& list);
void graph_note_group_begin(Worker* worker);
void graph_note_group_end(Worker* worker);
void graph_note_reduction(Worker* worker, int count, const ReductionItem* items);
void graph_note_taskloop(Worker* worker, const Taskloop& loop);
/// It does what cannot be recorded: the caller will go through the region each time.
void graph_give_up(Worker* worker);

/// Whether the task, which has an extra block, is in a record.
inline bool is_of_graph(const Task* task) { return task->extra->graph_role != GraphRole::kNone; }
inline bool is_replayed(const Task* task) { return task->extra->graph_role == GraphRole::kReplayed; }

/// The end of a replayed task whose body has returned, or that is discarded.
void graph_finish_task(Worker* worker, Member* member, Task* task);
/// The same for a task whose body has returned on top of `below`. Does nothing and returns false unless the task is a
/// plain one that has left nothing in the deque.
bool graph_finish_quick(Worker* worker, Member* member, Task* task, Task* below, uint64_t floor);
/// The same as graph_finish_task(), called by the thread that fulfilled its event.
void graph_finish_task_outside(Worker* worker, Team* team, Task* task);
/// Called when a recorded task has no child any more that needs its header.
void graph_header_released(Worker* worker, Task* task);

void graphs_reset_after_fork();

} // namespace chomp
