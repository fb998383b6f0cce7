// The one list of what can be seen of a program's run: where threads, regions, tasks, waits, constructs and mutexes
// begin and end, and the observers that are called there. CHOMP_STATS, the recorder, the stall report and an OMPT tool
// are observers; a new one adds itself and changes none of the points.
//
// Nothing is paid while nobody observes. Before a point that is not of a task the caller asks announcing(), one test of
// a byte that seldom changes. If somebody observes when a region begins, the region's implicit tasks have the flag
// kObserved, which every task inherits as it inherits `final`. The hot path meets the flag in tests that it makes
// anyway: kSlowAtSpawn (created), kSlowAtFinish (end), and a run_watermark above every stack pointer (begin, waits).
// Everything behind these tests is out of line. Whether a region is observed is decided when it begins, for all its
// members.
//
// Every observed task has an ObservedTask (task.h) from event_task_created() to the last event about it: its id, the
// task and the domain that made it, and a word for a tool.
//
// For each observed task, in this order:
//
//   [dependences]  created  [dependence satisfied …]  begin  end  [fulfilled]        or: … created … discarded
//
// `end` says that the body has returned; a detachable task whose event comes later is finished when it is `fulfilled`.
// Between its begin and its end a task may stop and go on. Begins and ends on one worker nest; a task that goes on
// begins once more, one that stops ends. The tasks of a taskloop appear as children of the task that encountered it,
// whoever makes them.
//
// An observer's functions are called outside all locks, by the worker that causes the event; for dependence_satisfied
// and task_fulfilled that may be a thread outside the team. The functions may not run OpenMP constructs.
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/base/check.h"
#include "runtime/core/task.h"
#include "runtime/core/wait.h"
#include "runtime/observe/tool_state.h"

namespace chomp {

struct DependenceList;
struct Team;
struct Worker;
enum class CancelKind : int;

/// The functions of an observer. Null: it does not need the event.
struct Observer {
  /// The current task has made `task`: worker->current or, for a task of a loop, the task that encountered the loop. No
  /// other thread can see `task` yet. ObservedTask::runs_at_creation is not known before `task_begin`.
  void (*task_created)(Worker*, Task* task) = nullptr;
  /// The dependences that `task` declares, before it is created. If `task` is null, the current task itself waits as
  /// such a task would (taskwait depend, an undeferred task). Called whether or not anything is left to wait for.
  void (*dependences)(Worker*, Task* task, const DependenceList&) = nullptr;
  /// `before` has finished, and `after`, which was made while it had not, depends on it.
  void (*dependence_satisfied)(Worker*, Task* before, Task* after) = nullptr;
  /// `after` is about to wait for siblings (null: the current task itself waits). It depends on a task that a tool
  /// calls `before`, and that may not have finished.
  void (*dependence_found)(Worker*, ToolWord before, Task* after) = nullptr;
  /// The current task has waited for what it announced by `dependences` with null.
  void (*dependences_met)(Worker*) = nullptr;
  /// `task` begins on top of worker->current.
  void (*task_begin)(Worker*, Task* task) = nullptr;
  /// `task` ends; worker->current is `task` or the task below it.
  void (*task_end)(Worker*, Task* task) = nullptr;
  /// The innermost task leaves the worker's stack; or goes on, on top of worker->current or as that, perhaps elsewhere.
  void (*task_stops)(Worker*, Task* task) = nullptr;
  void (*task_goes_on)(Worker*, Task* task) = nullptr;
  /// `task` was cancelled before it began.
  void (*task_discarded)(Worker*, Task* task) = nullptr;
  /// The event of a detachable task has come before its end.
  void (*task_early_fulfilled)(Worker*, Task* task) = nullptr;
  /// The event of a detached task has come after its end.
  void (*task_fulfilled)(Worker*, Task* task) = nullptr;
  /// task->taskgroup is a new group; it ends with a wait for WaitFor::kTaskgroup.
  void (*group_begin)(Worker*, Task* task) = nullptr;
  /// `task` waits, also if there is nothing to wait for: kChildren, kTaskgroup, kWord (dependences, and only if there
  /// is something to wait for), kBarrier, kJoin (the end of its region). On a pool thread implicit_end takes the place
  /// of the end of kJoin.
  void (*wait_begin)(Worker*, Task* task, WaitFor) = nullptr;
  void (*wait_end)(Worker*, Task* task, WaitFor) = nullptr;
  /// A thread begins or ends to use OpenMP.
  void (*thread_begin)(Worker*) = nullptr;
  void (*thread_end)(Worker*) = nullptr;
  /// An implicit or initial task begins, or ends. The implicit task of a pool thread ends when the thread is next
  /// needed.
  void (*implicit_begin)(Worker*, Task* task) = nullptr;
  void (*implicit_end)(Worker*, Task* task) = nullptr;
  /// Called around a region, also a serialised one, by the thread that encountered it.
  void (*region_begin)(Worker*, Team*) = nullptr;
  void (*region_end)(Worker*, Team*) = nullptr;
  /// Whether these four are called also where tasks are not observed.
  bool sees_all_regions = false;
  /// The teams construct.
  void (*league_begin)(Worker*, ToolRegion* league, int teams) = nullptr;
  void (*league_end)(Worker*, ToolRegion* league) = nullptr;
  /// The worker has looked for work in vain, and waits; then it has found some, or its wait is over.
  void (*idle_begin)(Worker*) = nullptr;
  void (*idle_end)(Worker*) = nullptr;
  /// The worker has given `count` tasks to the scheduler, for others to take.
  void (*published)(Worker*, unsigned count) = nullptr;
  /// A worksharing construct, or a taskloop, of `count` iterations; `site` is where the program has called from.
  void (*work_begin)(Worker*, WorkKind, uint64_t count, const void* site) = nullptr;
  void (*work_end)(Worker*, WorkKind, uint64_t count, const void* site) = nullptr;
  /// The member has got some iterations of the loop, or a section, whose number or address is `site`.
  void (*chunk)(Worker*, ChunkKind, uint64_t first, uint64_t iterations) = nullptr;
  void (*section)(Worker*, const void* site) = nullptr;
  void (*masked)(Worker*, bool begin, const void* site) = nullptr;
  void (*reduction)(Worker*, bool begin, const void* site) = nullptr;
  /// ordered depend(sink) and depend(source), with one value for each loop.
  void (*doacross)(Worker*, bool sink, const int64_t* vector, int count) = nullptr;
  void (*cancel)(Worker*, CancelKind, bool activated, const void* site) = nullptr;
  void (*flush)(Worker*, const void* site) = nullptr;
  void (*error)(Worker*, int severity, const char* message, const void* site) = nullptr;
  void (*lock_init)(Worker*, MutexKind, uint64_t hint, const void* object, const void* site) = nullptr;
  void (*lock_destroy)(Worker*, MutexKind, const void* object, const void* site) = nullptr;
  /// The current task wants a lock; then it has the lock, or a test has failed; then it gives the lock back.
  void (*mutex_wait)(Worker*, MutexKind, uint64_t hint, const void* object, const void* site) = nullptr;
  void (*mutex_acquired)(Worker*, MutexKind, const void* object, const void* site) = nullptr;
  void (*mutex_given_up)(Worker*) = nullptr;
  void (*mutex_released)(Worker*, MutexKind, const void* object, const void* site) = nullptr;
  /// The owner of a nestable lock sets it once more, or unsets it without freeing it.
  void (*nest_lock)(Worker*, bool begin, const void* object, const void* site) = nullptr;
  /// The process ends by exit() or by returning from main(). Other threads may still run.
  void (*process_ends)() = nullptr;
  /// In the child of fork(), which has one thread.
  void (*forked)() = nullptr;
};

/// Whether somebody observes tasks; read when a region begins.
extern atomic<bool> events_on;
/// Whether there is an OMPT tool, which may want no events of tasks.
extern atomic<bool> tool_there;
/// Whether either is so.
extern atomic<bool> announcing_;

// relaxed, both: the thread that has changed it sees it.
inline bool announcing() { return CHOMP_UNLIKELY(announcing_.load(std::memory_order_relaxed)); }
inline bool tool_attached() { return tool_there.load(std::memory_order_relaxed); }

/// Adds an observer, for ever, and has tasks observed, unless the observer sees all regions. One caller at a time; at
/// most kMostObservers.
inline constexpr int kMostObservers = 8;
void events_add_observer(const Observer* observer);
/// How many of them have tasks observed.
int events_observers();
/// Sets events_on.
void events_observe(bool on);
/// Sets tool_there.
void events_set_tool(bool attached);

inline ObservedTask* observed(Task* task) { return static_cast<ObservedTask*>(task->extra); }

// ---- The points: only of tasks that are kObserved -------------------------------------------------------------------

CHOMP_SLOW void event_task_created(Worker* worker, Task* task, bool runs_at_creation);
CHOMP_SLOW void event_dependences(Worker* worker, Task* task, const DependenceList& list);
CHOMP_SLOW void event_dependence_satisfied(Worker* worker, Task* before, Task* after); // null: no task, but a wait
CHOMP_SLOW void event_dependence_found(Worker* worker, ToolWord before, Task* after);
CHOMP_SLOW void event_dependences_met(Worker* worker);
CHOMP_SLOW void event_task_begin(Worker* worker, Task* task);
CHOMP_SLOW void event_task_end(Worker* worker, Task* task);
CHOMP_SLOW void event_task_stops(Worker* worker, Task* task);
CHOMP_SLOW void event_task_goes_on(Worker* worker, Task* task);
CHOMP_SLOW void event_task_discarded(Worker* worker, Task* task);
CHOMP_SLOW void event_task_early_fulfilled(Worker* worker, Task* task);
CHOMP_SLOW void event_task_fulfilled(Worker* worker, Task* task);
CHOMP_SLOW void event_group_begin(Worker* worker, Task* task);
CHOMP_SLOW void event_wait_begin(Worker* worker, Task* task, WaitFor what);
CHOMP_SLOW void event_wait_end(Worker* worker, Task* task, WaitFor what);
CHOMP_SLOW void event_idle_begin(Worker* worker);
CHOMP_SLOW void event_idle_end(Worker* worker);
CHOMP_SLOW void event_published(Worker* worker, unsigned count);

/// The current task begins a taskloop: `pattern` remembers its id, for tasks of the loop that other workers make.
CHOMP_SLOW void event_loop_begin(Worker* worker, Task* pattern);
/// event_task_created() for a task of that loop.
CHOMP_SLOW void event_loop_task_created(Worker* worker, Task* task, const Task* pattern);

/// These note what the compiler, or the construct, says of an observed task that is being made.
CHOMP_SLOW void event_note_mergeable(Task* task);
CHOMP_SLOW void event_note_undeferred(Task* task);
CHOMP_SLOW void event_note_chunk(Task* task, uint64_t first, uint64_t size);

/// Notes that the creator of `task` runs it at once after all. `task` may be any task, observed or not.
inline void note_runs_at_creation(Task* task) {
  if (task->is(kObserved)) observed(task)->runs_at_creation = true;
}

// ---- The points that are behind announcing() ------------------------------------------------------------------------

CHOMP_SLOW void event_thread_begin(Worker* worker);
CHOMP_SLOW void event_thread_end(Worker* worker);
CHOMP_SLOW void event_implicit_begin(Worker* worker, Task* task);
CHOMP_SLOW void event_implicit_end(Worker* worker, Task* task);
CHOMP_SLOW void event_region_begin(Worker* worker, Team* team);
CHOMP_SLOW void event_region_end(Worker* worker, Team* team);
CHOMP_SLOW void event_league_begin(Worker* worker, ToolRegion* league, int teams);
CHOMP_SLOW void event_league_end(Worker* worker, ToolRegion* league);

CHOMP_SLOW void event_work_begin(Worker* worker, WorkKind kind, uint64_t count, const void* site);
/// Ends the construct that the member is in, if it is in one.
CHOMP_SLOW void event_work_end(Worker* worker, const void* site);
/// The same for single, scope and taskloop, of which the member remembers nothing.
CHOMP_SLOW void event_work_at(Worker* worker, WorkKind kind, bool begin, uint64_t count, const void* site);
CHOMP_SLOW void event_chunk(Worker* worker, ChunkKind kind, uint64_t first, uint64_t iterations);
CHOMP_SLOW void event_section(Worker* worker, const void* site);
CHOMP_SLOW void event_masked(Worker* worker, bool begin, const void* site);
CHOMP_SLOW void event_reduction(Worker* worker, bool begin, const void* site);
CHOMP_SLOW void event_doacross(Worker* worker, bool sink, const int64_t* vector, int count);
CHOMP_SLOW void event_cancel(Worker* worker, CancelKind kind, bool activated, const void* site);

// These register the calling thread with the runtime, if need be.
CHOMP_SLOW void event_flush(const void* site);
CHOMP_SLOW void event_error(int severity, const char* message, const void* site);
CHOMP_SLOW void event_lock_init(MutexKind kind, uint64_t hint, const void* object, const void* site);
CHOMP_SLOW void event_lock_destroy(MutexKind kind, const void* object, const void* site);
CHOMP_SLOW void event_mutex_wait(MutexKind kind, uint64_t hint, const void* object, const void* site);
CHOMP_SLOW void event_mutex_acquired(MutexKind kind, const void* object, const void* site);
CHOMP_SLOW void event_mutex_given_up();
CHOMP_SLOW void event_mutex_released(MutexKind kind, const void* object, const void* site);
CHOMP_SLOW void event_nest_lock(bool begin, const void* object, const void* site);

/// Around a wait of the current task: begins and ends it for observers, if the task is observed.
class ObservedWait {
public:
  ObservedWait(Worker* worker, Task* task, WaitFor what)
      : worker_(worker), task_(task->is(kObserved) ? task : nullptr), what_(what) {
    if (CHOMP_UNLIKELY(task_ != nullptr)) event_wait_begin(worker_, task_, what_);
  }
  ~ObservedWait() {
    if (CHOMP_UNLIKELY(task_ != nullptr)) event_wait_end(worker_, task_, what_);
  }
  ObservedWait(const ObservedWait&) = delete;
  ObservedWait& operator=(const ObservedWait&) = delete;

private:
  Worker* worker_;
  Task* task_; // null: not observed
  WaitFor what_;
};

void events_reset_after_fork();

/// Called in a child that repeats the start, which adds observers.
void events_forget_observers();

} // namespace chomp
