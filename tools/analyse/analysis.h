// chomp report: what a recording says of where the time went, of each construct, and of work and span. All times are in
// nanoseconds, without what recording itself took.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tools/recording/recording.h"

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
};
inline constexpr int kCategories = 9;
extern const char* const kCategoryNames[kCategories];

/// What the machine and the runtime take, measured by `chomp report` beforehand.
struct Costs {
  double event_ns = 0; // recording one event, with the paths that an observed task takes
  double task_ns = 0;  // making and taking up one task, unobserved
  double grain_ns = 0; // tasks of this length are efficient on all CPUs
};

/// Lengths, by powers of two: lengths[k] counts those in [2^k, 2^(k+1)) ns.
struct Grain {
  uint64_t count = 0;
  double sum_ns = 0;
  std::array<uint64_t, 48> lengths{};

  std::multiset<double> longest; // as many as the kernel has interrupted threads, and a few

  void add(double ns, size_t interruptions);
  double mean_ns() const { return count > 0 ? sum_ns / static_cast<double>(count) : 0; }
  /// The mean, if those that may have been interrupted had been as long as the median.
  double undisturbed_mean_ns() const;
  double median_ns() const;
};

/// Tasks of one construct.
struct TaskConstruct {
  Grain grain;             // the task's own work, without tasks that ran on top of it
  uint64_t moved = 0;      // run by another thread than the one that made them
  uint64_t held = 0;       // had to wait for others when they were made (depend)
  uint64_t undeferred = 0; // if(0), or below a final task
  bool recursive = false;  // made by tasks of the same construct
  bool taskloop = false;
  std::map<uint32_t, uint64_t> makers; // tasks by the worker that made them
};

struct RegionConstruct {
  uint64_t count = 0;
  uint64_t threads = 0; // of the largest team
  double time_ns = 0;   // from its beginning to its end
  double work_ns = 0;   // of all its threads
  double span_ns = 0;   // of its longest chain of work that cannot run at the same time
  uint64_t tasks = 0;
  uint64_t held = 0;     // of these, the ones that had to wait for others
  double idle_ns = 0;    // of its threads: for lack of tasks
  double barrier_ns = 0; // of its threads: in its barriers
  uint64_t deepest = 0;  // tasks on top of one another on one stack
};

/// A loop or sections.
struct LoopConstruct {
  uint64_t count = 0;      // executions by a team
  uint64_t kind = 0;       // WorkKind
  uint64_t iterations = 0; // of the last
  uint64_t threads = 0;
  double sum_ns = 0;     // of all members
  double longest_ns = 0; // of the slowest member of each execution, summed
  double lost_ns = 0;    // what the other members had left, while the slowest was still in it
};

struct LockConstruct {
  uint64_t count = 0;
  uint64_t kind = 0; // MutexKind
  double wait_ns = 0;
  double held_ns = 0;
};

struct Analysis {
  std::string program, scheduler;
  bool complete = true; // the whole run
  size_t threads = 0;
  double elapsed_ns = 0;  // from the first OpenMP construct to the end
  double serial_ns = 0;   // of this, outside regions
  double recorder_ns = 0; // of all threads, taken off
  uint64_t preempted = 0; // times that a thread lost its CPU to another one
  double delayed_ns = 0;  // threads were ready to run, but had no CPU
  std::array<double, kCategories> time_ns{};
  Costs costs;
  std::map<uint64_t, TaskConstruct> tasks; // by site
  std::map<uint64_t, RegionConstruct> regions;
  std::map<uint64_t, LoopConstruct> loops;
  std::map<uint64_t, LockConstruct> locks;

  double total_ns() const;
  double share(Category category) const;
  double of(Category category) const { return time_ns[static_cast<size_t>(category)]; }
};

/// `same_place` maps the sites that stand for one place in the source (the compiler may have copied it) to one of them.
Analysis analyse(const recording::Recording& recording, const Costs& costs,
                 const std::map<uint64_t, uint64_t>& same_place);

} // namespace chomp::analyse
