// See advice.h. Each function looks for one fault. The limits are such that a good program hears nothing.
#include "tools/shipped/analyse/advice.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "runtime/observe/tool_state.h"

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

std::string about(double ns) {
  double digits = ns > 0 ? std::pow(10, std::floor(std::log10(ns)) - 1) : 1;
  return "~" + duration(std::round(ns / digits) * digits);
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
constexpr double kMostOfChain = 0.5; // whose doing a chain is
constexpr uint64_t kManyTasks = 1000;
constexpr uint64_t kDeep = 200;
constexpr uint64_t kTasksPerThread = 4; // fewer leave threads idle at the end
constexpr uint64_t kManyTimes = 200;    // regions, barriers: what the shortest took says what one takes
constexpr double kSmallPart = 3000;     // ns: about what it takes to wake a thread

std::string fixed(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", number);
  return text;
}

class Adviser {
public:
  Adviser(const Analysis& analysis, const Symbols& symbols)
      : of_(analysis), symbols_(symbols), total_(analysis.total_ns() - analysis.of(Category::kNoCpu)) {}

  std::vector<Advice> all() {
    if (total_ <= 0) return {};
    loaded_ = is_loaded();
    look_at_crowd();
    look_at_single_threads();
    for (const auto& [site, task] : of_.tasks) look_at_grain(site, task);
    if (of_.threads > 1) {
      look_at_serial_part();
      look_at_producer();
      look_at_hand_overs();
      for (const auto& [site, task] : of_.tasks) look_at_detached(site, task);
      for (const auto& [site, wait] : of_.waits) look_at_tied_wait(site, wait);
      for (const auto& [site, single] : of_.singles) look_at_single(site, single);
      for (const auto& [site, region] : of_.regions) look_at_small_region(site, region);
      for (const auto& [site, phase] : of_.phases) look_at_barrier(site, phase);
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
        others.insert(0, found_[j].where + (others.empty() ? "" : ", "));
        found_[i].lost_ns += found_[j].lost_ns;
        found_.erase(found_.begin() + static_cast<std::ptrdiff_t>(j));
      }
      if (!others.empty()) found_[i].finding += ". The same holds for " + others;
    }
  }

  /// Of a task in the middle. What is shorter than what recording it takes is not told from nothing.
  std::string length_of(const Grain& grain, bool median = true) const {
    double ns = median ? std::min(grain.median_ns(), grain.undisturbed_mean_ns()) : grain.undisturbed_mean_ns();
    double least = std::max(1.0, of_.costs.event_ns / 10);
    if (ns < least) return "less than " + duration(std::max(1.0, of_.costs.event_ns));
    return median ? about(ns) : duration(ns);
  }

  // ---- Tasks --------------------------------------------------------------------------------------------------------

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
        grouped(count) + " tasks of " + length_of(task.grain, false) + " on average; making and taking up one costs " +
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
            length_of(task.grain, false) + " each, and cannot make them as fast as " + std::to_string(of_.threads) +
            " threads run them: they were idle for " + percent(idle / total_) + " of the time, without a task to take",
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
               length_of(task.grain, false) + "), so most stay with the thread that makes them";
    if (one_maker) finding += ", which makes all " + grouped(static_cast<double>(task.grain.count));
    std::string remedy = "Tasks of " + duration(kWorthTaking) + " and more are worth taking: ";
    remedy += depend ? "blocks of elements, with one dependence for each block" : "blocks of elements instead of one";
    remedy += one_maker ? "; or several threads that make tasks and run their own." : ".";
    say("hand-over", at(found->first), finding, remedy, idle);
  }

  // ---- Loops, locks, serial parts -----------------------------------------------------------------------------------

  /// Of the time of a team. CPUs that others use too are not equally fast.
  double uneven() const { return loaded_ ? 0.3 : 0.2; }

  void look_at_balance(uint64_t site, const LoopConstruct& loop) {
    double capacity = loop.longest_ns * static_cast<double>(loop.threads), lost = loop.lost.usual();
    // Of few iterations one more or less is much.
    uint64_t rounds = (loop.iterations + loop.threads - 1) / std::max<uint64_t>(loop.threads, 1);
    bool few = loop.iterations > 0 && 5 * loop.iterations <= 4 * rounds * loop.threads;
    if (lost / total_ < (few ? kMuch / 2 : kMuch) || lost / capacity < (few ? 0.1 : uneven())) return;
    bool is_static = static_cast<WorkKind>(loop.kind) == WorkKind::kLoopStatic;
    std::string finding = "the slowest thread took " + duration(loop.longest_ns / static_cast<double>(loop.count)) +
                          " for its part, on average over " + grouped(static_cast<double>(loop.count)) +
                          " executions, the mean " +
                          duration(loop.sum_ns / static_cast<double>(loop.count * loop.threads)) + ": " +
                          percent(loop.lost.sum() / capacity) + " of the threads' time in the loop is lost";
    std::string remedy;
    if (static_cast<WorkKind>(loop.kind) == WorkKind::kSections)
      remedy = "Sections differ in length: divide the longest, or make tasks of their parts.";
    else if (loop.iterations < 2 * loop.threads)
      remedy = "It has " + grouped(static_cast<double>(loop.iterations)) + " iterations for " +
               std::to_string(loop.threads) + " threads: collapse(2), or a finer division.";
    else if (is_static)
      remedy = "Iterations differ: schedule(dynamic) or schedule(guided) would even them out.";
    else
      remedy = "Single iterations, or chunks, are too long for an even end: smaller chunks, or the long ones first.";
    say("imbalance", at(site), finding, remedy, loop.lost.sum());
  }

  void look_at_lock(uint64_t site, const LockConstruct& lock) {
    if (lock.wait_ns / total_ < kMuch) return;
    bool critical = static_cast<MutexKind>(lock.kind) == MutexKind::kCritical;
    bool ordered = static_cast<MutexKind>(lock.kind) == MutexKind::kOrdered;
    say("lock", at(site),
        "threads waited for " + duration(lock.wait_ns) + " in all, " + percent(lock.wait_ns / total_) +
            " of their time, to get it " + grouped(static_cast<double>(lock.count)) + " times; it was held for " +
            duration(lock.held_ns / static_cast<double>(std::max<uint64_t>(lock.count, 1))) + " each",
        ordered ? "Iterations take turns there: move out of `ordered` what need not be in order; with schedule(static, "
                  "1) or "
                  "(dynamic) the next iteration is another thread's."
        : critical
            ? "`atomic` or `reduction` in place of `critical`, a shorter section, or a name for each thing that is "
              "guarded."
            : "Hold it for less, or take several locks, one for each part of the data.",
        lock.wait_ns);
  }

  double idle_outside_regions() const { return std::max(0.0, of_.serial_ns * static_cast<double>(of_.threads - 1)); }

  void look_at_serial_part() {
    // What the threads would take if each had a CPU of its own.
    double elapsed = of_.elapsed_ns - of_.of(Category::kNoCpu) / static_cast<double>(of_.threads);
    double share = elapsed > 0 ? std::min(1.0, of_.serial_ns / elapsed) : 0;
    std::string other_clock =
        elapsed > 0.95 * of_.elapsed_ns ? "" : "; " + duration(of_.elapsed_ns) + " with the time without a CPU";
    if (share < kAThird) return;
    const std::pair<const uint64_t, RegionConstruct>* most = nullptr;
    for (const auto& each : of_.regions)
      if (most == nullptr || each.second.serial_after_ns > most->second.serial_after_ns) most = &each;
    std::string after = most == nullptr || most->second.serial_after_ns < of_.serial_ns / 10
                            ? ""
                            : ": " + percent(most->second.serial_after_ns / of_.serial_ns) +
                                  " of that follows the region " + at(most->first);
    say("serial", "",
        percent(share) + " of the time since the first region began (" + duration(of_.serial_ns) + " of " +
            duration(elapsed) + other_clock + ") is outside parallel regions, where one thread works" + after,
        "With any number of threads the program takes at least as long as that: it can become " + fixed(1 / share) +
            " times as fast as now, no more. Look there first.",
        idle_outside_regions());
  }

  // ---- Regions ------------------------------------------------------------------------------------------------------

  void look_at_parallelism(uint64_t site, const RegionConstruct& region) {
    double capacity = region.work_ns + region.idle_ns;
    double threads = static_cast<double>(region.threads), idle = region.idle_ns;
    if (region.tasks == 0 || region.threads < 2) return;
    double tasks = static_cast<double>(region.tasks - region.undeferred) / static_cast<double>(region.count);
    double parallelism = region.span_ns > 0 ? region.work_ns / region.span_ns : 0;
    std::string idle_text = "its threads were idle for " + percent(region.idle_ns / capacity) + " of the time";
    bool chain = parallelism <= 0.85 * threads;
    // What a chain leaves to others is known from the lengths of the tasks, whatever else the machine did.
    if (chain) idle = region.span_ns * threads - region.work_ns;
    if (idle / total_ < kMuch || idle / (chain ? region.span_ns * threads : capacity) < 0.15) return;
    const uint64_t made = main_construct(region);
    if (region.undeferred * 2 > region.tasks && chain && tasks < static_cast<double>(kTasksPerThread * region.threads))
      return say("undeferred", at(made),
                 percent(static_cast<double>(region.undeferred) / static_cast<double>(region.tasks)) + " of " +
                     grouped(static_cast<double>(region.tasks)) +
                     " tasks are executed by their maker at once (`if`, `final`, included in a final task), and " +
                     idle_text,
                 "Let the bound of `if` or `final` leave tasks to others: some " + std::to_string(kTasksPerThread) +
                     " for each thread at least.",
                 idle);
    if (tasks < static_cast<double>(kTasksPerThread * region.threads))
      return say("few-tasks", at(site),
                 fixed(tasks) + " tasks (" + at(made) + ") for " + std::to_string(region.threads) + " threads, and " +
                     idle_text,
                 "More and smaller tasks: some " + std::to_string(kTasksPerThread) + " for each thread at least.",
                 idle);
    // The last task alone leaves the others idle, but for a little at the beginning.
    bool last =
        region.span_largest_ns > kMostOfChain * region.span_ns && region.span_largest_ns * (threads - 1) >= 0.9 * idle;
    if (!chain) return last ? say_huge_task(region, idle_text, idle) : void();
    if (region.span_outside_tasks_ns > kMostOfChain * region.span_ns) return say_busy_producer(region, idle_text, idle);
    if (region.span_largest_ns > kMostOfChain * region.span_ns) return say_huge_task(region, idle_text, idle);
    if (auto wait = of_.waits.find(region.span_wait_site); region.span_waited_ns > kMostOfChain * region.span_ns &&
                                                           wait != of_.waits.end() &&
                                                           wait->second.count > 4 * wait->second.tasks)
      return say_wait_in_loop(region, wait->second, idle_text, idle);
    bool waits = region.held * 5 > region.tasks;
    say(waits ? "dependences" : "span", at(site),
        "parallelism " + fixed(parallelism) + " (" + duration(region.work_ns) + " of work, a longest chain of " +
            duration(region.span_ns) + ") for " + std::to_string(region.threads) + " threads, and " + idle_text +
            "; its tasks are those of " + at(made),
        waits ? "Chains of dependences leave no more to do at one time: depend on smaller parts of the data, or divide "
                "the tasks on the longest chain."
              : "The tasks of the longest chain, each of which waits for the next, take most of the time: divide them, "
                "and begin them first.",
        idle);
  }

  /// The construct that makes most of the region's tasks.
  static uint64_t main_construct(const RegionConstruct& region) {
    auto less = [](auto& a, auto& b) { return a.second < b.second; };
    auto found = std::max_element(region.makes.begin(), region.makes.end(), less);
    return found != region.makes.end() ? found->first : 0;
  }

  void say_busy_producer(const RegionConstruct& region, const std::string& idle_text, double idle) {
    const uint64_t site = main_construct(region);
    auto found = of_.tasks.find(site);
    if (region.count == 0 || found == of_.tasks.end()) return;
    // Between two tasks it also makes them: with dependences that takes some 100 ns, which are not the program's.
    constexpr double kMaking = 1000;
    if (region.span_outside_tasks_ns < kMaking * static_cast<double>(region.tasks)) return;
    say("busy-producer", at(site),
        "the thread that makes the tasks computes for " +
            duration(region.span_outside_tasks_ns / static_cast<double>(region.count)) +
            " itself, outside of them, which is " + percent(region.span_outside_tasks_ns / region.span_ns) +
            " of what must happen one after the other; the tasks take " + length_of(found->second.grain) +
            " each, and " + idle_text,
        "Move into the task what that thread computes before it makes one, or let several threads make tasks.", idle);
  }

  void say_wait_in_loop(const RegionConstruct& region, const WaitConstruct& wait, const std::string& idle_text,
                        double idle) {
    double tasks = static_cast<double>(region.tasks), waits = static_cast<double>(wait.count);
    say("wait", at(region.span_wait_site),
        grouped(waits) + " waits there for " + grouped(tasks) + " tasks, " + fixed(tasks / waits) +
            " for each: those that are made later cannot run beside them, and " + idle_text,
        "Wait once, behind the loop that makes the tasks, or order them by `depend`.", idle);
  }

  void say_huge_task(const RegionConstruct& region, const std::string& idle_text, double idle) {
    auto found = of_.tasks.find(region.span_largest_site);
    if (found == of_.tasks.end()) return;
    say("huge-task", at(region.span_largest_site),
        "one task takes " + duration(region.span_largest_ns) +
            (found->second.grain.count > 1
                 ? ", but half of the " + grouped(static_cast<double>(found->second.grain.count)) +
                       " tasks of its construct no more than some " + length_of(found->second.grain)
                 : ", and the region has " + grouped(static_cast<double>(region.tasks)) + " tasks") +
            ", and " + idle_text,
        found->second.prioritised
            ? "Divide that task, or give it the highest priority, so that the others run beside it."
            : "Divide that task, or make it first, so that the others run beside it.",
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

  // ---- Waits --------------------------------------------------------------------------------------------------------

  void look_at_detached(uint64_t site, const TaskConstruct& task) {
    if (task.detached_idle_ns / total_ < kMuch) return;
    say("detached", at(site),
        "threads were idle for " + percent(task.detached_idle_ns / total_) +
            " of the time while no task was left to run, and one of these, which had returned, had its event not "
            "fulfilled",
        "Fulfil the event earlier, or give the threads other tasks meanwhile.", task.detached_idle_ns);
  }

  void look_at_tied_wait(uint64_t site, const WaitConstruct& wait) {
    // Where tasks are too small, larger ones come first: threads with small ones are slow to leave some to others.
    if (wait.unfound_ns / total_ < kMuch || says("hand-over") || says("grain")) return;
    say("tied-wait", at(site),
        "threads were idle here for " + percent(wait.unfound_ns / total_) +
            " of the time although tasks waited: a tied task that waits may run its own descendants, no others",
        "Make the task that waits `untied`, or let it do some of its children's work itself.", wait.unfound_ns);
  }

  void look_at_single(uint64_t site, const SingleConstruct& single) {
    double lost = single.alone_ns * static_cast<double>(single.threads > 0 ? single.threads - 1 : 0);
    auto region = of_.regions.find(single.region);
    if (lost / total_ < kMuch || region == of_.regions.end()) return;
    // With `nowait` the others have something to do meanwhile, which is not in the longest chain of work.
    if (region->second.span_ns * static_cast<double>(single.threads) - region->second.work_ns < lost / 2) return;
    say("single", at(site),
        "one thread works here for " + duration(single.alone_ns) + " in all, over " +
            grouped(static_cast<double>(single.count)) + " executions, and the others wait for it",
        "`nowait`, if what follows does not need it; or divide that work: tasks, a loop.", lost);
  }

  bool says(std::string_view code, const std::string& where = "") const {
    return std::any_of(found_.begin(), found_.end(),
                       [&](const Advice& each) { return each.code == code && (where.empty() || each.where == where); });
  }

  // ---- Constructs that are too small --------------------------------------------------------------------------------

  /// Of inner regions for which too few CPUs are left: what their threads may be in place of the system's.
  std::string light(const RegionConstruct& region) const {
    if (of_.cpus == 0 || region.active <= of_.cpus) return "";
    return "; or CHOMP_NESTED=light, by which its threads share those that have a CPU, if it uses no thread_local "
           "variables (`chomp doctor` says so)";
  }

  void look_at_small_region(uint64_t site, const RegionConstruct& region) {
    if (region.count < kManyTimes || region.threads < 2 || region.tasks > 0) return;
    double count = static_cast<double>(region.count), threads = static_cast<double>(region.threads);
    double overhead = region.overheads.twentieth(), work = region.work_ns / count;
    if (region.time_ns / of_.elapsed_ns < kMuch || work > overhead * threads) return;
    say("small-region", at(site),
        grouped(count) + " regions with " + duration(work) + " of work each, for " + std::to_string(region.threads) +
            " threads; to begin and end one takes " + duration(overhead) + " here, at the least",
        region.nested
            ? "Leave out the inner region, or begin it where there is more to do" + light(region) + "."
            : std::string("One region around the loop that executes it so often; or `if`, so that small ones have one "
                          "thread."),
        count * overhead * threads);
  }

  void look_at_barrier(uint64_t site, const PhaseConstruct& phase) {
    if (phase.threads < 2) return;
    double count = static_cast<double>(phase.count), threads = static_cast<double>(phase.threads);
    double capacity = phase.longest_ns * threads, lost = phase.lost.usual();
    bool long_enough = phase.longest_ns / count > 20 * of_.costs.event_ns && // to be told from what recording takes
                       !says("small-region", at(site));                      // and from what beginning one takes
    if (long_enough && lost / total_ >= kMuch && lost / capacity >= uneven())
      return say("imbalance", at(site),
                 "before the barrier there the slowest thread works for " + duration(phase.longest_ns / count) +
                     ", on average over " + grouped(count) + " times, the mean is " +
                     duration(phase.sum_ns / count / threads) + ": " + percent(phase.lost.sum() / capacity) +
                     " of the threads' time is lost",
                 "Divide the work evenly: a loop with schedule(dynamic), or tasks.", phase.lost.sum());
    double work = phase.work_ns / count, wait = phase.wait_ns / count;
    if (phase.count < kManyTimes || phase.wait_ns / total_ < kMuch || work > wait || work > kSmallPart * threads)
      return;
    say("barriers", at(site),
        grouped(count) + " barriers with " + duration(work) + " of work before each, of all " +
            std::to_string(phase.threads) + " threads, which spend " + duration(wait) + " in each",
        "Fewer barriers: `nowait` where the next part needs nothing of others, or larger parts.", phase.wait_ns);
  }

  // ---- The machine --------------------------------------------------------------------------------------------------

  /// Whether the threads had to share their CPUs: with other processes, or among themselves.
  bool is_loaded() const {
    constexpr double kBearable = 0.05; // of all the time
    return of_.of(Category::kNoCpu) > kBearable * total_;
  }

  /// More threads that compute than CPUs.
  void look_at_crowd() {
    if (of_.cpus == 0 || of_.share(Category::kNoCpu) < kMuch) return;
    for (const auto& [site, region] : of_.regions) {
      if (region.threads < 2 || region.active <= of_.cpus) continue;
      // Of nested regions the inner one is named, unless the outer one alone has too many.
      bool alone = region.threads > of_.cpus;
      if (!alone && !region.nested) continue;
      crowded_ = true;
      say("crowd", at(site),
          grouped(static_cast<double>(region.active)) + " threads at one time, " + std::to_string(region.threads) +
              " of each such region, for " + std::to_string(of_.cpus) + " CPUs: they were without one for " +
              percent(of_.share(Category::kNoCpu)) + " of the time",
          region.nested
              ? "Inner regions with one thread (OMP_MAX_ACTIVE_LEVELS=1), or fewer threads outside (num_threads)" +
                    light(region) + "."
              : std::string("As many threads as CPUs: leave out num_threads and OMP_NUM_THREADS."),
          of_.of(Category::kNoCpu));
    }
  }

  void look_at_single_threads() {
    if (of_.cpus < 2 || of_.one_thread_ns / total_ < kAThird) return;
    say("one-thread", at(of_.one_thread_site),
        "regions of one thread, where the process may use " + std::to_string(of_.cpus) + " CPUs, have " +
            percent(of_.one_thread_ns / total_) + " of the time",
        "More threads: OMP_NUM_THREADS, and the clauses num_threads and `if` of the region.",
        of_.one_thread_ns * static_cast<double>(of_.cpus - 1));
  }

  void say_loaded() {
    if (crowded_) return;
    say("loaded", "",
        "the threads were without a CPU for " + percent(of_.share(Category::kNoCpu)) +
            " of the time: other processes ran there, or there are more threads than CPUs",
        "Measure again on a quiet machine: what follows may be due to that.", total_);
  }

  const Analysis& of_;
  const Symbols& symbols_;
  double total_; // of all threads, but for what they were without a CPU
  bool loaded_ = false;
  bool crowded_ = false; // by the program's own threads
  std::vector<Advice> found_;
};

} // namespace

std::vector<Advice> advise(const Analysis& analysis, const Symbols& symbols) {
  return Adviser(analysis, symbols).all();
}

} // namespace chomp::analyse
