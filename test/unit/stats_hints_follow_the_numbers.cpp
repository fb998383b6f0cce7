// RUN: %clangxx -std=c++20 -I%root %s -o %t && %t
// What the table of counters says in words: each fault by itself, nothing of a good program, of one that is too short
// to tell, or of one thread.
#include "runtime/observe/stats_hints.h"

#include <string>
#include <vector>

#include "test/unit/check_that.h"

using namespace chomp;

// Here a report is what the test has put into it.
CounterReport::CounterReport() = default;
CounterReport::~CounterReport() = default;

/// A run of four threads, one second: 100,000 tasks of 20 us, made by all, nobody idle.
struct Run {
  CounterReport::Row rows[4];
  CounterReport report;

  Run() {
    for (int i = 0; i < 4; ++i) rows[i] = {.number = i, .domain = 0, .values = {.created = 25'000}};
    report.workers = rows;
    report.worker_count = 4;
    report.total = {.created = 100'000, .run = 100'000, .task_ns = 2'000'000'000, .region_ns = 1'000'000'000};
  }
  std::string hints() const {
    StatsSummary summary = stats_summary(report);
    std::string all;
    for (int i = 0; const char* hint = stats_hint(report, summary, i); ++i) all += hint;
    return all;
  }
  bool says(const char* words) const { return hints().find(words) != std::string::npos; }
  void one_makes_all() {
    for (int i = 0; i < 4; ++i) rows[i].values.created = i == 0 ? 100'000 : 0;
  }
  void idle(uint64_t percent) { report.total.idle_ns = percent * 40'000'000; }
};

static void check_summary() {
  Run run;
  run.idle(30);
  run.report.total.held = 60'000;
  StatsSummary summary = stats_summary(run.report);
  THAT(summary.mean_task_ns == 20'000);
  THAT(summary.idle_percent == 30);
  THAT(summary.one_percent == 25);
  THAT(summary.held_percent == 60);
  run.idle(1000); // teams of several sizes
  THAT(stats_summary(run.report).idle_percent == 100);
  run.report.total = {};
  summary = stats_summary(run.report);
  THAT(summary.mean_task_ns == 0 && summary.idle_percent == 0 && summary.one_percent == 0 && summary.held_percent == 0);
}

static void check_faults() {
  Run good;
  THAT(good.hints().empty());
  good.idle(20);
  good.one_makes_all();
  good.report.total.held = 90'000;
  THAT(good.hints().empty()); // whatever it does, the threads are busy
  Run tiny;
  tiny.report.total.task_ns = 100'000 * 200;
  THAT(tiny.says("so short") && !tiny.says("idle"));
  Run producer;
  producer.one_makes_all();
  producer.idle(40);
  THAT(producer.says("One thread makes the tasks") && !producer.says("so short") && !producer.says("dependences"));
  Run chains;
  chains.report.total.held = 90'000;
  chains.idle(60);
  THAT(chains.says("dependences") && !chains.says("half of their time"));
  Run idle;
  idle.idle(60);
  THAT(idle.says("half of their time") && !idle.says("One thread"));
  Run few;
  few.report.total.run = 100;
  few.report.total.task_ns = 100;
  THAT(few.hints().empty());
}

static void check_silence() {
  Run tiny;
  tiny.report.total.task_ns = 1;
  tiny.idle(90);
  THAT(!tiny.hints().empty());
  tiny.report.worker_count = 1;
  THAT(tiny.hints().empty());
  tiny.report.worker_count = 4;
  tiny.report.total.region_ns = 1000;
  THAT(tiny.hints().empty());
}

int main() {
  check_summary();
  check_faults();
  check_silence();
  return result();
}
