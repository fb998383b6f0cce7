// The table of all environment variables: a row for each, in alphabetical order, and the value that the user gave. Read
// by config.cpp (which applies it) and config_display.cpp (which shows it). To add a setting: runtime/config/README.md.
#pragma once

#include <cstring>

#include "runtime/base/env.h"
#include "runtime/config/version.h"
#include "runtime/config/config_values.h"

namespace chomp {

struct SettingsTable {
  const Setting* rows; // [count]
  int count;
  const char** given; // [count]: the user's text; null: not given

  /// The row of that name; -1: none.
  int find(std::string_view name) const;

  const Setting* begin() const { return rows; }
  const Setting* end() const { return rows + count; }
};

extern constinit const SettingsTable settings;

inline constexpr int kOpenmpVersion = 201611; // what libomp 19 answers: OpenMP 5.0

/// KMP_SETTINGS: what the user gave, and what is in force.
void config_display_settings();

} // namespace chomp
