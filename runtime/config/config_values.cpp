// See config_values.h. Values mean what the OpenMP specification says, chapter "Environment Variables", and what libomp
// 19 was seen to do. Where libomp crashes, aborts or uses garbage, chomp refuses the value.
#include "runtime/config/config_values.h"

#include <algorithm>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <sys/resource.h>

#include "runtime/base/log.h"
#include "runtime/machine/topology.h"

namespace chomp {

constinit PendingSettings pending;

namespace {

constexpr size_t kLargestStack = size_t{1} << 46;

template <int N> constexpr int count_of(const NamedValue (&)[N]) { return N; }

template <int N>
Parse parse_named(std::string_view value, const NamedValue (&names)[N], int* number, const char** nearest) {
  return parse_named(value, names, N, number, nearest);
}

constexpr NamedValue kScheduleKinds[] = {{"static", 1}, {"dynamic", 2},       {"guided", 3},
                                         {"auto", 4},   {"trapezoidal", 101}, {"static_steal", 2}};

constexpr NamedValue kLibraries[] = {
    {"serial", 0}, {"turnaround", 1}, {"throughput", 2}, {"dedicated", 1}, {"multiuser", 2}};

constexpr NamedValue kWaitPolicies[] = {{"ACTIVE", 1}, {"PASSIVE", 2}};

constexpr NamedValue kDisplays[] = {{"FALSE", 0}, {"TRUE", 1}, {"VERBOSE", 2}};

/// Sets the blocktime unless the user gave one.
void imply_blocktime(int64_t microseconds) {
  if (!pending.blocktime_given) config.blocktime_us = microseconds;
}

void keep_text(const Setting& setting, std::string_view value) {
  *static_cast<const char**>(setting.where) = value.data();
}

} // namespace

void imply_nesting(int levels) {
  if (levels > 1 && !pending.active_levels_given) config.max_active_levels = INT_MAX;
}

void ValueText::add(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int wanted = vsnprintf(text + length, sizeof text - length, format, arguments);
  va_end(arguments);
  if (wanted < 0) return;
  length += static_cast<size_t>(wanted);
  if (length > sizeof text - 1) length = sizeof text - 1;
}

Parse parse_named(std::string_view value, const NamedValue* names, int count, int* number, const char** nearest) {
  Parse how = parse_name(value, names, count, number);
  if (how == Parse::kOk) return how;
  NearestName near{trim(value)};
  for (int i = 0; i < count; i++) near.consider(names[i].name);
  *nearest = near.name;
  return how;
}

size_t default_stack_size() {
  rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) != 0) return size_t{4} << 20;
  if (limit.rlim_cur >= kLargestDefaultStack) return kLargestDefaultStack;
  return limit.rlim_cur < kLeastStack ? kLeastStack : static_cast<size_t>(limit.rlim_cur);
}

// --- By type ---------------------------------------------------------------------------------------------------------

Parse parse_bool_setting(const Setting& setting, std::string_view value, const char**) {
  return parse_boolean(value, static_cast<bool*>(setting.where));
}

void show_bool_setting(const Setting& setting, ValueText* text) {
  text->add(*static_cast<bool*>(setting.where) ? "TRUE" : "FALSE");
}

Parse parse_int_setting(const Setting& setting, std::string_view value, const char**) {
  int64_t number;
  Parse how = parse_integer(value, setting.least, setting.most, &number);
  if (how != Parse::kInvalid) *static_cast<int*>(setting.where) = static_cast<int>(number);
  return how;
}

void show_int_setting(const Setting& setting, ValueText* text) { text->add("%d", *static_cast<int*>(setting.where)); }

Parse parse_enum_setting(const Setting& setting, std::string_view value, const char** nearest) {
  int number;
  Parse how = parse_named(value, setting.names, setting.name_count, &number, nearest);
  if (how == Parse::kOk) *static_cast<uint8_t*>(setting.where) = static_cast<uint8_t>(number);
  return how;
}

void show_enum_setting(const Setting& setting, ValueText* text) {
  const char* name = name_of(*static_cast<uint8_t*>(setting.where), setting.names, setting.name_count);
  if (name) text->add("%s", name);
}

Parse parse_text_setting(const Setting& setting, std::string_view value, const char**) {
  keep_text(setting, value);
  return Parse::kOk;
}

void show_text_setting(const Setting& setting, ValueText* text) {
  if (const char* value = *static_cast<const char**>(setting.where)) text->add("%s", value);
}

void add_what_it_takes(const Setting& setting, ValueText* text) {
  if (setting.takes) {
    text->add("%s", setting.takes);
  } else if (setting.parse == parse_scheduler) {
    int count;
    const char* const* names = scheduler_names(&count);
    for (int i = 0; i < count; i++) text->add("%s%s", i ? ", " : "", names[i]);
  } else if (setting.names) {
    for (int i = 0; i < setting.name_count; i++) // several names may stand for one value
      if (name_of(setting.names[i].value, setting.names, setting.name_count) == setting.names[i].name)
        text->add("%s%s", i ? ", " : "", setting.names[i].name);
  } else if (setting.parse == parse_bool_setting) {
    text->add("true or false");
  } else if (setting.parse == parse_int_setting || setting.parse == parse_max_active_levels ||
             setting.parse == parse_thread_limit) {
    text->add("a whole number from %lld", static_cast<long long>(setting.least));
    if (setting.most < INT_MAX) text->add(" to %lld", static_cast<long long>(setting.most));
  }
}

// --- Teams -----------------------------------------------------------------------------------------------------------

Parse parse_num_threads(const Setting&, std::string_view value, const char**) {
  int threads[kMaxNestingInLists];
  int levels = 0;
  bool any_number = false;
  if (same_name(trim(value), "all")) {
    threads[levels++] = topology.usable_cpus;
  } else {
    for (std::string_view list = value; list.data();) {
      std::string_view element = next_element(&list, ',');
      // As in libomp, an empty element repeats the one before. An empty first element stands for the default.
      int64_t number;
      if (element.empty())
        number = levels > 0 ? threads[std::min(levels, kMaxNestingInLists) - 1] : topology.usable_cpus;
      else if (parse_integer(element, 1, INT_MAX, &number) != Parse::kOk)
        return Parse::kInvalid;
      any_number = any_number || !element.empty();
      if (levels < kMaxNestingInLists) threads[levels++] = static_cast<int>(number);
    }
    if (!any_number) return Parse::kInvalid; // separators alone
  }
  memcpy(config.num_threads, threads, sizeof threads[0] * static_cast<size_t>(levels));
  config.num_threads_count = levels;
  imply_nesting(levels);
  return Parse::kOk;
}

void show_num_threads(const Setting&, ValueText* text) {
  if (config.num_threads_count == 0) {
    int usable = topology.usable_cpus;
    text->add("%d", std::min(usable, config.thread_limit));
  }
  for (int level = 0; level < config.num_threads_count; level++)
    text->add(level ? ",%d" : "%d", config.num_threads[level]);
}

Parse parse_max_active_levels(const Setting& setting, std::string_view value, const char** nearest) {
  int before = config.max_active_levels;
  Parse how = parse_int_setting(setting, value, nearest);
  if (how == Parse::kTooSmall) config.max_active_levels = before;
  if (how == Parse::kTooSmall) return Parse::kInvalid;
  if (how != Parse::kInvalid) pending.active_levels_given = true;
  return how;
}

Parse parse_nested(const Setting&, std::string_view value, const char**) {
  bool nested;
  if (parse_boolean(value, &nested) != Parse::kOk) return Parse::kInvalid;
  if (pending.active_levels_given) return Parse::kOk;
  config.max_active_levels = nested ? INT_MAX : 1;
  pending.active_levels_given = !nested;
  return Parse::kOk;
}

Parse parse_thread_limit(const Setting& setting, std::string_view value, const char** nearest) {
  if (trim(value).starts_with('-')) return Parse::kInvalid; // scripts mean no limit
  int limit = config.thread_limit;
  Setting own = setting;
  own.where = &limit;
  Parse how = Parse::kOk;
  if (same_name(trim(value), "all"))
    limit = topology.usable_cpus;
  else
    how = parse_int_setting(own, value, nearest);
  if (limit < config.thread_limit) config.thread_limit = limit;
  if (setting.where != &config.thread_limit) config.device_thread_limit = limit;
  return how;
}

/// `word(number)`, or the word alone, which means kAllThreads.
Parse parse_reservation(std::string_view text, const char* name, int* number) {
  std::string_view rest = trim(text), word = next_element(&rest, '(');
  if (!same_name(trim(word), name)) return Parse::kInvalid;
  *number = kAllThreads;
  if (rest.data() == nullptr) return Parse::kOk;
  rest = trim(rest);
  if (rest.empty() || rest.back() != ')') return Parse::kInvalid;
  rest.remove_suffix(1);
  int64_t value;
  Parse how = parse_integer(rest, 0, INT_MAX - 1, &value);
  if (how == Parse::kOk) *number = static_cast<int>(value);
  return how;
}

Parse parse_threads_reserve(const Setting&, std::string_view value, const char**) {
  int structured = 1, free_agents = 0;
  int64_t number;
  if (parse_integer(value, 0, INT_MAX - 1, &number) == Parse::kOk) {
    structured = static_cast<int>(number);
  } else {
    for (std::string_view list = value; list.data();) {
      std::string_view element = next_element(&list, ',');
      if (parse_reservation(element, "structured", &structured) != Parse::kOk &&
          parse_reservation(element, "free_agent", &free_agents) != Parse::kOk)
        return Parse::kInvalid;
    }
    if (structured == kAllThreads && free_agents != 0) return Parse::kInvalid;
  }
  config.reserved_structured = structured;
  config.reserved_free_agents = free_agents;
  return Parse::kOk;
}

void show_threads_reserve(const Setting&, ValueText* text) {
  text->add("structured(%d),free_agent(%d)", config.reserved_structured, config.reserved_free_agents);
}

// --- Loops -----------------------------------------------------------------------------------------------------------

Parse parse_schedule(const Setting&, std::string_view value, const char** nearest) {
  std::string_view rest = trim(value);
  uint32_t modifier = 0;
  if (rest.find(':') != rest.npos) {
    std::string_view word = next_element(&rest, ':');
    if (same_name(word, "monotonic"))
      modifier = Schedule::kMonotonic;
    else if (!same_name(word, "nonmonotonic")) // the default of OpenMP 5.0 for all kinds but static
      return Parse::kInvalid;
  }
  std::string_view word = next_element(&rest, ',');
  int kind;
  int64_t chunk = 0;
  if (parse_named(word, kScheduleKinds, &kind, nearest) != Parse::kOk) return Parse::kInvalid;
  Parse how = rest.data() ? parse_integer(rest, 1, INT_MAX, &chunk) : Parse::kOk;
  config.schedule.said = true; // of "dynamic,4k" the kind
  config.schedule.kind = static_cast<uint32_t>(kind) | modifier;
  bool given = rest.data() && how == Parse::kOk && kind != 4; // "auto" takes none
  config.schedule.chunk = given ? static_cast<int>(chunk) : default_chunk(config.schedule.kind);
  return how;
}

void show_schedule(const Setting&, ValueText* text) {
  const Schedule& schedule = config.schedule;
  if (schedule.kind & Schedule::kMonotonic) text->add("monotonic:");
  int kind = static_cast<int>(schedule.kind & ~Schedule::kMonotonic);
  text->add("%s", name_of(kind, kScheduleKinds, count_of(kScheduleKinds)));
  if (schedule.chunk != default_chunk(schedule.kind)) text->add(",%d", schedule.chunk);
}

/// "static,greedy;guided,analytical": how static and guided loops without a chunk are divided. chomp has only one way
/// for guided loops.
Parse parse_kmp_schedule(const Setting&, std::string_view value, const char**) {
  bool greedy = config.static_greedy;
  for (std::string_view list = value; list.data();) {
    std::string_view element = next_element(&list, ';');
    std::string_view kind = next_element(&element, ',');
    if (!element.data()) return Parse::kInvalid;
    std::string_view way = trim(element);
    if (same_name(kind, "static") && (same_name(way, "greedy") || same_name(way, "balanced")))
      greedy = same_name(way, "greedy");
    else if (!same_name(kind, "guided") || !(same_name(way, "iterative") || same_name(way, "analytical")))
      return Parse::kInvalid;
  }
  config.static_greedy = greedy;
  return Parse::kOk;
}

void show_kmp_schedule(const Setting&, ValueText* text) {
  text->add("static,%s;guided,iterative", config.static_greedy ? "greedy" : "balanced");
}

// --- Waiting, stacks -------------------------------------------------------------------------------------------------

Parse parse_stack_size(const Setting& setting, std::string_view value, const char**) {
  uint64_t bytes;
  if (trim(value).starts_with('-')) return Parse::kInvalid; // a negative size means the default, not the least size
  Parse how = parse_size(value, static_cast<uint64_t>(setting.least), kLeastStack, kLargestStack, &bytes);
  // Too large a size is ignored: with stacks of the largest size no thread could be made.
  if (how == Parse::kTooSmall || how == Parse::kOk) config.stack_size = bytes;
  return how;
}

static void show_bytes(uint64_t bytes, ValueText* text) {
  if (bytes % (1 << 30) == 0)
    text->add("%lluG", static_cast<unsigned long long>(bytes >> 30));
  else if (bytes % (1 << 20) == 0)
    text->add("%lluM", static_cast<unsigned long long>(bytes >> 20));
  else if (bytes % 1024 == 0)
    text->add("%lluk", static_cast<unsigned long long>(bytes >> 10));
  else
    text->add("%lluB", static_cast<unsigned long long>(bytes));
}

void show_stack_size(const Setting&, ValueText* text) {
  show_bytes(config.stack_size ? config.stack_size : default_stack_size(), text);
}

Parse parse_record_limit(const Setting&, std::string_view value, const char**) {
  if (trim(value).starts_with('-')) return Parse::kInvalid; // a negative value means no limit, not the least
  return parse_size(value, 1, 0, INT64_MAX, &config.record_limit);
}

void show_record_limit(const Setting&, ValueText* text) { show_bytes(config.record_limit, text); }

Parse parse_blocktime(const Setting&, std::string_view value, const char**) {
  Parse how = parse_duration_us(value, kBlocktimeInfinite, &config.blocktime_us);
  if (how != Parse::kInvalid) pending.blocktime_given = true;
  return how;
}

void show_blocktime(const Setting&, ValueText* text) {
  int64_t us = config.blocktime_us;
  if (us == kBlocktimeInfinite)
    text->add("infinite");
  else if (us % 1000 == 0)
    text->add("%lldms", static_cast<long long>(us / 1000));
  else
    text->add("%lldus", static_cast<long long>(us));
}

// Asking for a budget makes dyn-var true; OMP_DYNAMIC, which comes later in the table, may take that back.
Parse parse_thread_budget(const Setting& setting, std::string_view value, const char**) {
  std::string_view word = trim(value);
  if (same_name(word, "off")) return Parse::kOk;
  int64_t number = 0;
  Parse how = same_name(word, "auto") ? Parse::kOk : parse_integer(value, setting.least, setting.most, &number);
  if (how == Parse::kInvalid) return how;
  config.thread_budget = static_cast<int>(number);
  config.dynamic = true;
  return how;
}

void show_thread_budget(const Setting&, ValueText* text) {
  if (!config.dynamic)
    text->add("off");
  else if (config.thread_budget == 0)
    text->add("auto");
  else
    text->add("%d", config.thread_budget);
}

Parse parse_spincount(const Setting&, std::string_view value, const char**) {
  std::string_view word = trim(value);
  if (same_name(word, "infinite") || same_name(word, "infinity")) {
    pending.gomp_spincount = INT64_MAX;
    return Parse::kOk;
  }
  uint64_t count;
  Parse how = parse_size(value, 1, 0, INT64_MAX, &count);
  if (how != Parse::kInvalid) pending.gomp_spincount = static_cast<int64_t>(count);
  return how;
}

Parse parse_debug(const Setting&, std::string_view value, const char** nearest) {
  static constexpr NamedValue kNames[] = {{"disabled", 0}, {"enabled", 1}};
  int enabled;
  if (parse_named(value, kNames, &enabled, nearest) != Parse::kOk) return Parse::kInvalid;
  if (enabled != 0)
    inform(0,
           "OMP_DEBUG: there is no OMPD library for debuggers; gdb shows threads and tasks by chomp's own commands.");
  return Parse::kOk;
}

Parse parse_library(const Setting&, std::string_view value, const char** nearest) {
  int library;
  if (parse_named(value, kLibraries, &library, nearest) != Parse::kOk) return Parse::kInvalid;
  config.library = static_cast<Library>(library);
  if (config.library == Library::kThroughput) imply_blocktime(0);
  return Parse::kOk;
}

void show_library(const Setting&, ValueText* text) {
  text->add("%s", name_of(static_cast<int>(config.library), kLibraries, count_of(kLibraries)));
}

Parse parse_wait_policy(const Setting&, std::string_view value, const char** nearest) {
  int library;
  if (parse_named(value, kWaitPolicies, &library, nearest) != Parse::kOk) return Parse::kInvalid;
  config.library = static_cast<Library>(library);
  imply_blocktime(config.library == Library::kTurnaround ? kBlocktimeInfinite : 0);
  return Parse::kOk;
}

void show_wait_policy(const Setting&, ValueText* text) {
  const char* name = name_of(static_cast<int>(config.library), kWaitPolicies, count_of(kWaitPolicies));
  if (name) text->add("%s", name);
}

// --- The rest --------------------------------------------------------------------------------------------------------

Parse parse_display_env(const Setting&, std::string_view value, const char** nearest) {
  bool on;
  int display;
  if (parse_boolean(value, &on) == Parse::kOk)
    display = on;
  else if (parse_named(value, kDisplays, &display, nearest) != Parse::kOk)
    return Parse::kInvalid;
  pending.display_env = static_cast<uint8_t>(display);
  return Parse::kOk;
}

void show_display_env(const Setting&, ValueText* text) {
  text->add("%s", name_of(pending.display_env, kDisplays, count_of(kDisplays)));
}

Parse parse_affinity_format(const Setting&, std::string_view value, const char**) {
  if (value.size() >= sizeof config.affinity_format) return Parse::kInvalid;
  memcpy(config.affinity_format, value.data(), value.size());
  config.affinity_format[value.size()] = 0;
  return Parse::kOk;
}

void show_affinity_format(const Setting&, ValueText* text) { text->add("%s", config.affinity_format); }

namespace {

constexpr NamedValue kMemorySpaces[] = {{"omp_default_mem_space", 0},
                                        {"omp_large_cap_mem_space", 1},
                                        {"omp_const_mem_space", 2},
                                        {"omp_high_bw_mem_space", 3},
                                        {"omp_low_lat_mem_space", 4}};
// Hints, whose values are checked and not used.
constexpr NamedValue kSyncHints[] = {
    {"contended", 3}, {"uncontended", 4}, {"serialized", 5}, {"sequential", 5}, {"private", 6}};
constexpr NamedValue kAccesses[] = {{"all", 7}, {"thread", 8}, {"pteam", 9}, {"cgroup", 10}};
constexpr NamedValue kPartitions[] = {{"environment", 15}, {"nearest", 16}, {"blocked", 17}, {"interleaved", 18}};
constexpr NamedValue kFallbacks[] = {{"default_mem_fb", 11}, {"null_fb", 12}, {"abort_fb", 13}, {"allocator_fb", 14}};

template <int kCount> Parse parse_one_of(std::string_view value, const NamedValue (&names)[kCount], uint8_t* result) {
  int number;
  Parse how = parse_name(value, names, kCount, &number);
  if (how == Parse::kOk) *result = static_cast<uint8_t>(number);
  return how;
}

/// "name=value".
Parse parse_allocator_trait(const Setting& setting, std::string_view trait, EnvironmentAllocator* allocator) {
  std::string_view value = trait;
  std::string_view name = next_element(&value, '=');
  value = trim(value);
  if (value.empty()) return Parse::kInvalid;
  if (same_name(name, "alignment")) {
    Parse how = parse_size(value, 1, 1, uint64_t{1} << 40, &allocator->alignment);
    return how == Parse::kOk && (allocator->alignment & (allocator->alignment - 1)) != 0 ? Parse::kInvalid : how;
  }
  if (same_name(name, "pool_size")) return parse_size(value, 1, 1, SIZE_MAX, &allocator->pool_size);
  if (same_name(name, "fallback")) return parse_one_of(value, kFallbacks, &allocator->fallback);
  if (same_name(name, "fb_data")) {
    int number;
    Parse how = parse_name(value, setting.names, setting.name_count, &number);
    if (how == Parse::kOk) allocator->fallback_allocator = static_cast<uint8_t>(number);
    return how;
  }
  if (same_name(name, "pinned")) return parse_boolean(value, &allocator->pinned);
  uint8_t unused;
  if (same_name(name, "sync_hint")) return parse_one_of(value, kSyncHints, &unused);
  if (same_name(name, "access")) return parse_one_of(value, kAccesses, &unused);
  return same_name(name, "partition") ? parse_one_of(value, kPartitions, &unused) : Parse::kInvalid;
}

} // namespace

// The name of a predefined allocator, or "<memory space>[:trait=value,…]". A space alone stands for its predefined
// allocator, as in libgomp; that has the next number.
Parse parse_allocator(const Setting& setting, std::string_view value, const char** nearest) {
  std::string_view traits = value;
  std::string_view space = next_element(&traits, ':');
  EnvironmentAllocator allocator;
  if (parse_one_of(space, kMemorySpaces, &allocator.space) != Parse::kOk)
    return parse_enum_setting(setting, value, nearest);
  if (!traits.data()) {
    config.allocator = allocator.space + 1;
    return Parse::kOk;
  }
  while (traits.data())
    if (parse_allocator_trait(setting, next_element(&traits, ','), &allocator) != Parse::kOk) return Parse::kInvalid;
  if (allocator.fallback == EnvironmentAllocator::kAllocatorFallback && allocator.fallback_allocator == 0)
    return Parse::kInvalid;
  config.environment_allocator = allocator;
  config.allocator = 0;
  return Parse::kOk;
}

void show_allocator(const Setting& setting, ValueText* text) {
  if (config.allocator != 0) return show_enum_setting(setting, text);
  const EnvironmentAllocator& allocator = config.environment_allocator;
  text->add("%s", name_of(allocator.space, kMemorySpaces, sizeof kMemorySpaces / sizeof *kMemorySpaces));
  char separator = ':';
  auto next = [&] {
    char now = separator;
    separator = ',';
    return now;
  };
  if (allocator.alignment != 0)
    text->add("%calignment=%llu", next(), static_cast<unsigned long long>(allocator.alignment));
  if (allocator.pool_size != 0)
    text->add("%cpool_size=%llu", next(), static_cast<unsigned long long>(allocator.pool_size));
  if (allocator.pinned) text->add("%cpinned=true", next());
  if (allocator.fallback != 0)
    text->add("%cfallback=%s", next(), name_of(allocator.fallback, kFallbacks, sizeof kFallbacks / sizeof *kFallbacks));
  if (allocator.fallback_allocator != 0)
    text->add("%cfb_data=%s", next(), name_of(allocator.fallback_allocator, setting.names, setting.name_count));
}

Parse parse_deterministic_reduction(const Setting&, std::string_view value, const char**) {
  bool deterministic;
  if (parse_boolean(value, &deterministic) != Parse::kOk) return Parse::kInvalid;
  config.force_reduction = deterministic ? Reduction::kTree : Reduction::kAutomatic;
  return Parse::kOk;
}

void show_deterministic_reduction(const Setting&, ValueText* text) {
  text->add(config.force_reduction == Reduction::kTree ? "TRUE" : "FALSE");
}

Parse parse_scheduler(const Setting&, std::string_view value, const char** nearest) {
  std::string_view word = trim(value);
  int count;
  const char* const* names = scheduler_names(&count);
  for (int i = 0; i < count; i++) {
    size_t bytes = strlen(names[i]) + 1;
    if (!same_name(word, names[i]) || bytes > sizeof config.scheduler) continue;
    memcpy(config.scheduler, names[i], bytes);
    return Parse::kOk;
  }
  NearestName near{word};
  for (int i = 0; i < count; i++) near.consider(names[i]);
  *nearest = near.name;
  return Parse::kInvalid;
}

void show_scheduler(const Setting&, ValueText* text) { text->add("%s", config.scheduler); }

} // namespace chomp
