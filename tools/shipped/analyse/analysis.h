// chomp report: what a recording says of where the time went, of each construct, and of work and span. All times are in
// nanoseconds, without what recording itself took.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tools/shipped/recording/recording.h"

namespace chomp::analyse {

/// Where the time of all threads went. Every moment of every thread is in one of these.
enum class Category {
  kWork,        // in the program's code
  kCreation,    // making tasks
  kScheduling,  // taking up tasks of its own
  kStealing,    // taking up tasks that another thread made
  kTaskwait,    // idle in a taskwait or taskgroup whose tasks others run
  kBarrier,     // idle in a barrier, since others are in their part of the region
  kLock,        // waiting for locks and critical sections
  kLackOfWork,  // idle since there was nothing to run: outside regions, or all tasks run or wait for others
  kUnfoundWork, // idle although tasks waited
  kNoCpu,       // ready to run while others had the CPUs; or idle while those that are waited for were
};
inline constexpr int kCategories = 10;
extern const char* const kCategoryNames[kCategories];

/// What the machine and the runtime take, measured by `chomp report` beforehand.
struct Costs {
  double event_ns = 0; // recording one event, with the paths that an observed task takes
  double task_ns = 0;  // making and taking up one task, unobserved
  double grain_ns = 0; // tasks of this length are efficient on all CPUs
};

/// Lengths, by eighths of powers of two: lengths[8 k + i] counts those from (8 + i) / 8 times 2^k ns on.
struct Grain {
  static constexpr size_t kPowers = 48, kParts = 8;
  uint64_t count = 0;
  double sum_ns = 0;
  std::array<uint64_t, kPowers * kParts> lengths{};

  std::multiset<double> longest; // as many as the kernel has interrupted threads, and a few

  void add(double ns, size_t interruptions);
  double mean_ns() const { return count > 0 ? sum_ns / static_cast<double>(count) : 0; }
  /// The mean, if those that may have been interrupted had been as long as the median.
  double undisturbed_mean_ns() const;
  double median_ns() const;                // within a sixteenth
  uint64_t with_power(size_t power) const; // from 2^power to 2^(power + 1) ns
};

/// Tasks of one construct.
struct TaskConstruct {
  Grain grain;             // the task's own work, without tasks that ran on top of it
  uint64_t moved = 0;      // run by another thread than the one that made them
  uint64_t held = 0;       // had to wait for others when they were made (depend)
  uint64_t undeferred = 0; // if(0), or below a final task
  bool recursive = false;  // made by tasks of the same construct
  bool prioritised = false;
  bool taskloop = false;
  std::map<uint32_t, uint64_t> makers; // tasks by the worker that made them
  double detached_idle_ns =
      0; // of all threads, while nothing ran or waited, and the event of one of these was not fulfilled
};

/// What many executions say of each, if it is not disturbed.
struct Shortest {
  std::vector<double> all;
  double twentieth() const;
};

struct RegionConstruct {
  uint64_t count = 0;
  uint64_t threads = 0;               // of the largest team
  double time_ns = 0;                 // from its beginning to its end
  double work_ns = 0;                 // of all its threads, with those of regions inside it
  double span_ns = 0;                 // of its longest chain of work that cannot run at the same time
  double span_outside_tasks_ns = 0;   // of the span, work of a thread that makes tasks, outside of them
  double span_largest_ns = 0;         // of this, the longest single task, of all executions
  double span_waited_ns = 0;          // of the span, what taskwaits and taskgroups waited for
  uint64_t span_wait_site = 0;        // the last of these
  uint64_t span_largest_site = 0;     // the construct of that task
  std::map<uint64_t, uint64_t> makes; // tasks of the region by construct
  uint64_t tasks = 0;
  uint64_t undeferred = 0;    // of these, the ones that their makers execute at once
  uint64_t held = 0;          // of these, the ones that had to wait for others
  double idle_ns = 0;         // of its threads, for whatever reason
  uint64_t deepest = 0;       // tasks on top of one another on one stack
  uint64_t active = 0;        // threads of all regions that were open when one of these began, at most
  bool nested = false;        // inside another region of more than one thread
  double serial_after_ns = 0; // outside regions, from the end of one of these to the next region or the end
  Shortest overheads;         // of each execution: its time without the longest chain of work
};

/// What each execution of a construct lost. A hypervisor that takes a CPU from a thread says so to nobody: so the one
/// in a hundred that lost most, and one at least, counts like the others, if there are two more.
struct Losses {
  struct Execution {
    double lost_ns, of_ns; // of the threads' time from its beginning to the end of the slowest
  };
  std::vector<Execution> all;
  double sum() const;
  double usual() const; // the share lost of those that lost most is at most that of the middle one
};

/// A barrier inside regions or, with the region's site, at its end: what lies before it, since the barrier before.
struct PhaseConstruct {
  uint64_t count = 0;
  uint64_t threads = 0;
  double sum_ns = 0;     // of all members' work outside of loops, single constructs and tasks
  double longest_ns = 0; // of the slowest member, summed
  Losses lost;           // what the others had left
  double work_ns = 0;    // of all members, of any kind
  double wait_ns = 0;    // of all members in the barrier, while nobody was without a CPU
};

/// single constructs: without the tasks that ran meanwhile
struct SingleConstruct {
  uint64_t count = 0;
  uint64_t threads = 0;
  uint64_t region = 0; // the last one with it
  double work_ns = 0;
  double alone_ns = 0; // of this, in regions without tasks
};

struct WaitConstruct {
  uint64_t count = 0;
  uint64_t tasks = 0;    // that waited here, once or more often
  double unfound_ns = 0; // idle here in a tied task, although tasks waited to be run
};

/// A loop or sections.
struct LoopConstruct {
  uint64_t count = 0;      // executions by a team
  uint64_t kind = 0;       // WorkKind
  uint64_t iterations = 0; // of the last
  uint64_t threads = 0;
  double sum_ns = 0;     // of all members
  double longest_ns = 0; // of the slowest member of each execution, summed
  Losses lost;           // what the other members had left, while the slowest was still in it
};

struct LockConstruct {
  uint64_t count = 0;
  uint64_t kind = 0; // MutexKind
  double wait_ns = 0;
  double held_ns = 0;
};

struct Analysis {
  std::string program, scheduler;
  std::string host, runtime; // of the machine; chomp's version
  int64_t date = 0;          // when it began: seconds since 1970; 0: not known
  std::string missing;       // why this is not the whole run; empty: it is
  size_t threads = 0;
  double elapsed_ns = 0;        // from the first OpenMP construct to the end
  double serial_ns = 0;         // of this, outside regions
  double recorder_ns = 0;       // of all threads, taken off
  uint64_t preempted = 0;       // times that a thread lost its CPU to another one
  uint64_t cpus = 0;            // that the process may use; 0: not known
  double one_thread_ns = 0;     // work in regions of one thread that are not inside others
  uint64_t one_thread_site = 0; // the last of them with much of it
  std::array<double, kCategories> time_ns{};
  Costs costs;
  std::map<uint64_t, TaskConstruct> tasks; // by site
  std::map<uint64_t, RegionConstruct> regions;
  std::map<uint64_t, LoopConstruct> loops;
  std::map<uint64_t, LockConstruct> locks;
  std::map<uint64_t, PhaseConstruct> phases;
  std::map<uint64_t, SingleConstruct> singles;
  std::map<uint64_t, WaitConstruct> waits; // taskwait, the end of a taskgroup

  double total_ns() const;
  double share(Category category) const;
  double of(Category category) const { return time_ns[static_cast<size_t>(category)]; }
};

/// `same_place` maps the sites that stand for one place in the source (the compiler may have copied it) to one of them.
Analysis analyse(const recording::Recording& recording, const Costs& costs,
                 const std::map<uint64_t, uint64_t>& same_place);

} // namespace chomp::analyse
