// What each worker has done, in numbers: for CHOMP_STATS (stats.cpp) and chomp.h (abi/chomp_api.cpp). Written by the
// worker alone, by plain additions; read by anybody at any time. What lies on slow paths is always counted; numbers of
// single tasks only while somebody observes (events.h), since they lie on the hot path.
//
// A worker's record outlives its thread and serves the next one, so nothing is lost when threads end, and nothing
// belongs to teams or members, which come and go. Domains get what a worker has counted when it moves to another one:
//
//   of a domain = what workers did there before they left + what those that are there have done since they came
//   sum over domains = sum over workers = total
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/base/cacheline.h"
#include "runtime/base/counter.h"

namespace chomp {

struct Worker;

/// A reading, in the order of chomp.h. Tasks unless said otherwise.
struct CounterValues {
  uint64_t created;             // while observed
  uint64_t run;                 // begun, while observed
  uint64_t run_inline;          // of these: at once, by their creator
  uint64_t published;           // made available to others: to the scheduler, by priority, to another team
  uint64_t acquired_local;      // from the scheduler's queue of the own domain or worker
  uint64_t stolen_operations;   // times that tasks came from another domain's or worker's queue
  uint64_t stolen_tasks;        // how many they were
  uint64_t failed_steals;       // times that a victim had some and gave none
  uint64_t revocations;         // times that a private deque was opened by force
  uint64_t revoked_tasks;       // how many were taken out
  uint64_t run_on_other_domain; // run on another chip than they were created on, while observed
  uint64_t parks;               // times that the worker went to sleep
  uint64_t wakes;               // times that it woke another one
  uint64_t stack_segments;      // made; all of them were in use at one time
  uint64_t deepest_nesting;     // tasks on top of one another on the worker's stack, at most; while observed
  uint64_t idle_ns;             // without a task, in a region
  uint64_t discarded;           // cancelled before they began, while observed
  uint64_t stack_switches;      // times that a task ran on a stack segment
  uint64_t between_regions_ns;  // a pool thread's, in a team, waiting for the next region
};

struct CounterField {
  const char* name;
  uint64_t CounterValues::* field;
};
extern const CounterField kCounterFields[sizeof(CounterValues) / sizeof(uint64_t)];

/// Adds up, but for the deepest nesting, of which the larger counts.
void counters_add(CounterValues* sum, const CounterValues& more);

/// Since when a worker is idle. If it waits for the next region, the time until the last one ended was in that region.
struct IdleSpell {
  int64_t since_ns = 0; // 0: not idle
  const std::atomic<int64_t>* region_ended_ns = nullptr;
};

struct alignas(kCacheLine) WorkerCounters {
  // Always.
  Counter published, revocations, revoked_tasks, parks, wakes, stack_segments, stack_switches;
  Counter idle_ns, between_regions_ns;
  std::atomic<int64_t> idle_since_ns{0}; // as IdleSpell
  std::atomic<const std::atomic<int64_t>*> region_ended_ns{nullptr};
  // Of observed tasks.
  Counter created, run, run_inline, run_on_other_domain, discarded;
  Counter deepest_nesting;              // since `resets_seen` and since the worker came to its domain
  std::atomic<uint32_t> resets_seen{0}; // counters_reset() leaves it to the worker to forget its deepest nesting
  uint64_t nesting = 0;                 // worker only

  uint16_t domain = 0; // where the worker is, as topology.h counts; written by it, under the lock of counters.cpp
  // Under that lock.
  bool in_use = false;         // a thread has had the record, in this process
  uint64_t deepest_before = 0; // in other domains
  CounterValues at_reset{};    // not counted any more
  CounterValues at_arrival{};  // counted for other domains

  void begin_idle(const IdleSpell& spell);
  void end_idle(const IdleSpell& spell, int64_t now_ns);
};

/// A thread takes the record.
void counters_use(Worker* worker);

/// The worker begins a region in a member of that domain; not the one where it was.
void counters_enter_domain(Worker* worker, uint16_t domain);

/// Everything at one moment. Unmapped by the destructor.
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
  size_t bytes_ = 0;
};

/// All numbers begin again at zero.
void counters_reset();

/// Tasks of regions that begin from now on are counted one by one, or not. Returns whether they were. While somebody
/// else observes they are always counted.
bool counters_observe(bool on);

/// In the child of fork(): it begins at zero, with one thread.
void counters_reset_after_fork(Worker* self);

} // namespace chomp
