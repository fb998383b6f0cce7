// The record of a task graph, and its instances. record.cpp makes records, replay.cpp runs them, graph_table.cpp finds
// them.
//
// A record (TaskGraph) says what the region did, in its order: tasks with their edges, waits, groups. An instance
// (GraphInstance) has a task for each recorded one, made once: the first has the very tasks that were recorded. A
// replay takes a free instance, or makes one if all are in use. So several tasks can replay one graph side by side.
//
// | field of GraphNode | written by                                                            | read by           |
// |--------------------|-----------------------------------------------------------------------|-------------------|
// | predecessors       | the finisher of each predecessor; reset by the node's own finisher     | the same          |
// | extra, the header  | the thread that makes the node ready, then its runner                  | its runner        |
// | plan, instance     | the maker of the instance, while nobody else has it                    | everybody         |
//
// Invariant, for a node of an instance in use: predecessors = those that have not finished in this replay, and in a
// phased graph one more until the replaying task comes to the node. In a free instance it has its initial value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <string.h>

#include "runtime/base/atomic.h"
#include "runtime/core/memory.h"
#include "runtime/core/task.h"
#include "runtime/dependences/dependence_node.h"
#include "runtime/dependences/dependence_table.h"
#include "runtime/tasks/task_reduction.h"
#include "runtime/tasks/task_detach.h"
#include "runtime/tasks/task_graph.h"
#include "runtime/tasks/taskloop.h"

namespace chomp {

inline constexpr uint32_t kLine = 64; // bytes: payloads and their images are counted in lines

/// An array that grows, of objects that can be moved bit by bit.
template <typename T> struct Growing {
  T* items = nullptr;
  uint32_t count = 0, capacity = 0;
  static constexpr size_t kSize = sizeof(T); // NOLINT(bugprone-sizeof-expression): T may be a pointer

  T& add(Worker* worker) {
    if (count == capacity) {
      uint32_t larger = capacity == 0 ? 16 : 2 * capacity;
      auto room = static_cast<T*>(object_allocate(worker, larger * kSize));
      if (count != 0) memcpy(static_cast<void*>(room), items, count * kSize);
      clear_room(worker);
      items = room;
      capacity = larger;
    }
    return *new (&items[count++]) T{};
  }
  void clear(Worker* worker) {
    clear_room(worker);
    items = nullptr;
    count = capacity = 0;
  }
  T* begin() const { return items; }
  T* end() const { return items + count; }

private:
  void clear_room(Worker* worker) {
    if (capacity != 0) object_free(worker, items, capacity * kSize);
  }
};

struct GraphInstance;
struct GraphNode;
struct TaskGraph;

/// What few tasks need of a plan.
struct GraphRare {
  DependenceNode* claimant; // the node with the resources of a mutexinoutset; null: there are none
  DetachEvent* event;       // of a detachable task; else null
};

/// The part of a node that does not change while its instance exists. Most are one cache line.
struct GraphPlan {
  char* image;              // the payload as recorded, restored after each run; null: the task keeps its payload
  uint32_t lines;           // of the payload, 64 bytes each
  uint32_t flags;           // of the task when it is made ready
  uint32_t shareds;         // their offset in the payload; 0: none
  uint32_t initial;         // GraphNode::predecessors
  uint32_t group;           // which of GraphInstance::groups
  uint32_t successor_count; // of the nodes behind this struct
  GraphRare* rare;          // null: the task is a plain one, with a payload of bytes, and ends as most do
  GraphNode* successors[];
};
static_assert(offsetof(GraphPlan, successors) == 40);

struct alignas(64) GraphNode {
  TaskExtra extra{};    // of the task
  Task* task = nullptr; // null: no task, the replaying task waits for the predecessors
  GraphInstance* instance = nullptr;
  GraphPlan* plan = nullptr; // null while it is being recorded
  atomic<uint32_t> predecessors{0};
  uint32_t index = 0;

  static GraphNode* of(Task* task) { return reinterpret_cast<GraphNode*>(task->extra); }
};
static_assert(offsetof(GraphNode, extra) == 0 && sizeof(GraphNode) == 64);

enum class ReplayMode : uint8_t {
  kParallel, // each task makes its successors ready
  kInOrder,  // while nobody asks for tasks the replaying task runs them in the recorded order, and counts none
  kAlone     // the same to the end: in a team of one, below a task that is kIncludes, in a free agent
};

/// What a replay in order needs of a task whose header is as the last such replay has left it.
struct GraphQuick {
  Task* task;
  const char* image;
  uint32_t lines, shareds; // as in the plan
};

struct GraphInstance {
  TaskGraph* graph;
  GraphInstance* next;
  GraphNode** nodes;        // [graph->tasks.count]
  GraphQuick* quick;        // the same; null: not made yet, or some task is no plain one
  Taskgroup** groups;       // [graph->group_count], of this replay: 0 is the one around its tasks
  MutexResource* resources; // [graph->resources.count]
  // Of this replay; written by the replaying task before its first node can run.
  Worker* worker;
  Task* parent; // also read under graphs_lock; null: nobody has replayed it
  Team* team;
  uint32_t team_forgot; // Team::forgot when the replay began
  uint64_t identity;    // of a child of the parent
  uint32_t inherited;   // flags
  bool ran_as_recorded; // its payloads are as the recorded tasks have left them
  bool keeps_headers;   // the last replay was like this one, and has left all headers as this one needs them
  ReplayMode mode;
  const Task* headers_for; // the parent that the headers of all tasks name; null: they may name any
  // While a task is lent: kLent, or kLeft if its finisher is to make its successors ready. Else 0.
  static constexpr uint32_t kLent = 1, kLeft = 2;
  atomic<uint32_t> lent;
  // How many tasks without successors have not finished, and one more in a phased graph.
  alignas(64) atomic<uint32_t> sinks_left;
  // Counts one for the replay or recording, one for each task whose header its children keep, one for the replaying
  // task if it waits.
  atomic<uint32_t> busy;
};

/// One step of a region, in its order.
struct GraphStep {
  enum Kind : uint32_t { kTask, kWait, kWaitFor, kUndeferred, kGroupBegin, kGroupEnd, kReduction, kTaskloop } kind;
  uint32_t index; // of the node, the group, the reduction or the loop
};

/// What is known of one task.
struct GraphTask {
  GraphNode* node;        // of the first instance
  DependenceNode* shadow; // while it is recorded: which earlier tasks it depends on; null: it has no dependences
  TaskPayload::Entry destructors; // destroys the payload's objects; null: it has none
  DetachEvent* event;
  GraphRelocate relocate;
  GraphClone clone;
  char* image;
  uint32_t lines, flags, shareds, group;
  uint32_t predecessors; // how many
  Growing<uint32_t> successors;
  Growing<uint32_t> resources; // ascending
};

struct GraphReduction {
  Growing<ReductionItem> items;
};

struct GraphLoop {
  Taskloop loop;                                // its pattern is null: see image
  char* image;                                  // the pattern's payload
  uint32_t lines, flags, shareds, lower, upper; // offsets in the payload
  TaskPayload::Entry routine;
};

struct TaskGraph {
  enum State : uint8_t { kRecording, kRecorded, kNotRecordable };
  // Under graphs_lock.
  GraphKey key;
  TaskGraph* next = nullptr; // of those with the same hash
  uint32_t references = 1;   // the table's, and one for each instance in use
  State state = kRecording;
  GraphInstance* instances = nullptr; // the first one last
  // Not changed once it is recorded.
  bool phased = false;          // there are steps other than tasks: the replaying task performs them one by one
  bool single = false;          // there is one instance: no other can be made
  bool has_dependences = false; // between its tasks
  bool has_events = false;      // some of its tasks are detachable
  uint32_t flags = 0;           // that any of its tasks has
  bool has_captures = false;    // some of its tasks have a GraphRelocate
  uint32_t group_count = 1;
  uint32_t sinks = 0;
  Growing<GraphTask> tasks;
  Growing<GraphStep> steps;
  Growing<uint32_t> roots; // nodes without predecessors, in a graph that is not phased
  Growing<GraphReduction> reductions;
  Growing<GraphLoop> loops;
  Growing<MutexResource*> resources; // those of the recording's table; afterwards only their number counts
};

/// A taskgraph construct that a task of the worker is in: it runs, or has stopped there.
struct GraphRegion {
  GraphRegion* outer;
  Task* task;
  TaskGraph* recorded;      // the graph that it records; null: none
  DependenceTable* table;   // of the recorded tasks' dependences
  Growing<uint32_t> groups; // open ones, innermost last
  GraphRelocate relocate;   // of the next task
  GraphClone clone;
  bool has_group; // the construct's own
  bool marks;     // tasks that are to be replayed are marked: see kGraphMarks
  bool marked;    // the next task is
};

// ---- record.cpp -----------------------------------------------------------------------------------------------------

void graph_begin_record(Worker* worker, TaskGraph* graph);
/// The record's steps are complete: makes the first instance.
void graph_seal(Worker* worker, TaskGraph* graph);
/// Makes one more instance, which the caller uses.
GraphInstance* graph_instance_make(Worker* worker, TaskGraph* graph);
void graph_free(Worker* worker, TaskGraph* graph);

// ---- replay.cpp -----------------------------------------------------------------------------------------------------

/// Makes the tasks of an instance that the caller has claimed.
void graph_replay(Worker* worker, GraphInstance* instance, void* captures);

// ---- graph_table.cpp ------------------------------------------------------------------------------------------------

/// Ends a use of the instance, which the caller must not touch any more.
void graph_instance_release(Worker* worker, GraphInstance* instance);

} // namespace chomp
