// RUN: %clangxx -std=c++20 -I%root %s %root/runtime/base/env.cpp -o %t && %t
#include <initializer_list>

#include "runtime/base/env.h"
#include "test/unit/check_that.h"

using namespace chomp;

static void integers() {
  auto parse = [](const char* text, int64_t least = INT64_MIN, int64_t most = INT64_MAX) {
    static int64_t value;
    value = -77;
    Parse how = parse_integer(text, least, most, &value);
    struct Result {
      Parse how;
      int64_t value;
    };
    return Result{how, value};
  };
  THAT(parse("12").how == Parse::kOk && parse("12").value == 12);
  THAT(parse(" \t-3 ").how == Parse::kOk && parse("-3").value == -3);
  THAT(parse("+7").value == 7);
  THAT(parse("9223372036854775807").value == INT64_MAX && parse("9223372036854775807").how == Parse::kOk);
  THAT(parse("9223372036854775808").how == Parse::kTooLarge);
  THAT(parse("99999999999999999999999999").how == Parse::kTooLarge);
  THAT(parse("99999999999", 1, 100).how == Parse::kTooLarge && parse("99999999999", 1, 100).value == 100);
  THAT(parse("0", 1, 100).how == Parse::kTooSmall && parse("0", 1, 100).value == 1);
  for (const char* bad : {"", " ", "-", "+", "abc", "3x", "2 3", "0x10", "1.5", "--1", "3,4"})
    THAT(parse(bad).how == Parse::kInvalid && parse(bad).value == -77);
}

static void booleans() {
  bool value = false;
  for (const char* text : {"true", "TRUE", "yes", "On", "1", "enabled", ".T.", ".true.", " t ", "Y"})
    THAT(parse_boolean(text, &value) == Parse::kOk && value);
  for (const char* text : {"false", "FALSE", "no", "oFF", "0", "disabled", ".F.", ".false.", "f", "n "})
    THAT(parse_boolean(text, &value) == Parse::kOk && !value);
  for (const char* bad : {"", "2", "tru", "yess", "on off", "-1"}) THAT(parse_boolean(bad, &value) == Parse::kInvalid);
}

static void sizes() {
  uint64_t bytes = 0;
  auto is = [&bytes](const char* text, uint64_t expected, uint64_t unit = 1024) {
    return parse_size(text, unit, 0, UINT64_MAX, &bytes) == Parse::kOk && bytes == expected;
  };
  THAT(is("16", 16384) && is("16", 16, 1) && is("16b", 16) && is("16 B", 16));
  THAT(is("4k", 4096) && is("4KB", 4096) && is(" 4 M ", 4 << 20) && is("2g", 2ull << 30) && is("1T", 1ull << 40));
  for (const char* bad : {"", "k", "1.5k", "4kk", "4 k b", "abc", "4m2", "- 4"})
    THAT(parse_size(bad, 1, 0, UINT64_MAX, &bytes) == Parse::kInvalid);
  THAT(parse_size("99999999999999999999", 1, 0, UINT64_MAX, &bytes) == Parse::kTooLarge);
  THAT(parse_size("99999999999T", 1, 0, 1 << 30, &bytes) == Parse::kTooLarge && bytes == 1 << 30);
  THAT(parse_size("-4k", 1, 4096, 1 << 30, &bytes) == Parse::kTooSmall && bytes == 4096);
}

static void durations() {
  int64_t us = 0;
  auto is = [&us](const char* text, int64_t expected) {
    return parse_duration_us(text, INT64_MAX, &us) == Parse::kOk && us == expected;
  };
  THAT(is("200", 200000) && is("200ms", 200000) && is("200 US", 200) && is("2s", 2000000) && is("0", 0));
  THAT(is("infinite", INT64_MAX) && is("INFINITE", INT64_MAX) && is("infinity", INT64_MAX));
  for (const char* bad : {"", "zz", "-1", "1.5ms", "1 m s", "ms", "infinitely"})
    THAT(parse_duration_us(bad, INT64_MAX, &us) == Parse::kInvalid);
  THAT(parse_duration_us("99999999999999999", INT64_MAX, &us) == Parse::kTooLarge);
}

static void lists() {
  std::string_view list = "4, 3 ,,2";
  THAT(same_name(next_element(&list, ','), "4") && same_name(next_element(&list, ','), "3"));
  THAT(next_element(&list, ',').empty() && list.data() != nullptr);
  THAT(same_name(next_element(&list, ','), "2") && list.data() == nullptr);
  list = "";
  THAT(next_element(&list, ',').empty() && list.data() == nullptr);
  list = "1,";
  THAT(same_name(next_element(&list, ','), "1") && list.data() != nullptr && next_element(&list, ',').empty());
  THAT(list.data() == nullptr);
}

static void names() {
  static constexpr NamedValue kNames[] = {{"throughput", 2}, {"turnaround", 1}, {"thru", 2}};
  int value = 0;
  THAT(parse_name(" Turnaround ", kNames, 3, &value) == Parse::kOk && value == 1);
  THAT(parse_name("thru", kNames, 3, &value) == Parse::kOk && value == 2);
  THAT(parse_name("th", kNames, 3, &value) == Parse::kInvalid);
  THAT(strcmp(name_of(2, kNames, 3), "throughput") == 0 && !name_of(5, kNames, 3));

  auto distance = [](const char* a, const char* b) { return edit_distance(a, b); };
  THAT(distance("", "") == 0 && distance("abc", "") == 3 && distance("", "ab") == 2);
  THAT(distance("kitten", "sitting") == 3 && distance("Steal", "stela") == 1 && distance("steal", "STEAL") == 0);
  THAT(distance("spreda", "spread") == 2 || distance("spreda", "spread") == 1);
  static char long_name[200];
  memset(long_name, 'x', sizeof long_name - 1);
  THAT(distance(long_name, "x") == 62 && distance(long_name, long_name) == 0);
  char endless[5001] = "";
  memset(endless, '9', 5000); // compared by its first letters only; no word is meant
  auto nearest = [](const char* text, const char* name) {
    NearestName near{text};
    near.consider(name);
    return near.name;
  };
  THAT(nearest(endless, "ACTIVE") == nullptr && nearest("abc", "xyz") == nullptr);
  THAT(nearest("CHOMP_SHEDULER", "CHOMP_SCHEDULER") != nullptr);
}

int main() {
  integers();
  booleans();
  sizes();
  durations();
  lists();
  names();
  return result();
}
