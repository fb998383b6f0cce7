// chomp report: what a recording says of where the time went and what to change, as text, JSON or an HTML page.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tools/shipped/analyse/advice.h"
#include "tools/shipped/analyse/analysis.h"
#include "tools/shipped/analyse/symbols.h"

namespace chomp::analyse {

struct ReportOptions {
  bool json = false;
  std::string html; // a file; empty: none
  Costs costs;
};

/// One process.
struct Report {
  Report(const recording::Recording& recording, const Costs& costs);

  std::unique_ptr<Symbols> symbols;
  Analysis analysis;
  std::vector<Advice> advice;
};

/// Prints the report of each recording, as text or as JSON; the page has them all.
void write_report(const std::vector<std::string>& recordings, const ReportOptions& options);

std::string html_page(const std::vector<Report>& reports); // html_report.cpp

/// What constructs of a kind are called.
const char* name_of_loop(uint64_t kind);

inline double time_of(const RegionConstruct& region) { return region.time_ns; }
inline double time_of(const TaskConstruct& task) { return task.grain.sum_ns; }
inline double time_of(const LoopConstruct& loop) { return loop.sum_ns; }
inline double time_of(const LockConstruct& lock) { return lock.wait_ns; }

/// Those that take most come first.
template <class Construct>
std::vector<std::pair<uint64_t, const Construct&>> by_time(const std::map<uint64_t, Construct>& constructs) {
  std::vector<const std::pair<const uint64_t, Construct>*> all;
  for (const auto& each : constructs) all.push_back(&each);
  std::sort(all.begin(), all.end(), [](auto* a, auto* b) {
    return std::pair(time_of(b->second), a->first) < std::pair(time_of(a->second), b->first);
  });
  std::vector<std::pair<uint64_t, const Construct&>> sorted;
  for (const auto* each : all) sorted.emplace_back(each->first, each->second);
  return sorted;
}

} // namespace chomp::analyse
