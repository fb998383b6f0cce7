// See env.h. Digits and letters are compared here: strtol and strcasecmp depend on the program's locale, skip more
// kinds of blanks, and need a zero byte at the end.
#include "runtime/base/env.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace chomp {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Takes digits off the front. False when there are none; `*overflow` when they do not fit.
bool take_digits(std::string_view* text, uint64_t* value, bool* overflow) {
  auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), *value);
  *overflow = error == std::errc::result_out_of_range;
  if (*overflow) *value = UINT64_MAX;
  text->remove_prefix(static_cast<size_t>(end - text->data()));
  return error != std::errc::invalid_argument;
}

struct Unit {
  const char* name;
  uint64_t factor;
};

/// The factor of the unit that `text` names, or 0.
uint64_t unit_factor(std::string_view text, const Unit* units, int count) {
  for (int i = 0; i < count; i++)
    if (same_name(text, units[i].name)) return units[i].factor;
  return 0;
}

constexpr Unit kSizeUnits[] = {
    {"b", 1},          {"k", 1ull << 10},  {"kb", 1ull << 10}, {"m", 1ull << 20},  {"mb", 1ull << 20},
    {"g", 1ull << 30}, {"gb", 1ull << 30}, {"t", 1ull << 40},  {"tb", 1ull << 40},
};

constexpr size_t kLongestCompared = 63; // letters that edit_distance() looks at

constexpr Unit kTimeUnits[] = {{"us", 1}, {"ms", 1000}, {"s", 1000000}};

} // namespace

const char* environment_value(const char* name) { return getenv(name); }

void environment_each(void (*visit)(std::string_view name, const char* value, void* context), void* context) {
  for (char** entry = environ; entry && *entry; entry++)
    if (const char* equals = strchr(*entry, '='))
      visit({*entry, static_cast<size_t>(equals - *entry)}, equals + 1, context);
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool same_name(std::string_view text, const char* name) {
  for (size_t i = 0; i < text.size(); i++)
    if (name[i] == 0 || lower(text[i]) != lower(name[i])) return false;
  return name[text.size()] == 0;
}

std::string_view cut_off(std::string_view* text, std::string_view separators) {
  size_t at = text->find_first_of(separators);
  if (at == text->npos) return {};
  std::string_view rest{text->data() + at + 1, text->size() - at - 1};
  text->remove_suffix(rest.size() + 1);
  return rest;
}

std::string_view next_element(std::string_view* list, char separator) {
  std::string_view element = *list;
  *list = cut_off(&element, {&separator, 1});
  return trim(element);
}

Parse parse_integer(std::string_view text, int64_t least, int64_t most, int64_t* value) {
  text = trim(text);
  bool negative = !text.empty() && text[0] == '-';
  if (negative || (!text.empty() && text[0] == '+')) text.remove_prefix(1);
  uint64_t magnitude;
  bool overflow;
  if (!take_digits(&text, &magnitude, &overflow) || !text.empty()) return Parse::kInvalid;
  overflow = overflow || magnitude > INT64_MAX;
  if (overflow) magnitude = INT64_MAX;
  int64_t number = negative ? -static_cast<int64_t>(magnitude) : static_cast<int64_t>(magnitude);
  *value = std::clamp(number, least, most);
  if (overflow) return negative ? Parse::kTooSmall : Parse::kTooLarge;
  return number < least ? Parse::kTooSmall : number > most ? Parse::kTooLarge : Parse::kOk;
}

Parse parse_boolean(std::string_view text, bool* value) {
  static constexpr const char* kTrue[] = {"true", "yes", "on", "1", "enabled", ".true.", ".t.", "t", "y"};
  static constexpr const char* kFalse[] = {"false", "no", "off", "0", "disabled", ".false.", ".f.", "f", "n"};
  text = trim(text);
  for (const char* name : kTrue)
    if (same_name(text, name)) return *value = true, Parse::kOk;
  for (const char* name : kFalse)
    if (same_name(text, name)) return *value = false, Parse::kOk;
  return Parse::kInvalid;
}

Parse parse_size(std::string_view text, uint64_t default_unit, uint64_t least, uint64_t most, uint64_t* bytes) {
  text = trim(text);
  uint64_t number;
  bool overflow;
  bool negative = !text.empty() && text[0] == '-';
  if (negative) text.remove_prefix(1);
  if (!take_digits(&text, &number, &overflow)) return Parse::kInvalid;
  text = trim(text);
  uint64_t unit = text.empty() ? default_unit : unit_factor(text, kSizeUnits, sizeof kSizeUnits / sizeof *kSizeUnits);
  if (unit == 0) return Parse::kInvalid;
  overflow = __builtin_mul_overflow(number, unit, &number) || overflow;
  if (negative) number = 0;
  *bytes = number;
  if (overflow && !negative) *bytes = UINT64_MAX;
  if (negative || *bytes < least) return *bytes = least, Parse::kTooSmall;
  if (*bytes > most) return *bytes = most, Parse::kTooLarge;
  return overflow ? Parse::kTooLarge : Parse::kOk;
}

Parse parse_duration_us(std::string_view text, int64_t infinite, int64_t* microseconds) {
  text = trim(text);
  if (same_name(text, "infinite") || same_name(text, "infinity")) return *microseconds = infinite, Parse::kOk;
  uint64_t number;
  bool overflow;
  if (!take_digits(&text, &number, &overflow)) return Parse::kInvalid;
  text = trim(text);
  uint64_t unit = text.empty() ? 1000 : unit_factor(text, kTimeUnits, sizeof kTimeUnits / sizeof *kTimeUnits);
  if (unit == 0) return Parse::kInvalid;
  if (__builtin_mul_overflow(number, unit, &number) || overflow || number > INT64_MAX)
    return *microseconds = infinite, Parse::kTooLarge;
  *microseconds = static_cast<int64_t>(number);
  return Parse::kOk;
}

Parse parse_name(std::string_view text, const NamedValue* names, int count, int* value) {
  text = trim(text);
  for (int i = 0; i < count; i++)
    if (same_name(text, names[i].name)) return *value = names[i].value, Parse::kOk;
  return Parse::kInvalid;
}

const char* name_of(int value, const NamedValue* names, int count) {
  for (int i = 0; i < count; i++)
    if (names[i].value == value) return names[i].name;
  return nullptr;
}

int edit_distance(std::string_view a, std::string_view b) {
  // Damerau-Levenshtein, restricted to neighbours that are swapped once: three rows suffice.
  size_t rows = std::min(a.size(), kLongestCompared);
  size_t columns = std::min(b.size(), kLongestCompared);
  int row[3][kLongestCompared + 1];
  for (size_t j = 0; j <= columns; j++) row[0][j] = static_cast<int>(j);
  for (size_t i = 1; i <= rows; i++) {
    int* now = row[i % 3];
    int* before = row[(i - 1) % 3];
    int* two_before = row[(i + 1) % 3];
    now[0] = static_cast<int>(i);
    for (size_t j = 1; j <= columns; j++) {
      char x = lower(a[i - 1]), y = lower(b[j - 1]);
      int best = before[j - 1] + (x != y);
      if (before[j] + 1 < best) best = before[j] + 1;
      if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
      bool swapped = i > 1 && j > 1 && x == lower(b[j - 2]) && y == lower(a[i - 2]);
      if (swapped && two_before[j - 2] + 1 < best) best = two_before[j - 2] + 1;
      now[j] = best;
    }
  }
  return row[rows % 3][columns];
}

/// Whether a name at that distance may have been meant. One that shares no letter with the text, as "0" with "x", was
/// not.
static bool plausible_typo(std::string_view text, int distance) {
  auto length = static_cast<int>(text.size());
  return text.size() <= kLongestCompared && distance < length && distance <= 1 + length / 4;
}

void NearestName::consider(const char* other) {
  int now = edit_distance(text, other);
  if (now >= distance || !plausible_typo(text, now)) return;
  distance = now;
  name = other;
}

} // namespace chomp
