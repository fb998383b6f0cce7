// Functions that read and show single settings. Private to config/. The table in settings_table.cpp says which function
// belongs to which variable.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/base/env.h"
#include "runtime/config/config.h"

namespace chomp {

/// A value as text, for people. Too long text is cut.
struct ValueText {
  char text[512];
  size_t length = 0;

  ValueText() { text[0] = 0; }
  void add(const char* format, ...) __attribute__((format(printf, 2, 3)));
  bool empty() const { return length == 0; }
};

/// One environment variable.
struct Setting {
  const char* name;

  /// Reads a value into the configuration; out of range, the bound that was exceeded. An invalid value changes nothing,
  /// and `*nearest` may become the nearest valid one. Null: the variable is accepted and has no effect in chomp.
  Parse (*parse)(const Setting& setting, std::string_view value, const char** nearest) = nullptr;
  /// Writes the value in force, or nothing if there is none. Null: the variable is shown only if the user gave it.
  void (*show)(const Setting& setting, ValueText* text) = nullptr;

  void* where = nullptr; // the field, for the functions of a type
  int64_t least = 0;     // of integers
  int64_t most = 0;
  const NamedValue* names = nullptr; // of enumerations
  int name_count = 0;

  /// For the message about a bad value: what it may be. Null: the type says so, or the message leaves this out.
  const char* takes = nullptr;

  const char* overridden_by[2] = {}; // variables that take precedence
  bool (*takes_precedence)(std::string_view value) =
      nullptr; // for which values it takes precedence over the rows that name it in `overridden_by`; null: for all
  const char* obsolete_for = nullptr;
  bool names_file = false; // ignored in set-uid programs
};

/// Adds to the message about a bad value what the row takes: the row's own words, or what its type says, or nothing.
void add_what_it_takes(const Setting& setting, ValueText* text);

/// What parsers leave for the end of config_read(), since the result depends on several variables.
struct PendingSettings {
  bool blocktime_given = false;
  bool active_levels_given = false;
  int64_t gomp_spincount = -1; // not given
  int loops_in_flight = 0;     // KMP_DISP_NUM_BUFFERS
  bool warnings = true;
  bool show_settings = false;
  bool show_version = false;
  uint8_t display_env = 0; // 1: yes, 2: verbose
};
extern PendingSettings pending;

// By type.
Parse parse_bool_setting(const Setting&, std::string_view, const char** nearest);
void show_bool_setting(const Setting&, ValueText*);
Parse parse_int_setting(const Setting&, std::string_view, const char** nearest);
void show_int_setting(const Setting&, ValueText*);
/// Enumerations of one byte.
Parse parse_enum_setting(const Setting&, std::string_view, const char** nearest);
void show_enum_setting(const Setting&, ValueText*);
/// Any text; the setting points into the environment.
Parse parse_text_setting(const Setting&, std::string_view, const char** nearest);
void show_text_setting(const Setting&, ValueText*);

// Of single variables or families.
Parse parse_num_threads(const Setting&, std::string_view, const char** nearest);
void show_num_threads(const Setting&, ValueText*);
Parse parse_max_active_levels(const Setting&, std::string_view, const char** nearest);
Parse parse_nested(const Setting&, std::string_view, const char** nearest);
Parse parse_schedule(const Setting&, std::string_view, const char** nearest);
void show_schedule(const Setting&, ValueText*);
Parse parse_kmp_schedule(const Setting&, std::string_view, const char** nearest);
void show_kmp_schedule(const Setting&, ValueText*);
/// Setting.least is the unit of a number without one: 1 for KMP_STACKSIZE, 1024 for the others.
Parse parse_stack_size(const Setting&, std::string_view, const char** nearest);
void show_stack_size(const Setting&, ValueText*);

Parse parse_record_limit(const Setting&, std::string_view value, const char** nearest);
void show_record_limit(const Setting&, ValueText*);
Parse parse_thread_limit(const Setting&, std::string_view, const char** nearest);
Parse parse_threads_reserve(const Setting&, std::string_view, const char** nearest);
void show_threads_reserve(const Setting&, ValueText*);
Parse parse_blocktime(const Setting&, std::string_view, const char** nearest);
Parse parse_thread_budget(const Setting&, std::string_view, const char** nearest);
void show_thread_budget(const Setting&, ValueText*);
void show_blocktime(const Setting&, ValueText*);
void show_allocator(const Setting&, ValueText*);
Parse parse_spincount(const Setting&, std::string_view, const char** nearest);
/// OMP_DEBUG: chomp has no OMPD library for debuggers, so it prints a line that says what it has.
Parse parse_debug(const Setting&, std::string_view, const char** nearest);
Parse parse_library(const Setting&, std::string_view, const char** nearest);
void show_library(const Setting&, ValueText*);
Parse parse_wait_policy(const Setting&, std::string_view, const char** nearest);
void show_wait_policy(const Setting&, ValueText*);
Parse parse_display_env(const Setting&, std::string_view, const char** nearest);
void show_display_env(const Setting&, ValueText*);
Parse parse_affinity_format(const Setting&, std::string_view, const char** nearest);
void show_affinity_format(const Setting&, ValueText*);
Parse parse_allocator(const Setting&, std::string_view, const char** nearest);
Parse parse_deterministic_reduction(const Setting&, std::string_view, const char** nearest);
void show_deterministic_reduction(const Setting&, ValueText*);
Parse parse_scheduler(const Setting&, std::string_view, const char** nearest);
void show_scheduler(const Setting&, ValueText*);

// Where threads run: config_affinity.cpp.
Parse parse_proc_bind(const Setting&, std::string_view, const char** nearest);
void show_proc_bind(const Setting&, ValueText*);
Parse parse_teams_proc_bind(const Setting&, std::string_view, const char** nearest);
void show_teams_proc_bind(const Setting&, ValueText*);
Parse parse_places_setting(const Setting&, std::string_view, const char** nearest);
void show_places(const Setting&, ValueText*);
Parse parse_kmp_affinity(const Setting&, std::string_view, const char** nearest);
/// Takes the same as KMP_AFFINITY, and only looks for errors: chomp has no hidden helper threads.
Parse parse_hidden_helper_affinity(const Setting&, std::string_view, const char** nearest);
void show_kmp_affinity(const Setting&, ValueText*);
/// Whether a value of KMP_AFFINITY names a type, and not just "verbose". Then it takes precedence over other variables.
bool names_affinity_type(std::string_view value);
Parse parse_hw_subset(const Setting&, std::string_view, const char** nearest);
Parse parse_cpu_affinity(const Setting&, std::string_view, const char** nearest);
/// Decides what these variables mean together. Called when all of them have been read.
void resolve_affinity();

/// A list of more than one level means that the user wants nested parallelism (OpenMP 5.2, 21.1.2 and 21.1.3).
void imply_nesting(int levels);

/// The name most like `text`, or null when none is.
Parse parse_named(std::string_view value, const NamedValue* names, int count, int* number, const char** nearest);

/// The size of a thread's stack when no variable gives one: RLIMIT_STACK, at most 64 MiB and at least kLeastStack, as
/// in libomp.
size_t default_stack_size();
inline constexpr size_t kLeastStack = 64 * 1024;

} // namespace chomp
