// Every row of the table of settings, so a new variable is fuzzed as soon as it has its row. An input that begins with
// a capital letter is an environment, a variable a line; any other is one value, whose first byte chooses the row.
//
// SOURCES: runtime/config/config_*.cpp runtime/config/settings_table.cpp runtime/config/affinity_settings.cpp
// runtime/config/places*.cpp runtime/machine/hw_subset.cpp runtime/machine/hardware.cpp runtime/base/env.cpp
// runtime/base/log.cpp runtime/base/os_linux.cpp
#include "runtime/config/config.cpp" // report_bad_value() is private to config.cpp

#include <string>
#include <vector>

#include "test/fuzz/fuzz.h"
#include "test/unit/settings_alone.h"
#include "test/unit/settings_in_bounds.h"

using namespace chomp;

static void as_at_the_start() {
  memset(settings.given, 0, static_cast<size_t>(settings.count) * sizeof *settings.given);
  config = Config{};
  pending = PendingSettings{};
  set_warnings(true);
}

static void expect_bounds() {
  const char* broken = settings_out_of_bounds(config);
  if (broken) fuzz_failed("a setting out of bounds", broken);
}

/// A value that is refused as invalid leaves everything as it was. (One out of range may set the bound.)
static void one_value(const Setting& setting, const std::string& value) {
  if (!setting.parse) return;
  static Config config_before;
  static PendingSettings pending_before;
  memcpy(&config_before, &config, sizeof config); // the padding too
  memcpy(&pending_before, &pending, sizeof pending);
  const char* nearest = nullptr;
  Parse how = setting.parse(setting, value.c_str(), &nearest);
  bool unchanged =
      memcmp(&config_before, &config, sizeof config) == 0 && memcmp(&pending_before, &pending, sizeof pending) == 0;
  if (how == Parse::kInvalid && !unchanged) fuzz_failed("an invalid value changed something", setting.name);
  if (how == Parse::kOk && nearest) fuzz_failed("a good value has a better one", setting.name);
  ValueText text;
  if (setting.show) setting.show(setting, &text);
  if (strlen(text.text) != text.length) fuzz_failed("a value is shown badly", setting.name);
  if (how == Parse::kOk) return;
  auto row = static_cast<int>(&setting - settings.rows);
  const char* before = settings.given[row];
  settings.given[row] = value.c_str();
  report_bad_value(row, how, nearest);
  settings.given[row] = before;
}

static void environment(const std::string& input) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < input.size();) {
    size_t end = input.find('\n', begin);
    if (end == std::string::npos) end = input.size();
    lines.emplace_back(input.substr(begin, end - begin).c_str()); // up to a zero
    begin = end + 1;
  }
  std::vector<char*> entries;
  for (std::string& line : lines) entries.push_back(line.data());
  entries.push_back(nullptr);
  char** real = environ;
  environ = entries.data();
  config_read();
  config_display(true);
  environ = real;
  expect_bounds();
  as_at_the_start(); // what was given points into this input
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  as_at_the_start();
  if (size == 0) return 0;
  std::string input(reinterpret_cast<const char*>(data), size);
  if (input[0] >= 'A' && input[0] <= 'Z')
    environment(input);
  else
    one_value(settings.rows[data[0] % settings.count], input.substr(1));
  expect_bounds();
  return 0;
}
