// chomp report: what to change, with the numbers that say so.
#pragma once

#include <string>
#include <vector>

#include "tools/analyse/analysis.h"
#include "tools/analyse/symbols.h"

namespace chomp::analyse {

struct Advice {
  const char* code;  // grain, producer, hand-over, imbalance, serial, lock, few-tasks, dependences, span, depth, loaded
  std::string where; // "sort.c:52 merge"; empty: the whole program
  std::string finding; // what was found
  std::string remedy;  // what to do about it
  double lost_ns;      // of all threads' time, about; the advice is sorted by it
};

std::vector<Advice> advise(const Analysis& analysis, const Symbols& symbols);

/// "1.5 ms", "870 ns".
std::string duration(double ns);
std::string percent(double share);
/// "12,345".
std::string grouped(double number);

} // namespace chomp::analyse
