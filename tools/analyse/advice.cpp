// See advice.h. Each function looks for one fault. The limits are such that a good program hears nothing.
#include "tools/analyse/advice.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "runtime/core/tool_data.h"

namespace chomp::analyse {

std::string duration(double ns) {
  char text[32];
  if (ns < 1e3)
    std::snprintf(text, sizeof text, "%.0f ns", ns);
  else if (ns < 1e6)
    std::snprintf(text, sizeof text, "%.3g us", ns / 1e3);
  else if (ns < 1e9)
    std::snprintf(text, sizeof text, "%.3g ms", ns / 1e6);
  else
    std::snprintf(text, sizeof text, "%.3g s", ns / 1e9);
  return text;
}

std::string percent(double share) {
  char text[16];
  std::snprintf(text, sizeof text, share < 0.0995 ? "%.1f %%" : "%.0f %%", 100 * share);
  return text;
}

std::string grouped(double number) {
  std::string text = std::to_string(std::llround(number));
  for (size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

namespace {

constexpr double kMuch = 0.1;         // of the time of all threads: worth a word
constexpr double kLittle = 0.002;     // not worth one
constexpr double kNearlyEnough = 0.7; // of the length with 95 % efficiency: 93 %
constexpr double kAThird = 0.33;
constexpr uint64_t kManyTasks = 1000;
constexpr uint64_t kDeep = 200;
constexpr uint64_t kTasksPerThread = 4; // fewer leave threads idle at the end

std::string fixed(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", number);
  return text;
}

class Adviser {
public:
  Adviser(const Analysis& analysis, const Symbols& symbols)
      : of_(analysis), symbols_(symbols), total_(analysis.total_ns()) {}

  std::vector<Advice> all() {
    if (total_ <= 0) return {};
    loaded_ = is_loaded();
    for (const auto& [site, task] : of_.tasks) look_at_grain(site, task);
    if (of_.threads > 1) {
      look_at_serial_part();
      look_at_producer();
      look_at_hand_overs();
      for (const auto& [site, loop] : of_.loops) look_at_balance(site, loop);
      for (const auto& [site, lock] : of_.locks) look_at_lock(site, lock);
      for (const auto& [site, region] : of_.regions) look_at_parallelism(site, region);
    }
    for (const auto& [site, region] : of_.regions) look_at_depth(site, region);
    if (loaded_) say_loaded();
    std::sort(found_.begin(), found_.end(), [](auto& a, auto& b) { return a.lost_ns > b.lost_ns; });
    merge_same_remedies();
    return std::move(found_);
  }

private:
  std::string at(uint64_t site) const { return symbols_.at(site).text(); }
  void say(const char* code, std::string where, std::string finding, std::string remedy, double lost_ns) {
    found_.push_back({code, std::move(where), std::move(finding), std::move(remedy), lost_ns});
  }

  /// Several constructs of one algorithm: what is said of the worst of them holds for the others.
  void merge_same_remedies() {
    for (size_t i = 0; i < found_.size(); ++i) {
      std::string others;
      for (size_t j = found_.size() - 1; j > i; --j) {
        if (std::string_view(found_[j].code) != found_[i].code || found_[j].remedy != found_[i].remedy) continue;
        others = found_[j].where + (others.empty() ? "" : ", " + others);
        found_[i].lost_ns += found_[j].lost_ns;
        found_.erase(found_.begin() + static_cast<std::ptrdiff_t>(j));
      }
      if (!others.empty()) found_[i].finding += ". The same holds for " + others;
    }
  }

  // ---- Tasks
  // ----------------------------------------------------------------------------------------------------------

  void look_at_grain(uint64_t site, const TaskConstruct& task) {
    double mean = task.grain.undisturbed_mean_ns(), needed = of_.costs.grain_ns;
    double count = static_cast<double>(task.grain.count), lost = count * of_.costs.task_ns;
    if (task.grain.count < kManyTasks || mean >= needed * kNearlyEnough) return;
    if ((lost + count * mean) / total_ < kLittle) return;
    std::string enough = "some " + duration(needed) + " to do", remedy;
    if (task.undeferred * 2 > task.grain.count)
      remedy =
          "Most of them are executed by their maker at once (`if`, `final`, included in a final task), which costs "
          "nearly as much as a task that others may take: where little work is left, call the function without a task, "
          "so that each task has " +
          enough + ".";
    else if (task.taskloop)
      remedy = "Give the taskloop a grainsize with which each task has " + enough + ".";
    else if (task.recursive)
      remedy =
          "Stop making tasks where little work is left: `if` or `final` with a bound, or a call without a task, so "
          "that a task has " +
          enough + ".";
    else
      remedy = "Give each task " + enough + ", such as a block of elements instead of one.";
    say("grain", at(site),
        grouped(count) + " tasks of " + duration(mean) + " on average; making and taking up one costs " +
            duration(of_.costs.task_ns) + " at least, and this machine needs tasks of about " + duration(needed) +
            " for 95 %",
        remedy, lost);
  }

  static bool one_thread_makes(const TaskConstruct& task) {
    uint64_t most = 0;
    for (auto [worker, count] : task.makers) most = std::max(most, count);
    return !task.recursive && static_cast<double>(most) >= 0.95 * static_cast<double>(task.grain.count);
  }

  /// The construct with the most tasks of those that `fits` accepts.
  template <typename Fits> const std::pair<const uint64_t, TaskConstruct>* largest(Fits fits) const {
    const std::pair<const uint64_t, TaskConstruct>* found = nullptr;
    for (const auto& each : of_.tasks)
      if (each.second.grain.count >= kManyTasks && fits(each.second) &&
          (found == nullptr || each.second.grain.count > found->second.grain.count))
        found = &each;
    return found;
  }

  void look_at_producer() {
    double idle = of_.of(Category::kLackOfWork) - idle_outside_regions();
    const auto* found = largest(one_thread_makes);
    if (found == nullptr || idle / total_ < kAThird / 2) return;
    const TaskConstruct& task = found->second;
    say("producer", at(found->first),
        "one thread makes all " + grouped(static_cast<double>(task.grain.count)) + " tasks, of " +
            duration(task.grain.undisturbed_mean_ns()) + " each, and cannot make them as fast as " +
            std::to_string(of_.threads) + " threads run them: they were idle for " + percent(idle / total_) +
            " of the time, without a task to take",
        task.held > task.grain.count / 5
            ? "Larger tasks; where dependences allow it, several threads that make tasks."
            : "Let several threads make tasks (a taskloop, a loop with tasks in it, or recursion), or make "
              "larger ones.",
        idle);
  }

  /// Idle threads beside tasks that nobody takes, since taking one takes as long.
  void look_at_hand_overs() {
    constexpr double kWorthTaking = 2000; // ns
    double idle = of_.of(Category::kUnfoundWork);
    const auto* found = largest([](const TaskConstruct& task) {
      return task.undeferred * 2 < task.grain.count && task.grain.undisturbed_mean_ns() < kWorthTaking;
    });
    if (found == nullptr || idle / total_ < kMuch) return;
    const TaskConstruct& task = found->second;
    bool one_maker = one_thread_makes(task), depend = task.held * 20 > task.grain.count;
    std::string finding = "threads were idle for " + percent(idle / total_) + " of the time although tasks waited: ";
    finding += "handing a task to another thread takes longer than " +
               std::string(depend ? "such a task with its dependences" : "such a task") + " (" +
               duration(task.grain.undisturbed_mean_ns()) + "), so most stay with the thread that makes them";
    if (one_maker) finding += ", which makes all " + grouped(static_cast<double>(task.grain.count));
    std::string remedy = "Tasks of " + duration(kWorthTaking) + " and more are worth taking: ";
    remedy += depend ? "blocks of elements, with one dependence for each block" : "blocks of elements instead of one";
    remedy += one_maker ? "; or several threads that make tasks and run their own." : ".";
    say("hand-over", at(found->first), finding, remedy, idle);
  }

  // ---- Loops, locks, serial parts
  // -------------------------------------------------------------------------------------

  void look_at_balance(uint64_t site, const LoopConstruct& loop) {
    double capacity = loop.longest_ns * static_cast<double>(loop.threads);
    if (loop.lost_ns / total_ < kMuch || loop.lost_ns / capacity < 0.2) return;
    bool is_static = static_cast<WorkKind>(loop.kind) == WorkKind::kLoopStatic;
    std::string finding = "the slowest thread took " + duration(loop.longest_ns / static_cast<double>(loop.count)) +
                          " for its part, on average over " + grouped(static_cast<double>(loop.count)) +
                          " executions, the mean " +
                          duration(loop.sum_ns / static_cast<double>(loop.count * loop.threads)) + ": " +
                          percent(loop.lost_ns / capacity) + " of the threads' time in the loop is lost";
    std::string remedy;
    if (loop.iterations < 2 * loop.threads)
      remedy = "It has " + grouped(static_cast<double>(loop.iterations)) + " iterations for " +
               std::to_string(loop.threads) + " threads: collapse(2), or a finer division.";
    else if (is_static)
      remedy = "Iterations differ: schedule(dynamic) or schedule(guided) would even them out.";
    else
      remedy = "Single iterations, or chunks, are too long for an even end: smaller chunks, or the long ones first.";
    say("imbalance", at(site), finding, remedy, loop.lost_ns);
  }

  void look_at_lock(uint64_t site, const LockConstruct& lock) {
    if (lock.wait_ns / total_ < kMuch) return;
    bool critical = static_cast<MutexKind>(lock.kind) == MutexKind::kCritical;
    say("lock", at(site),
        "threads waited for " + duration(lock.wait_ns) + " in all, " + percent(lock.wait_ns / total_) +
            " of their time, to get it " + grouped(static_cast<double>(lock.count)) + " times; it was held for " +
            duration(lock.held_ns / static_cast<double>(std::max<uint64_t>(lock.count, 1))) + " each",
        critical
            ? "`atomic` or `reduction` in place of `critical`, a shorter section, or a name for each thing that is "
              "guarded."
            : "Hold it for less, or take several locks, one for each part of the data.",
        lock.wait_ns);
  }

  double idle_outside_regions() const { return std::max(0.0, of_.serial_ns * static_cast<double>(of_.threads - 1)); }

  void look_at_serial_part() {
    double share = of_.elapsed_ns > 0 ? of_.serial_ns / of_.elapsed_ns : 0;
    if (share < kAThird) return;
    say("serial", "",
        percent(share) + " of the time since the first region began (" + duration(of_.serial_ns) + " of " +
            duration(of_.elapsed_ns) + ") is outside parallel regions, where one thread works",
        "With any number of threads the program takes at least as long as that: it can become " + fixed(1 / share) +
            " times as fast as now, no more. Look there first.",
        idle_outside_regions());
  }

  // ---- Regions
  // --------------------------------------------------------------------------------------------------------

  void look_at_parallelism(uint64_t site, const RegionConstruct& region) {
    double capacity = region.time_ns * static_cast<double>(region.threads);
    double idle = region.idle_ns + region.barrier_ns;
    if (region.tasks == 0 || region.threads < 2 || idle / total_ < kMuch || idle / capacity < 0.2) return;
    double tasks = static_cast<double>(region.tasks) / static_cast<double>(region.count);
    double parallelism = region.span_ns > 0 ? region.work_ns / region.span_ns : 0;
    std::string idle_text = "its threads were idle for " + percent(idle / capacity) + " of the time";
    if (tasks < static_cast<double>(kTasksPerThread * region.threads))
      return say("few-tasks", at(site),
                 fixed(tasks) + " tasks for " + std::to_string(region.threads) + " threads, and " + idle_text,
                 "More and smaller tasks: some " + std::to_string(kTasksPerThread) + " for each thread at least.",
                 idle);
    if (parallelism > 0.85 * static_cast<double>(region.threads)) return;
    bool waits = region.held * 5 > region.tasks;
    say(waits ? "dependences" : "span", at(site),
        "parallelism " + fixed(parallelism) + " (" + duration(region.work_ns) + " of work, a longest chain of " +
            duration(region.span_ns) + ") for " + std::to_string(region.threads) + " threads, and " + idle_text +
            (loaded_ ? "; a task that lost its CPU meanwhile counts as long as it lasted" : ""),
        waits ? "Chains of dependences leave no more to do at one time: depend on smaller parts of the data, or divide "
                "the tasks on the longest chain."
              : "The tasks of the longest chain, each of which waits for the next, take most of the time: divide them, "
                "and begin them first.",
        idle);
  }

  void look_at_depth(uint64_t site, const RegionConstruct& region) {
    if (region.deepest < kDeep) return;
    say("depth", at(site),
        "tasks ran on top of one another, " + grouped(static_cast<double>(region.deepest)) + " deep, on one stack",
        "Each level waits for the one above it: memory grows with the depth. Stop making tasks from some depth on, or "
        "let "
        "tasks end without waiting for their children.",
        0);
  }

  // ---- The machine
  // ----------------------------------------------------------------------------------------------------

  /// Whether the threads had to share their CPUs: with other processes, or among themselves.
  bool is_loaded() const {
    constexpr double kBearable = 0.05; // of all the time
    return of_.delayed_ns > kBearable * total_;
  }

  void say_loaded() {
    say("loaded", "",
        "the threads waited " + grouped(of_.delayed_ns / 1e6) +
            " ms for CPUs: other processes ran there, or there are more threads than CPUs",
        "Measure again on a quiet machine: what follows may be due to that.", total_);
  }

  const Analysis& of_;
  const Symbols& symbols_;
  double total_;
  bool loaded_ = false;
  std::vector<Advice> found_;
};

} // namespace

std::vector<Advice> advise(const Analysis& analysis, const Symbols& symbols) {
  return Adviser(analysis, symbols).all();
}

} // namespace chomp::analyse
