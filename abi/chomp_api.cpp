// chomp.h: chomp's own interface to programs.
#include "abi/chomp.h"

#include <errno.h>
#include <string.h>

#include "abi/abi.h"
#include "runtime/config/version.h"
#include "runtime/config/config.h"
#include "runtime/core/counters.h"
#include "runtime/core/worker.h"
#include "runtime/machine/topology.h"
#include "runtime/startup.h"
#include "runtime/wait/block.h"
#include "schedulers/scheduler.h"

using namespace chomp;

// The program's struct is a size, followed by our values in our order.
static_assert(offsetof(chomp_counters_t, created) == sizeof(size_t));
static_assert(sizeof(chomp_counters_t) == sizeof(size_t) + sizeof(CounterValues));
static_assert(offsetof(chomp_counters_t, idle_ns) == sizeof(size_t) + offsetof(CounterValues, idle_ns));
static_assert(offsetof(chomp_counters_t, region_ns) == sizeof(size_t) + offsetof(CounterValues, region_ns));

/// Copies as many values as the caller's struct has room for.
static int copy_out(const CounterValues& values, chomp_counters_t* counters) {
  if (counters->size < sizeof(size_t)) return EINVAL;
  size_t room = counters->size - sizeof(size_t);
  memset(&counters->created, 0, room);
  memcpy(&counters->created, &values, room < sizeof values ? room : sizeof values);
  return 0;
}

static int copy_row(const CounterReport::Row* rows, int count, int number, chomp_counters_t* counters) {
  if (rows == nullptr) return ENOMEM;
  for (int i = 0; i < count; ++i)
    if (rows[i].number == number) return copy_out(rows[i].values, counters);
  return ENOENT;
}

CHOMP_EXPORT const char* chomp_version(void) { return CHOMP_VERSION; }

CHOMP_EXPORT const char* chomp_scheduler(void) {
  runtime_start();
  return scheduler_name(scheduler_find(config.scheduler)).name; // not the alias
}

CHOMP_EXPORT const char* chomp_scheduler_name(int index) { return scheduler_by_number(index).name; }
CHOMP_EXPORT const char* chomp_scheduler_alias(int index) { return scheduler_by_number(index).alias; }

static void find_domains() {
  runtime_start();
  runtime_start_parallel();
}

static bool is_domain(int domain) {
  find_domains();
  return domain >= 0 && domain < topology.domain_count;
}

CHOMP_EXPORT chomp_task_t* chomp_task_self(void) {
  return reinterpret_cast<chomp_task_t*>(blocking_handle(this_worker()));
}

CHOMP_EXPORT int chomp_task_suspend(chomp_task_t* self) {
  Worker* worker = this_worker();
  return block(worker, reinterpret_cast<DetachEvent*>(self)) ? 0 : EINVAL;
}

CHOMP_EXPORT int chomp_task_resume(chomp_task_t* task) {
  return task != nullptr && unblock(reinterpret_cast<DetachEvent*>(task)) ? 0 : EINVAL;
}

CHOMP_EXPORT int chomp_domains(void) {
  find_domains();
  return topology.domain_count;
}

CHOMP_EXPORT int chomp_domain_units(int domain) { return is_domain(domain) ? topology_units_in(domain) : 0; }

CHOMP_EXPORT int chomp_domain_distance(int from, int to) {
  return is_domain(from) && is_domain(to) ? topology_distance(from, to) : -1;
}

CHOMP_EXPORT const char* chomp_topology(void) {
  find_domains();
  return topology.source;
}

CHOMP_EXPORT int chomp_read_worker(int worker, chomp_counters_t* counters) {
  CounterReport report;
  return copy_row(report.workers, report.worker_count, worker, counters);
}

CHOMP_EXPORT int chomp_read_domain(int domain, chomp_counters_t* counters) {
  find_domains();
  CounterReport report;
  return copy_row(report.domains, report.domain_count, domain, counters);
}

CHOMP_EXPORT int chomp_read_total(chomp_counters_t* counters) {
  CounterReport report;
  return report.workers == nullptr ? ENOMEM : copy_out(report.total, counters);
}

CHOMP_EXPORT int chomp_workers(void) {
  CounterReport report;
  return report.worker_count == 0 ? 0 : report.workers[report.worker_count - 1].number + 1;
}

CHOMP_EXPORT int chomp_worker(void) { return this_worker()->gtid; }
CHOMP_EXPORT int chomp_worker_domain(void) { return this_worker()->observe.counters.domain; }

CHOMP_EXPORT void chomp_reset_counters(void) { counters_reset(); }

CHOMP_EXPORT int chomp_count_tasks(int on) {
  runtime_start();
  return counters_observe(on != 0);
}
