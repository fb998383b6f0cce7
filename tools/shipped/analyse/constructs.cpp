// See analysis.h and state.h: the sums for each construct.
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numeric>

#include "runtime/observe/tool_state.h"
#include "tools/shipped/analyse/state.h"

namespace chomp::analyse {

const char* const kCategoryNames[kCategories] = {
    "work",    "task creation", "scheduling",    "stealing",        "taskwait",
    "barrier", "locks",         "lack of tasks", "tasks not found", "without a CPU",
};

void Grain::add(double ns, size_t interruptions) {
  constexpr size_t kMore = 3, kMost = 1000;
  longest.insert(ns);
  if (longest.size() > std::min(interruptions + kMore, kMost)) longest.erase(longest.begin());
  ++count;
  sum_ns += ns;
  ns = std::max(ns, 1.0);
  auto power = std::min<size_t>(static_cast<size_t>(std::ilogb(ns)), kPowers - 1);
  auto part = static_cast<size_t>((std::ldexp(ns, -static_cast<int>(power)) - 1) * kParts);
  ++lengths[power * kParts + std::min(part, kParts - 1)];
}

double Grain::undisturbed_mean_ns() const {
  if (count == 0) return 0;
  double sum = sum_ns, median = median_ns();
  for (double each : longest) sum -= std::max(0.0, each - median);
  return sum / static_cast<double>(count);
}

double Grain::median_ns() const {
  uint64_t below = 0;
  for (size_t i = 0; i < lengths.size(); ++i) {
    if ((below += lengths[i]) * 2 < count || count == 0) continue;
    double middle = static_cast<double>(i % kParts) + 0.5;
    return std::ldexp(1 + middle / kParts, static_cast<int>(i / kParts));
  }
  return 0;
}

uint64_t Grain::with_power(size_t power) const {
  auto first = lengths.begin() + static_cast<std::ptrdiff_t>(power * kParts);
  return std::accumulate(first, first + kParts, uint64_t{0});
}

double Shortest::twentieth() const {
  if (all.empty()) return 0;
  std::vector<double> sorted = all;
  auto found = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 20);
  std::nth_element(sorted.begin(), found, sorted.end());
  return *found;
}

double Losses::sum() const {
  return std::accumulate(all.begin(), all.end(), 0.0, [](double sum, auto& each) { return sum + each.lost_ns; });
}

double Losses::usual() const {
  if (all.size() < 3) return sum();
  std::vector<Execution> sorted = all;
  auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end(),
                   [](auto& a, auto& b) { return a.lost_ns * b.of_ns < b.lost_ns * a.of_ns; });
  double share = middle->of_ns > 0 ? middle->lost_ns / middle->of_ns : 0;
  auto usual = sorted.begin() + std::max<std::ptrdiff_t>(1, static_cast<std::ptrdiff_t>(sorted.size() / 100));
  std::nth_element(sorted.begin(), usual, sorted.end(), [](auto& a, auto& b) { return a.lost_ns > b.lost_ns; });
  double lost = 0;
  for (auto each = sorted.begin(); each != sorted.end(); ++each)
    lost += each < usual ? std::min(each->lost_ns, share * each->of_ns) : each->lost_ns;
  return lost;
}

double Analysis::total_ns() const {
  double sum = 0;
  for (double each : time_ns) sum += each;
  return sum;
}

double Analysis::share(Category category) const { return total_ns() > 0 ? of(category) / total_ns() : 0; }

namespace state {

void add_loop(Analysis& analysis, const Region& region, uint64_t site, const Region::Execution& execution) {
  LoopConstruct& loop = analysis.loops[site];
  ++loop.count;
  loop.kind = execution.kind;
  loop.iterations = execution.iterations;
  loop.threads = std::max(loop.threads, region.size);
  loop.sum_ns += execution.sum;
  loop.longest_ns += execution.longest;
  // Where a loop hands out its iterations, a thread that had no CPU meanwhile has done less, and ends with the
  // others.
  double by_length = execution.longest * static_cast<double>(region.size) - execution.sum, by_end = 0;
  auto last =
      std::max_element(execution.ends.begin(), execution.ends.end(), [](auto& a, auto& b) { return a.at < b.at; });
  for (const auto& end : execution.ends) {
    double gap = std::min(last->at - end.at, last->wall); // it may have come to the loop late
    by_end += gap - delay_within(gap, last->delays, last->wall);
  }
  bool is_static = static_cast<WorkKind>(execution.kind) == WorkKind::kLoopStatic;
  loop.lost.all.push_back(
      {is_static ? by_length : std::min(by_length, by_end), execution.longest * static_cast<double>(region.size)});
}

void add_phase(Analysis& analysis, const Region& region, const Region::Phase& phase) {
  PhaseConstruct& construct = analysis.phases[phase.site];
  ++construct.count;
  construct.threads = std::max(construct.threads, region.size);
  construct.sum_ns += phase.sum;
  construct.longest_ns += phase.longest;
  // What the members do outside of tasks is no even share where tasks fill the gaps.
  double of = phase.longest * static_cast<double>(region.size);
  if (region.tasks == 0) construct.lost.all.push_back({of - phase.sum, of});
  construct.work_ns += phase.work;
  construct.wait_ns += phase.waited;
}

} // namespace state

} // namespace chomp::analyse
