// Counting and adding up. See counters.h.
#include "runtime/core/counters.h"

#include <new>

#include "runtime/base/cacheline.h"
#include "runtime/base/lock.h"
#include "runtime/base/os_linux.h"
#include "runtime/core/events.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/machine/topology.h"
#include "runtime/startup.h"

namespace chomp {

namespace {

// Guards what a reading needs beside the counters themselves: where workers are, and what no longer counts.
constinit Lock counters_lock;
CHOMP_LARGE constinit CounterValues left_behind[kMaxDomains] = {}; // what workers had counted when they left the domain
constinit atomic<uint32_t> resets{0};
constinit bool counting_tasks = false; // the observer below has been added
constinit int64_t counting_since_ns = 0;
constinit uint64_t counting_since_cycles = 0; // the same moment

bool is_most(const CounterField& field) { return field.field == &CounterValues::deepest_nesting; }

uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

// What was counted between `before` and `now`; the deepest nesting is that of `now`.
CounterValues since(const CounterValues& now, const CounterValues& before) {
  CounterValues result = now;
  for (const CounterField& field : kCounterFields)
    if (!is_most(field)) result.*field.field -= before.*field.field;
  return result;
}

// Splits a spell of idleness into the time in the region and the time after it.
void split(const IdleSpell& spell, int64_t now_ns, uint64_t* idle_ns, uint64_t* between_ns) {
  int64_t until = now_ns;
  if (spell.region_ended_ns != nullptr) {
    // relaxed: a worker whose wait is over sees when the region ended, by what ended the wait; other readers get an
    // estimate.
    until = spell.region_ended_ns->load(std::memory_order_relaxed);
    if (until < spell.since_ns) until = spell.since_ns;
    if (until > now_ns) until = now_ns;
  }
  *idle_ns = static_cast<uint64_t>(until - spell.since_ns);
  *between_ns = static_cast<uint64_t>(now_ns - until);
}

void read_idle_time(const WorkerCounters& counters, int64_t now_ns, CounterValues* values) {
  // The spell may end while we read: then we read again. relaxed, all: the values may be a moment old.
  int64_t since_ns;
  IdleSpell spell;
  do {
    since_ns = counters.idle_since_ns.load(std::memory_order_relaxed);
    spell = {since_ns, counters.region_ended_ns.load(std::memory_order_relaxed)};
    values->idle_ns = counters.idle_ns.value();
    values->between_regions_ns = counters.between_regions_ns.value();
  } while (counters.idle_since_ns.load(std::memory_order_relaxed) != since_ns);
  if (since_ns == 0 || since_ns > now_ns) return;
  uint64_t idle_ns, between_ns;
  split(spell, now_ns, &idle_ns, &between_ns);
  values->idle_ns += idle_ns;
  values->between_regions_ns += between_ns;
}

// How long a cycle of the counter is, by what both clocks say since the counting began.
double ns_per_cycle(int64_t now_ns) {
  uint64_t cycles = cycle_counter() - counting_since_cycles;
  if (counting_since_ns == 0 || cycles == 0) return 0;
  return static_cast<double>(now_ns - counting_since_ns) / static_cast<double>(cycles);
}

uint64_t region_time(const WorkerCounters& counters, int64_t now_ns) {
  int64_t since_ns = counters.region_since_ns.load(std::memory_order_relaxed); // relaxed: as in read_idle_time()
  return counters.region_ns.value() +
         (since_ns == 0 || since_ns > now_ns ? 0 : static_cast<uint64_t>(now_ns - since_ns));
}

// What the worker has counted since its record was made; the deepest nesting, since the last reset and in this domain.
CounterValues read_all(const Worker* worker, int64_t now_ns) {
  const WorkerCounters& counters = worker->observe.counters;
  const SchedulerCounts& scheduler = worker->stealing.counts;
  CounterValues values{};
  // relaxed, both: a hint; at worst the deepest nesting is one of a moment ago.
  if (counters.resets_seen.load(std::memory_order_relaxed) == resets.load(std::memory_order_relaxed))
    values.deepest_nesting = counters.deepest_nesting.value();
#define COUNTER(name, table) values.name = counters.name.value();
#define SCHEDULER_COUNTER(name, table) values.name = scheduler.name.value();
#define READ_COUNTER(name, table)
#include "runtime/core/events.def"
  values.task_ns = counters.task_cycles.value(); // in cycles, until a report is complete
  values.region_ns = region_time(counters, now_ns);
  read_idle_time(counters, now_ns, &values);
  return values;
}

void reset_locked() {
  int64_t now_ns = monotonic_ns();
  resets.fetch_add(1, std::memory_order_relaxed); // relaxed: see read_all()
  for (CounterValues& domain : left_behind) domain = CounterValues{};
  for (int gtid = 0; Worker* worker = worker_by_gtid(gtid); ++gtid) {
    worker->observe.counters.at_reset = worker->observe.counters.at_arrival = read_all(worker, now_ns);
    worker->observe.counters.deepest_before = 0;
  }
}

// ---- Single tasks ---------------------------------------------------------------------------------------------------

void set(Counter& counter, uint64_t value) { counter.add(value - counter.value()); }

void nest_deeper(WorkerCounters& counters) {
  ++counters.nesting;
  uint32_t seen = resets.load(std::memory_order_relaxed); // relaxed, both: see read_all()
  if (counters.resets_seen.load(std::memory_order_relaxed) != seen) {
    set(counters.deepest_nesting, 0);
    counters.resets_seen.store(seen, std::memory_order_relaxed);
  }
  if (counters.nesting > counters.deepest_nesting.value()) set(counters.deepest_nesting, counters.nesting);
}

// The task on top of the worker's stack stops, since another one begins or the worker is idle; or it goes on.
void stop_task_time(WorkerCounters& counters, uint64_t now) {
  if (counters.task_since != 0) counters.task_cycles.add(now - counters.task_since);
  counters.task_since = 0;
}

void begin_task_time(WorkerCounters& counters, uint64_t now) {
  if (counters.nesting != 0) counters.task_since = now;
}

void count_goes_on(Worker* worker, Task*) {
  WorkerCounters& counters = worker->observe.counters;
  uint64_t now = cycle_counter();
  stop_task_time(counters, now);
  nest_deeper(counters);
  begin_task_time(counters, now);
}

void count_begin(Worker* worker, Task* task) {
  WorkerCounters& counters = worker->observe.counters;
  counters.run.add();
  if (observed(task)->runs_at_creation) counters.run_inline.add();
  if (observed(task)->domain != counters.domain) counters.run_on_other_domain.add();
  count_goes_on(worker, task);
}

void count_end(Worker* worker, Task*) {
  WorkerCounters& counters = worker->observe.counters;
  uint64_t now = cycle_counter();
  stop_task_time(counters, now);
  --counters.nesting;
  begin_task_time(counters, now);
}

void count_region_begin(Worker* worker, Team*) {
  WorkerCounters& counters = worker->observe.counters;
  counters.regions.add();
  if (counters.open_regions++ != 0 || !worker->thread.is_root) return;
  counters.region_since_ns.store(monotonic_ns(), std::memory_order_relaxed); // relaxed: readers get some value
}

void count_region_end(Worker* worker, Team*) {
  WorkerCounters& counters = worker->observe.counters;
  if (--counters.open_regions != 0 || !worker->thread.is_root) return;
  int64_t since_ns = counters.region_since_ns.load(std::memory_order_relaxed); // relaxed, both: as above
  counters.region_since_ns.store(0, std::memory_order_relaxed);
  counters.region_ns.add(static_cast<uint64_t>(monotonic_ns() - since_ns));
}

void count_loop(Worker* worker, WorkKind kind, uint64_t, const void*) {
  bool is_loop = kind == WorkKind::kLoopStatic || kind == WorkKind::kLoopDynamic || kind == WorkKind::kLoopGuided;
  if (is_loop && worker->member->tid == 0) worker->observe.counters.loops.add();
}

void count_idle_begin(Worker* worker) { stop_task_time(worker->observe.counters, cycle_counter()); }
void count_idle_end(Worker* worker) { begin_task_time(worker->observe.counters, cycle_counter()); }

template <Counter WorkerCounters::* counter, typename... More> void count(Worker* worker, More...) {
  (worker->observe.counters.*counter).add();
}

#define COUNT(counter) count<&WorkerCounters::counter>
#define EVENT(name, parameters, told, recorded, counted) .name = counted,
constinit const Observer task_counter = {
#include "runtime/core/events.def"
};

} // namespace

void counters_add(CounterValues* sum, const CounterValues& more) {
  for (const CounterField& field : kCounterFields) {
    uint64_t& value = sum->*field.field;
    value = is_most(field) ? larger(value, more.*field.field) : value + more.*field.field;
  }
}

void WorkerCounters::begin_idle(const IdleSpell& spell) {
  // relaxed, both: readers get some value; see read_idle_time().
  region_ended_ns.store(spell.region_ended_ns, std::memory_order_relaxed);
  idle_since_ns.store(spell.since_ns, std::memory_order_relaxed);
}

void WorkerCounters::end_idle(const IdleSpell& spell, int64_t now_ns) {
  uint64_t in_region_ns, after_ns;
  split(spell, now_ns, &in_region_ns, &after_ns);
  idle_since_ns.store(0, std::memory_order_relaxed); // relaxed: as in begin_idle()
  idle_ns.add(in_region_ns);
  between_regions_ns.add(after_ns);
}

void counters_use(Worker* worker) {
  std::lock_guard guard(counters_lock);
  worker->observe.counters.in_use = true;
}

void counters_first_domain(Worker* worker, uint16_t domain) {
  WorkerCounters& counters = worker->observe.counters;
  if (counters.placed) return;
  std::lock_guard guard(counters_lock);
  counters.placed = true;
  counters.domain = domain;
}

void counters_enter_domain(Worker* worker, uint16_t domain) {
  WorkerCounters& counters = worker->observe.counters;
  std::lock_guard guard(counters_lock);
  counters.placed = true;
  CounterValues now = read_all(worker, monotonic_ns());
  counters_add(&left_behind[counters.domain], since(now, counters.at_arrival));
  counters.deepest_before = larger(counters.deepest_before, now.deepest_nesting);
  set(counters.deepest_nesting, counters.nesting);
  counters.at_arrival = now;
  counters.domain = domain;
}

CounterReport::CounterReport() {
  std::lock_guard guard(counters_lock);
  int records = 0, domains_seen = runtime_has_started_parallel() ? topology.domain_count : 1;
  while (worker_by_gtid(records) != nullptr) ++records;
  bytes_ = static_cast<size_t>(records + kMaxDomains) * sizeof(Row);
  workers = static_cast<Row*>(map_pages(bytes_));
  if (workers == nullptr) return; // the report stays empty
  domains = workers + records;
  domain_count = domains_seen;
  for (int domain = 0; domain < domain_count; ++domain)
    domains[domain] = {.number = domain, .domain = domain, .values = left_behind[domain]};
  int64_t now_ns = monotonic_ns();
  for (int gtid = 0; gtid < records; ++gtid) {
    const Worker* worker = worker_by_gtid(gtid);
    const WorkerCounters& counters = worker->observe.counters;
    if (!counters.in_use) continue;
    CounterValues now = read_all(worker, now_ns);
    counters_add(&domains[counters.domain].values, since(now, counters.at_arrival));
    Row& row = workers[worker_count++];
    row = {.number = gtid, .domain = counters.domain, .values = since(now, counters.at_reset)};
    row.values.deepest_nesting = larger(now.deepest_nesting, counters.deepest_before);
    counters_add(&total, row.values);
  }
  convert_task_time(now_ns);
}

void CounterReport::convert_task_time(int64_t now_ns) {
  const double ns = ns_per_cycle(now_ns);
  auto convert = [ns](CounterValues* values) {
    values->task_ns = static_cast<uint64_t>(static_cast<double>(values->task_ns) * ns);
  };
  for (int i = 0; i < worker_count; ++i) convert(&workers[i].values);
  for (int i = 0; i < domain_count; ++i) convert(&domains[i].values);
  convert(&total);
}

CounterReport::~CounterReport() { unmap_pages(workers, bytes_); }

void counters_reset() {
  std::lock_guard guard(counters_lock);
  reset_locked();
}

bool counters_observe(bool on) {
  std::lock_guard guard(counters_lock);
  // relaxed: the thread that turns it on sees it; other threads read it when a region begins.
  bool before = counting_tasks && events_on.load(std::memory_order_relaxed);
  if (on && !counting_tasks) {
    counting_since_ns = monotonic_ns();
    counting_since_cycles = cycle_counter();
    events_add_observer(&task_counter);
  }
  counting_tasks |= on;
  if (counting_tasks && (on || events_observers() == 1)) events_observe(on);
  return before;
}

void counters_reset_after_fork(Worker* self) {
  counters_lock.reset_after_fork();
  for (int gtid = 0; Worker* worker = worker_by_gtid(gtid); ++gtid) {
    if (worker == self) continue;
    worker->observe.counters.in_use = false;
    // relaxed: its thread does not exist.
    worker->observe.counters.idle_since_ns.store(0, std::memory_order_relaxed);
  }
  reset_locked();
}

} // namespace chomp
