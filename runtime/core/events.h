// What can be seen of a program's run: where threads, regions, tasks, waits, constructs and mutexes begin and end, and
// the observers that are called there. CHOMP_STATS, the recorder, the stall report and an OMPT tool are observers; a
// new one adds itself and changes none of the points. The table of events is events.def.
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
#define EVENT(name, parameters, told, recorded, counted) void(*name) parameters = nullptr;
#include "runtime/core/events.def"
  /// Whether the events of threads, regions and implicit tasks are meant also where tasks are not observed.
  bool sees_all_regions = false;
};

/// Whether somebody observes tasks; read when a region begins.
extern atomic<bool> events_on;
/// Whether there is an OMPT tool, which may want no events of tasks.
extern atomic<bool> tool_there;
/// Whether either is so.
extern atomic<bool> announcing_;

// relaxed, both: the thread that has changed it sees it.
inline bool announcing() {
#if defined(__x86_64__) && !defined(CHOMP_VIRTUAL) && !__has_feature(thread_sanitizer)
  bool does; // of an atomic load the compiler makes a load and a test
  asm("cmpb $0, %1" : "=@ccne"(does) : "m"(announcing_));
  return CHOMP_UNLIKELY(does);
#else
  return CHOMP_UNLIKELY(announcing_.load(std::memory_order_relaxed));
#endif
}
inline bool tool_attached() { return tool_there.load(std::memory_order_relaxed); } // relaxed: as above

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

// ---- The points -----------------------------------------------------------------------------------------------------

/// Calls each observer that has the function `point`.
template <auto point> struct Announcement;
template <typename... More, void (*Observer::*point)(Worker*, More...)> struct Announcement<point> {
  CHOMP_SLOW static void with(Worker* worker, More... more);
  CHOMP_SLOW static void here(More... more); // by the calling thread, which is registered with the runtime, if need be
};

// Those of tasks are announced of tasks that are kObserved only, the others behind announcing().
#define EVENT(name, parameters, told, recorded, counted)                                                               \
  inline constexpr auto event_##name = Announcement<&Observer::name>::with;
#define EVENT_HERE(name, parameters, told, recorded, counted)                                                          \
  inline constexpr auto event_##name = Announcement<&Observer::name>::here;
#define OWN_EVENT(name, parameters, told, recorded, counted)
#include "runtime/core/events.def"

// Those that do more than to call the observers.

CHOMP_SLOW void event_task_created(Worker* worker, Task* task, bool runs_at_creation);
CHOMP_SLOW void event_dependences(Worker* worker, Task* task, const DependenceList& list);
CHOMP_SLOW void event_dependence_satisfied(Worker* worker, Task* before, Task* after); // null: no task, but a wait

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

CHOMP_SLOW void event_thread_begin(Worker* worker);
CHOMP_SLOW void event_implicit_begin(Worker* worker, Task* task);
CHOMP_SLOW void event_implicit_end(Worker* worker, Task* task);
CHOMP_SLOW void event_region_begin(Worker* worker, Team* team);
CHOMP_SLOW void event_region_end(Worker* worker, Team* team);
CHOMP_SLOW void event_league_begin(Worker* worker, ToolRegion* league, int teams);

CHOMP_SLOW void event_work_begin(Worker* worker, WorkKind kind, uint64_t count, const void* site);
/// Ends the construct that the member is in, if it is in one.
CHOMP_SLOW void event_work_end(Worker* worker, const void* site);
/// The same for single, scope and taskloop, of which the member remembers nothing.
CHOMP_SLOW void event_work_at(Worker* worker, WorkKind kind, bool begin, uint64_t count, const void* site);

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
