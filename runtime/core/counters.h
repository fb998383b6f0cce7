// What each worker has done, in numbers: for CHOMP_STATS (stats.cpp) and chomp.h (abi/chomp_api.cpp). Only the worker
// itself writes its counters, by plain additions; any thread may read them at any time. What happens on slow paths is
// always counted. Single tasks are counted only while somebody observes (events.h), since they are on the hot path.
//
// A worker's record outlives its thread and serves the next thread, so nothing is lost when threads end. No counter
// belongs to a team or a member, since these come and go. A worker that moves to another domain leaves what it has
// counted so far to the domain where it was:
//
//   of a domain = what workers did there before they left + what the present ones have done since they came
//   sum over domains = sum over workers = total
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/base/cacheline.h"
#include "runtime/base/counter.h"

namespace chomp {

struct Worker;

/// One reading of all counters: those of events.def, in the order of chomp.h, which says what each counts.
struct CounterValues {
#define COUNTER(name, table) uint64_t name;
#include "runtime/core/events.def"
};

/// In which table CHOMP_STATS shows a counter.
enum class CounterTable : uint8_t { kTasks, kThreads, kNotShown };

struct CounterField {
  const char* name;
  CounterTable table;
  uint64_t CounterValues::* field;
};
inline constexpr CounterField kCounterFields[] = {
#define COUNTER(name, table) {#name, CounterTable::table, &CounterValues::name},
#include "runtime/core/events.def"
};

/// Adds `more` to `sum`; of the deepest nesting, the larger value stays.
void counters_add(CounterValues* sum, const CounterValues& more);

/// Since when a worker has been idle. If it waits for the next region, the time until the last region ended counts as
/// idle in that region, and the rest as between regions.
struct IdleSpell {
  int64_t since_ns = 0; // 0: not idle
  const atomic<int64_t>* region_ended_ns = nullptr;
};

struct alignas(kCacheLine) WorkerCounters {
  // Always counted.
#define COUNTER(name, table) Counter name;
#define TASK_COUNTER(name, table)
#define SCHEDULER_COUNTER(name, table)
#define READ_COUNTER(name, table)
#include "runtime/core/events.def"
  Counter idle_ns, between_regions_ns;
  atomic<int64_t> idle_since_ns{0}; // as IdleSpell
  atomic<const atomic<int64_t>*> region_ended_ns{nullptr};
  // Counted for observed tasks only.
#define COUNTER(name, table)
#define TASK_COUNTER(name, table) Counter name;
#include "runtime/core/events.def"
  Counter task_cycles, region_ns;
  atomic<int64_t> region_since_ns{0}; // the region that region_ns counts next; 0: the thread is in none
  Counter deepest_nesting;            // since `resets_seen` and since the worker came to its domain
  atomic<uint32_t> resets_seen{0};    // the last reset after which the worker has cleared its deepest nesting
  uint64_t nesting = 0;               // only the worker touches this and the next two
  uint64_t task_since =
      0; // by the cycle counter, when the task on top went on; 0: there is none, or the worker is idle
  uint64_t open_regions = 0; // that it has begun

  uint16_t domain = 0; // where the worker is, as topology.h counts; written under the lock of counters.cpp
  // The worker has had a domain, to which its counts belong. Written under the lock; the primary that has taken the
  // worker from the pool reads it without the lock.
  bool placed = false;
  // Read and written under that lock.
  bool in_use = false;         // a thread has had the record, in this process
  uint64_t deepest_before = 0; // its deepest nesting in other domains
  CounterValues at_reset{};    // what counted until the last reset, and counts no longer
  CounterValues at_arrival{};  // what counts for the domains where it was before

  void begin_idle(const IdleSpell& spell);
  void end_idle(const IdleSpell& spell, int64_t now_ns);
};

/// Called when a thread begins to use the record.
void counters_use(Worker* worker);

/// Called by the primary of a worker's first team, where it is in `domain`, before the worker knows of it. If each new
/// worker entered its domain itself, those of a large team would wait for one lock.
void counters_first_domain(Worker* worker, uint16_t domain);

/// Called when the worker begins a region as a member in `domain`, which is not the domain where it was.
void counters_enter_domain(Worker* worker, uint16_t domain);

/// All counters at one moment. The destructor unmaps the rows.
class CounterReport {
public:
  CounterReport();
  ~CounterReport();
  CounterReport(const CounterReport&) = delete;
  CounterReport& operator=(const CounterReport&) = delete;

  struct Row {
    int number; // of the worker (its gtid), or of the domain
    int domain;
    CounterValues values;
  };
  int worker_count = 0; // only those that had a thread
  int domain_count = 0;
  Row* workers = nullptr;
  Row* domains = nullptr;
  CounterValues total{};

private:
  void convert_task_time(int64_t now_ns);

  size_t bytes_ = 0;
};

void counters_reset();

/// Turns the counting of single tasks on or off, for regions that begin from now on. Returns whether it was on. While
/// there is another observer, tasks are always counted.
bool counters_observe(bool on);

/// Called in the child of fork(): all counters begin at zero, with one thread.
void counters_reset_after_fork(Worker* self);

} // namespace chomp
