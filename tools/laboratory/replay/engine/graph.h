// A recorded program as the simulator replays it: tasks, each a sequence of operations with the time it computes before
// each. Made by recording.cpp, text_graph.cpp and synthetic.cpp; never changed afterwards.
//
// Compact, since programs have 10^7 tasks: 20 bytes a task and 8 an operation.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "tools/shipped/recording/recording.h"

namespace chomp::simulate {

/// Sixteenths of a nanosecond: a task of a few nanoseconds must not be rounded away.
using Time = int64_t;
inline constexpr Time kPerNs = 16;
inline double to_ns(Time time) { return static_cast<double>(time) / kPerNs; }
inline Time from_ns(double ns) { return static_cast<Time>(ns * kPerNs + 0.5); }

using TaskId = uint32_t;
inline constexpr TaskId kNoTask = ~TaskId{0};

/// What is wrong with a file or a number that the user gave.
using recording::Error;

enum class Op : uint8_t {
  kNothing,    // a long computation goes on
  kCreate,     // of the task `argument`, deferred
  kCall,       // the same, undeferred: the creator goes on when it has ended
  kWait,       // for all children
  kWaitTasks,  // for the tasks of Graph::awaited[argument] (taskwait with dependences)
  kGroupBegin, //
  kGroupEnd,   // waits for all tasks made since the matching begin, and their descendants
  kBarrier,    // of the region; only in implicit tasks
  kFulfil,     // the event of the detached task `argument`
  kEnd,        // of the task
};

struct Operation {
  uint32_t before;            // Time computed before it
  uint32_t kind_and_argument; // Op in the upper four bits
  Op op() const { return static_cast<Op>(kind_and_argument >> 28); }
  uint32_t argument() const { return kind_and_argument & 0x0fffffff; }
};
inline constexpr TaskId kMostTasks = 0x0fffffff;

enum TaskProperty : uint8_t {
  kUntied = 1,
  kDetached = 2,  // ends when its event is fulfilled, by some kFulfil of the graph
  kDependent = 4, // has predecessors: see Graph::predecessors
  kHasHeirs = 8,  // has successors
  kPrioritised = 16,
  kImplicitTask = 32,
};

struct GraphTask {
  uint32_t first_operation;
  TaskId parent;
  // Its place in a depth-first order of the tree, and the end of its subtree's: a comparison says whether one task
  // descends from another.
  uint32_t order, order_end;
};

/// How a task uses an address (the depend clause). kAll: all memory.
enum class Access : uint8_t { kIn, kOut, kMutexInOutSet, kInOutSet, kAll };
struct Dependence {
  uint64_t address;
  Access access;
};

/// A taskwait with dependences: what it names, and which tasks that turned out to be.
struct Awaited {
  std::vector<Dependence> accesses;
  std::vector<TaskId> tasks;
};

struct Region {
  int size = 1; // of the team that was recorded
  std::vector<TaskId> implicit;
};

struct Graph {
  std::string program;
  std::string scheduler; // in force while recording
  int workers_recorded = 1;
  Time outside = 0; // computed outside parallel regions
  std::vector<GraphTask> tasks;
  std::vector<uint8_t> properties;
  std::vector<Operation> operations;
  std::vector<Region> regions;
  std::unordered_map<TaskId, int> priorities;
  std::unordered_map<TaskId, uint32_t> predecessors;     // how many, of dependent tasks
  std::unordered_map<TaskId, std::vector<TaskId>> heirs; // successors
  std::unordered_map<TaskId, std::vector<Dependence>> accesses;
  std::vector<Awaited> awaited;   // of kWaitTasks
  std::vector<std::string> names; // of hand-made graphs, by task; else empty

  size_t size() const { return tasks.size(); }
  bool descends(TaskId task, TaskId ancestor) const {
    return tasks[task].order > tasks[ancestor].order && tasks[task].order < tasks[ancestor].order_end;
  }
  std::string name_of(TaskId task) const {
    return task < names.size() && !names[task].empty() ? names[task] : "t" + std::to_string(task);
  }

  TaskId add_task(TaskId parent, uint8_t task_properties);
  /// Appends an operation; a computation too long for one is cut into several.
  void add_operation(Time before, Op op, uint32_t argument = 0);
  void add_dependence(TaskId predecessor, TaskId successor);
  /// The same, with accesses to an address of the predecessor's own.
  void add_dependence_with_accesses(TaskId predecessor, TaskId successor);
  /// To be called once, when all is there: orders the tree.
  void finish();
};

/// Which tasks an access to an address has to wait for, in the order of creation (OpenMP 5.2, 15.9.5). One for the
/// children of each task. mutexinoutset is taken for inout: one order of several.
class DependenceResolver {
public:
  explicit DependenceResolver(Graph& graph) : graph_(graph) {}
  /// `task` accesses `address`: adds the dependences. kNoTask with `awaited`: gathers them there instead.
  void access(TaskId task, uint64_t address, Access access, Awaited* awaited = nullptr);

private:
  struct Record {
    std::vector<TaskId> writers, readers, set;
    bool set_open = false;
  };
  void depend(const std::vector<TaskId>& on, TaskId task, Awaited* awaited);

  Graph& graph_;
  std::unordered_map<uint64_t, Record> records_;
  std::vector<TaskId> all_; // accesses of all memory, and what came before
};

struct Analysis {
  Time work = 0;        // computed inside regions
  Time span = 0;        // of the longest path through them
  uint64_t tasks = 0;   // explicit ones
  uint32_t deepest = 0; // generations
  double parallelism() const { return span > 0 ? static_cast<double>(work) / static_cast<double>(span) : 1; }
};

Analysis analyse(const Graph& graph);

/// Hand-made graphs as text, for tests; see README.md.
Graph read_text(const std::string& text);
std::string write_text(const Graph& graph);

/// "fib:N[,leaf ns]", "flat:N,ns": graphs made here, for speed and tests.
Graph make_synthetic(const std::string& description);

/// What recording itself cost, to be taken off again: by kind of the event before and after a computation.
struct RecordingCosts {
  double ns[kRecordKinds][kRecordKinds] = {};
  bool known = false;
};

/// A file that CHOMP_RECORD wrote. Throws Error with the reason if it is none, or incomplete. Several, of a program
/// that does the same each time, make one in which each computation takes its shortest time: other processes interrupt
/// and slow down. Those that do not agree with the first are left out.
Graph read_recordings(const std::vector<std::string>& paths, const RecordingCosts& costs);
/// Writes a graph as a recording of one worker, as a team of one would have run it.
void write_recording(const Graph& graph, const std::string& path);
/// Mean time, in ns, between each kind of event and the next of the same worker: what calibration needs. Of several
/// recordings of one program each gap counts where it is shortest, as in read_recordings(). Rows with fewer than 16
/// samples are negative.
RecordingCosts measure_gaps(const std::vector<std::string>& paths);

} // namespace chomp::simulate
