// chomp report: what a recording says of where the time went and what to change, as text, JSON or an HTML page.
#pragma once

#include <memory>
#include <string>
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

} // namespace chomp::analyse
