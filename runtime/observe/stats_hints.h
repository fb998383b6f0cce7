// The hints that the table of CHOMP_STATS gives when its numbers are plainly bad. `chomp report` finds more, and says
// where.
#pragma once

#include <cstdint>

#include "runtime/core/counters.h"

namespace chomp {

/// What the hints are made of.
struct StatsSummary {
  uint64_t mean_task_ns; // 0: there were no tasks
  uint32_t idle_percent; // of the time that all threads spent in regions
  uint32_t one_percent;  // of the tasks were made by one thread
  uint32_t held_percent; // of the tasks had to wait for others
};

namespace hints {

inline constexpr uint64_t kManyTasks = 10'000;
inline constexpr uint64_t kShortNs = 500;           // about what a steal costs both sides
inline constexpr uint64_t kRunsLongNs = 10'000'000; // if the regions took less, the run proves nothing
inline constexpr uint32_t kMuchIdle = 25;

inline uint32_t percent(uint64_t part, uint64_t whole) {
  if (whole == 0) return 0;
  double share = 100 * static_cast<double>(part) / static_cast<double>(whole);
  return share > 100 ? 100 : static_cast<uint32_t>(share);
}

// Whether several threads shared regions, for long enough.
inline bool says_something(const CounterReport& report) {
  return report.worker_count > 1 && report.total.region_ns >= kRunsLongNs;
}

inline bool too_short(const CounterReport& report, const StatsSummary& of) {
  return report.total.run >= kManyTasks && of.mean_task_ns < kShortNs;
}
inline bool one_producer(const CounterReport& report, const StatsSummary& of) {
  return report.total.created >= kManyTasks && of.one_percent >= 95 && of.idle_percent >= kMuchIdle;
}
inline bool much_held(const CounterReport&, const StatsSummary& of) {
  return of.held_percent >= 50 && of.idle_percent >= kMuchIdle;
}
inline bool much_idle(const CounterReport& report, const StatsSummary& of) {
  return of.idle_percent >= 2 * kMuchIdle && !one_producer(report, of) && !much_held(report, of);
}

struct Hint {
  bool (*applies)(const CounterReport&, const StatsSummary&);
  const char* text;
};
inline constexpr Hint kHints[] = {
    {too_short,
     "The tasks are so short that making them and handing them over takes as long: make fewer and larger ones."},
    {one_producer,
     "One thread makes the tasks and the others wait for them: let several make tasks, or make larger ones."},
    {much_held, "Most tasks wait for others by their dependences, and threads are idle: the chains may be too long."},
    {much_idle, "The threads were idle for half of their time in regions or more."},
};

} // namespace hints

inline StatsSummary stats_summary(const CounterReport& report) {
  const CounterValues& total = report.total;
  uint64_t most = 0;
  for (int i = 0; i < report.worker_count; ++i)
    if (report.workers[i].values.created > most) most = report.workers[i].values.created;
  return {
      .mean_task_ns = total.run == 0 ? 0 : total.task_ns / total.run,
      .idle_percent = hints::percent(total.idle_ns, total.region_ns * static_cast<uint64_t>(report.worker_count)),
      .one_percent = hints::percent(most, total.created),
      .held_percent = hints::percent(total.held, total.created),
  };
}

/// Hint `number` (0, 1, …), without a newline; null after the last.
inline const char* stats_hint(const CounterReport& report, const StatsSummary& summary, int number) {
  if (!hints::says_something(report)) return nullptr;
  for (const hints::Hint& hint : hints::kHints)
    if (hint.applies(report, summary) && number-- == 0) return hint.text;
  return nullptr;
}

} // namespace chomp
