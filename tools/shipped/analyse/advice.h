// chomp report: what to change, with the numbers that say so.
#pragma once

#include <string>
#include <vector>

#include "tools/shipped/analyse/analysis.h"
#include "tools/shipped/analyse/symbols.h"

namespace chomp::analyse {

struct Advice {
  // grain, producer, busy-producer, hand-over, undeferred, few-tasks, huge-task, dependences, span, wait, tied-wait,
  // detached, depth; imbalance, chunks, lock, single, barriers; serial, small-region, one-thread, crowd; loaded
  const char* code;
  std::string where;   // "sort.c:52 merge"; empty: the whole program
  std::string finding; // what was found
  std::string remedy;  // what to do about it
  double lost_ns;      // of all threads' time, about; the advice is sorted by it
};

std::vector<Advice> advise(const Analysis& analysis, const Symbols& symbols);

/// "1.5 ms", "870 ns".
std::string duration(double ns);
/// The same to two digits, with a "~": of what is not exact.
std::string about(double ns);
std::string percent(double share);
/// "12,345".
std::string grouped(double number);

} // namespace chomp::analyse
