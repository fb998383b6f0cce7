// RUN: %clangxx -std=c++20 -I%root %s %root/runtime/base/log.cpp %root/runtime/base/os_linux.cpp %root/runtime/base/env.cpp %root/runtime/config/config_values.cpp %root/runtime/config/settings_table.cpp %root/runtime/config/config_display.cpp %root/runtime/config/config_affinity.cpp %root/runtime/config/affinity_settings.cpp %root/runtime/config/places.cpp %root/runtime/config/places_text.cpp %root/runtime/machine/hardware.cpp %root/runtime/machine/hw_subset.cpp -pthread -o %t && %t
// Whatever a variable is set to, the process lives, and prints one warning at most: a value that is refused as invalid
// gives one warning and leaves the default in force, one out of range one warning and a bound. Every row of the table
// is tried with every value here, so that new variables are tried too.
#include <initializer_list>
#include <string>

#include "runtime/config/config.cpp" // apply() is private to config.cpp
#include "test/unit/capture.h"
#include "test/unit/check_that.h"
#include "test/unit/settings_alone.h"
#include "test/unit/settings_in_bounds.h"

using namespace chomp;

/// No variable has a meaning for these, but for those whose values are any text.
static const std::string kHostile[] = {
    "\x01\x02\x7f\xff\xfe",
    "%s%s%s%n%n%x",
    "$(reboot)`reboot`;|&",
    "\xc3\xa4\xe2\x82\xac\xf0\x9f\x92\xa3",
    ",",
    ",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,",
    "=",
    ":::::",
    "{{{{{{{{{{{{",
    "}",
    "((((((((",
    "0x7fffffff",
    "1e9",
    "--1",
    "+-1",
    "NaN",
    "3,2x",
    "4;5",
    "a\tb",
    "\"4\"",
    std::string(200, '9') + "x",
    std::string(1 << 16, 'A'),
    std::string(1 << 16, '('),
    std::string(1 << 16, ',') + "x",
};

/// In range for some, out of range for others, and never garbage.
static const std::string kExtreme[] = {
    "0",
    "-0",
    "-1",
    "2147483647",
    "2147483648",
    "-2147483649",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    std::string(5000, '9'),
    "-" + std::string(5000, '9'),
    "18446744073709551615T",
    "9223372036854775807s",
};

/// Rows without effect, and those that keep a text (tools' libraries, formats), whose grammar is wide.
static bool takes_any_text(const Setting& setting) {
  return !setting.parse || setting.parse == parse_affinity_format || setting.show == show_text_setting;
}

/// Refuses nothing, but says what it uses instead, which is not the default.
static bool replaces_mistakes(const Setting& setting) { return setting.parse == parse_places_setting; }

static int occurrences(const char* text, const char* word) {
  int count = 0;
  for (const char* at = text; (at = strstr(at, word)); at++) count++;
  return count;
}

/// In a process of its own: the parser alone, then the whole environment of this one variable.
static void try_value(const Setting& setting, const std::string& value, bool hostile) {
  std::string entry = std::string(setting.name) + "=" + value;
  Captured said = capture([&] {
    failures = 0; // of this value
    clearenv();
    config_read();
    static Config before;
    static PendingSettings pending_before;
    memcpy(&before, &config, sizeof config); // the padding too
    memcpy(&pending_before, &pending, sizeof pending);
    putenv(entry.data());
    const char* nearest = nullptr;
    set_warnings(false); // each warning is to come from the code that reads the environment
    Parse how = setting.parse ? setting.parse(setting, value.c_str(), &nearest) : Parse::kOk;
    set_warnings(true);
    bool same = memcmp(&before, &config, sizeof config) == 0 && memcmp(&pending_before, &pending, sizeof pending) == 0;
    THAT(how != Parse::kInvalid || same);
    THAT(!hostile || takes_any_text(setting) || replaces_mistakes(setting) || how != Parse::kOk);
    THAT(how == Parse::kOk || !nearest || value.size() < 64);
    config_read();
    const char* broken = settings_out_of_bounds(config);
    THAT(broken == nullptr);
    return result();
  });
  int warnings = occurrences(said.text, "OMP: Warning");
  bool refused = hostile && !takes_any_text(setting);
  if (said.status == 0 && warnings <= 1 && (!refused || warnings == 1) && !strstr(said.text, "not true")) return;
  fprintf(stderr, "%s=%.60s (%zu bytes)\n  status %d, %d warnings, said: %.300s\n", setting.name, value.c_str(),
          value.size(), said.status, warnings, said.text);
  failures++;
}

int main() {
  for (const Setting& setting : settings) {
    for (const std::string& value : kHostile) try_value(setting, value, true);
    for (const std::string& value : kExtreme) try_value(setting, value, false);
  }
  return result();
}
