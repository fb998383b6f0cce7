// Reads the environment. One walk over all variables notes which are given. Then their values are parsed in the order
// of settings_table.cpp.
//
// Values in error. Invalid: "OMP: Warning #42: NAME: "value" is an invalid value; ignored.", with the nearest valid
// value where there are names to choose from; then "OMP: Hint: NAME takes …". Out of range: "OMP: Warning #80:
// NAME="value": value too large.", and the bound is taken. Then "OMP: Info #107: NAME value "…" will be used." An empty
// value counts as not set.
//
// Precedence: KMP_ over GOMP_ over OMP_, and KMP_LIBRARY over OMP_WAIT_POLICY. Overridden variables are not even
// parsed. Unknown CHOMP_ names get a warning; other unknown names may belong to other runtimes.
#include "runtime/config/config.h"

#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <sys/auxv.h>

#include "runtime/base/check.h"
#include "runtime/base/env.h"
#include "runtime/base/log.h"
#include "runtime/base/os_linux.h"
#include "runtime/base/race_detector.h"
#include "runtime/config/config_values.h"
#include "runtime/config/settings_table.h"
#include "runtime/machine/rank_share.h"
#include "runtime/machine/topology.h"

namespace chomp {

constinit Config config;

namespace {

/// Names that users may expect, since chomp has commands of these names, and what to use instead.
constexpr struct {
  const char* name;
  const char* instead;
} kExpectedNames[] = {
    {"CHOMP_TRACE", "CHOMP_RECORD=FILE records the run, and `chomp trace --from FILE` makes a timeline of that"},
    {"CHOMP_REPORT", "CHOMP_RECORD=FILE records the run, and `chomp report --from FILE` says what that shows"},
};

void warn_unknown_chomp_name(std::string_view name) {
  for (const auto& each : kExpectedNames)
    if (edit_distance(name, each.name) == 0)
      return warn(0, "%s is not a variable of chomp: %s.", each.name, each.instead);
  const char* best = nullptr;
  int best_distance = INT_MAX;
  for (const Setting& setting : settings) {
    if (!std::string_view(setting.name).starts_with("CHOMP_")) continue;
    int distance = edit_distance(name, setting.name);
    if (distance < best_distance) {
      best_distance = distance;
      best = setting.name;
    }
  }
  warn(0, "%.*s is not a variable of chomp; the nearest that is: %s.",
       static_cast<int>(name.size() < 100 ? name.size() : 100), name.data(), best);
}

/// How many variables note_given() leaves for later.
struct Later {
  int unknown_chomp_names = 0; // reported when KMP_WARNINGS is known
  int for_all_devices = 0;     // OMP_…_ALL
};

constexpr std::string_view kForAll = "_ALL";

/// The row that OMP_…_ALL sets for the host too, if the name without _ALL is not given (OpenMP 5.2, 21.1); -1: none.
/// Settings of the whole program have no such name, nor have those that OpenMP does not know.
int row_for_all(std::string_view name) {
  constexpr const char* kOfTheProgram[] = {
      "OMP_AVAILABLE_DEVICES", "OMP_CANCELLATION",   "OMP_DEBUG", "OMP_DISPLAY_AFFINITY", "OMP_DISPLAY_ENV",
      "OMP_MAX_TASK_PRIORITY", "OMP_TARGET_OFFLOAD", "OMP_TOOL",  "OMP_TOOL_LIBRARIES",   "OMP_TOOL_VERBOSE_INIT"};
  if (!name.starts_with("OMP_") || !name.ends_with(kForAll)) return -1;
  name.remove_suffix(kForAll.size());
  int row = settings.find(name);
  if (row < 0) return -1;
  for (const char* each : kOfTheProgram)
    if (strcmp(settings.rows[row].name, each) == 0) return -1;
  return row;
}

/// One bit for each row whose value comes from OMP_…_ALL.
constinit uint64_t rows_for_all[4] = {};

bool is_for_all(int row) { return (rows_for_all[row / 64] >> (row % 64) & 1) != 0; }

void note_given_for_all(std::string_view name, const char* value, void*) {
  int row = row_for_all(name);
  if (row < 0 || settings.given[row] || trim(value).empty()) return;
  settings.given[row] = value;
  CHECK(row < 256);
  rows_for_all[row / 64] |= uint64_t{1} << (row % 64);
}

/// Notes one variable of the environment, or counts it in `context`, a Later.
void note_given(std::string_view name, const char* value, void* context) {
  if (!name.starts_with("OMP_") && !name.starts_with("KMP_") && !name.starts_with("GOMP_") &&
      !name.starts_with("CHOMP_") && !name.starts_with("LIBOMP_"))
    return;
  int row = settings.find(name);
  if (row < 0) {
    auto& later = *static_cast<Later*>(context);
    if (name.starts_with("CHOMP_")) later.unknown_chomp_names++;
    if (row_for_all(name) >= 0) later.for_all_devices++;
    return;
  }
  if (settings.rows[row].names_file && getauxval(AT_SECURE)) return;
  if (settings.given[row] || trim(value).empty()) return;
  settings.given[row] = value; // of equal names the first counts, as for getenv
  rows_for_all[row / 64] &= ~(uint64_t{1} << (row % 64));
}

void report_unknown(std::string_view name, const char*, void*) {
  if (name.starts_with("CHOMP_") && settings.find(name) < 0) warn_unknown_chomp_name(name);
}

void report_bad_value(int row, Parse how, const char* nearest) {
  const Setting& setting = settings.rows[row];
  const char *value = settings.given[row], *all = is_for_all(row) ? kForAll.data() : "";
  if (how == Parse::kInvalid && nearest)
    warn(42, "%s%s: \"%.200s\" is an invalid value; ignored. Did you mean \"%s\"?", setting.name, all, value, nearest);
  else if (how == Parse::kInvalid)
    warn(42, "%s%s: \"%.200s\" is an invalid value; ignored.", setting.name, all, value);
  else
    warn(80, "%s%s=\"%.200s\": value too %s.", setting.name, all, value, how == Parse::kTooLarge ? "large" : "small");
  ValueText takes;
  add_what_it_takes(setting, &takes);
  if (how == Parse::kInvalid && !takes.empty()) hint("%s takes %s.", setting.name, takes.text);
  if (!setting.show) return;
  ValueText text;
  setting.show(setting, &text);
  if (!text.empty()) inform(107, "%s value \"%s\" will be used.", setting.name, text.text);
}

/// The given variable that takes precedence over this one, or null.
const char* override_of(const Setting& setting) {
  for (const char* other : setting.overridden_by) {
    int row = other ? settings.find(other) : -1;
    if (row < 0 || !settings.given[row]) continue;
    auto takes_precedence = settings.rows[row].takes_precedence;
    if (!takes_precedence || takes_precedence(settings.given[row])) return other;
  }
  return nullptr;
}

/// Returns whether the value is in force now.
bool apply(int row) {
  const Setting& setting = settings.rows[row];
  if (setting.obsolete_for)
    inform(268, "%s variable deprecated, please use %s instead.", setting.name, setting.obsolete_for);
  if (const char* other = override_of(setting)) {
    warn(182, "%s: ignored because %s has been defined", setting.name, other);
    return false;
  }
  if (!setting.parse) return false;
  const char* nearest = nullptr;
  Parse how = setting.parse(setting, settings.given[row], &nearest);
  if (how != Parse::kOk) report_bad_value(row, how, nearest);
  return how == Parse::kOk;
}

bool is_given(const char* name) { return settings.given[settings.find(name)] != nullptr; }

constinit bool shared = false; // rank_share_take() has been called

/// OpenMP 6.0, algorithm 4.1. Without a thread limit, `free_agent` without a number means one for each CPU but the
/// first.
void resolve_reserved_threads() {
  int limit = config.thread_limit, &structured = config.reserved_structured, &agents = config.reserved_free_agents;
  if (structured < 1) structured = 1;
  if (structured == kAllThreads) structured = limit;
  if (agents == kAllThreads) agents = (limit == INT32_MAX ? topology.usable_cpus : limit) - 1;
  if (agents == limit) --agents;
  if (structured <= limit && agents <= limit - structured) return;
  warn(0, "OMP_THREADS_RESERVE: more than OMP_THREAD_LIMIT=%d threads; ignored.", limit);
  structured = 1;
  agents = 0;
}

/// What follows from several settings together.
void resolve() {
  resolve_affinity();
  if (!shared) rank_share_take(); // only once, since teams may exist when kmp_set_defaults is called
  shared = true;
  resolve_reserved_threads();
  config.needs_device = config.target_offload == TargetOffload::kMandatory && !is_given("OMP_DEFAULT_DEVICE");
  if (config.stack_size == 0) config.stack_size = default_stack_size();
  config.teams_limit_is_default = !is_given("KMP_TEAMS_THREAD_LIMIT");
  // GOMP_SPINCOUNT counts iterations of libgomp's waiting loop, about 10 ns each. A blocktime is more exact, so it
  // takes precedence.
  if (pending.gomp_spincount >= 0 && !pending.blocktime_given)
    config.blocktime_us = pending.gomp_spincount == INT64_MAX ? kBlocktimeInfinite : pending.gomp_spincount / 100;
}

} // namespace

bool config_spreads_for_race_detector() {
#if __has_feature(thread_sanitizer)
  return false;
#else
  return race_detector_present() && !is_given("CHOMP_SCHEDULER");
#endif
}

void config_read() {
  Later later;
  environment_each(note_given, &later);
  if (later.for_all_devices) environment_each(note_given_for_all, nullptr);

  if (config_spreads_for_race_detector())
    memcpy(config.scheduler, kSchedulerForRaceDetectors, sizeof kSchedulerForRaceDetectors);
  int warnings = settings.find("KMP_WARNINGS"); // before any other warning
  if (settings.given[warnings]) apply(warnings);
  set_warnings(pending.warnings);

  for (int row = 0; row < settings.count; row++)
    if (settings.given[row] && row != warnings) apply(row);
  if (later.unknown_chomp_names) environment_each(report_unknown, nullptr);
  resolve();

  if (config.nested_light)
    inform(0, "CHOMP_NESTED=light: threads of an inner region share thread_local variables (so threadprivate ones), "
              "pthread_self() and errno.");
  if (pending.show_version) print("chomp " CHOMP_VERSION ", OpenMP %d, in place of libomp 5.0\n", kOpenmpVersion);
  if (pending.show_settings) config_display_settings();
  if (pending.display_env) config_display(pending.display_env == 2);
}

GivenDefaults config_set_defaults(std::string_view text) {
  GivenDefaults given;
  // Settings that are texts point into the copy, so it is never freed.
  auto copy = static_cast<char*>(map_pages(text.size() + 1)); // ends with a zero
  if (!copy) return given;
  memcpy(copy, text.data(), text.size());
  for (char* rest = copy; rest;) {
    char* entry = strsep(&rest, "|");
    char* equals = strchr(entry, '=');
    if (!equals) continue;
    *equals = 0;
    int row = settings.find(trim(entry));
    if (row < 0 || settings.rows[row].names_file || trim(equals + 1).empty()) continue;
    settings.given[row] = equals + 1;
    bool applied = apply(row);
    given.num_threads = given.num_threads || (applied && row == settings.find("OMP_NUM_THREADS"));
    given.dynamic = given.dynamic || (applied && row == settings.find("OMP_DYNAMIC"));
  }
  set_warnings(pending.warnings);
  resolve();
  return given;
}

} // namespace chomp
