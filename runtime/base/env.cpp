// See env.h. Digits and letters are compared here: strtol and strcasecmp depend on the program's locale, skip more
// kinds of blanks, and need a zero byte at the end.
#include "runtime/base/env.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace chomp {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Takes digits off the front. False when there are none; `*overflow` when they do not fit.
bool take_digits(Text* text, uint64_t* value, bool* overflow) {
  size_t i = 0;
  *value = 0;
  *overflow = false;
  for (; i < text->length && is_digit(text->begin[i]); i++)
    if (__builtin_mul_overflow(*value, 10u, value) ||
        __builtin_add_overflow(*value, static_cast<uint64_t>(text->begin[i] - '0'), value)) {
      *overflow = true;
      *value = UINT64_MAX;
    }
  if (*overflow) *value = UINT64_MAX;
  text->begin += i;
  text->length -= i;
  return i > 0;
}

struct Unit {
  const char* name;
  uint64_t factor;
};

/// The factor of the unit that `text` names, or 0.
uint64_t unit_factor(Text text, const Unit* units, int count) {
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

void environment_each(void (*visit)(Text name, const char* value, void* context), void* context) {
  for (char** entry = environ; entry && *entry; entry++)
    if (const char* equals = strchr(*entry, '='))
      visit({*entry, static_cast<size_t>(equals - *entry)}, equals + 1, context);
}

Text text_of(const char* zero_terminated) { return {zero_terminated, strlen(zero_terminated)}; }

Text trim(Text text) {
  while (text.length > 0 && is_blank(text.begin[0])) text.begin++, text.length--;
  while (text.length > 0 && is_blank(text.begin[text.length - 1])) text.length--;
  return text;
}

bool same_name(Text text, const char* name) {
  for (size_t i = 0; i < text.length; i++)
    if (name[i] == 0 || lower(text.begin[i]) != lower(name[i])) return false;
  return name[text.length] == 0;
}

Text next_element(Text* list, char separator) {
  const void* found = list->length ? memchr(list->begin, separator, list->length) : nullptr;
  Text element = *list;
  if (found) {
    element.length = static_cast<size_t>(static_cast<const char*>(found) - list->begin);
    list->begin += element.length + 1;
    list->length -= element.length + 1;
  } else {
    *list = {};
  }
  return trim(element);
}

Parse parse_integer(Text text, int64_t least, int64_t most, int64_t* value) {
  text = trim(text);
  bool negative = !text.empty() && text.begin[0] == '-';
  if (negative || (!text.empty() && text.begin[0] == '+')) text.begin++, text.length--;
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

Parse parse_boolean(Text text, bool* value) {
  static constexpr const char* kTrue[] = {"true", "yes", "on", "1", "enabled", ".true.", ".t.", "t", "y"};
  static constexpr const char* kFalse[] = {"false", "no", "off", "0", "disabled", ".false.", ".f.", "f", "n"};
  text = trim(text);
  for (const char* name : kTrue)
    if (same_name(text, name)) return *value = true, Parse::kOk;
  for (const char* name : kFalse)
    if (same_name(text, name)) return *value = false, Parse::kOk;
  return Parse::kInvalid;
}

Parse parse_size(Text text, uint64_t default_unit, uint64_t least, uint64_t most, uint64_t* bytes) {
  text = trim(text);
  uint64_t number;
  bool overflow;
  bool negative = !text.empty() && text.begin[0] == '-';
  if (negative) text.begin++, text.length--;
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

Parse parse_duration_us(Text text, int64_t infinite, int64_t* microseconds) {
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

Parse parse_name(Text text, const NamedValue* names, int count, int* value) {
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

int edit_distance(Text a, Text b) {
  // Damerau-Levenshtein, restricted to neighbours that are swapped once: three rows suffice.
  size_t rows = std::min(a.length, kLongestCompared);
  size_t columns = std::min(b.length, kLongestCompared);
  int row[3][kLongestCompared + 1];
  for (size_t j = 0; j <= columns; j++) row[0][j] = static_cast<int>(j);
  for (size_t i = 1; i <= rows; i++) {
    int* now = row[i % 3];
    int* before = row[(i - 1) % 3];
    int* two_before = row[(i + 1) % 3];
    now[0] = static_cast<int>(i);
    for (size_t j = 1; j <= columns; j++) {
      char x = lower(a.begin[i - 1]), y = lower(b.begin[j - 1]);
      int best = before[j - 1] + (x != y);
      if (before[j] + 1 < best) best = before[j] + 1;
      if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
      bool swapped = i > 1 && j > 1 && x == lower(b.begin[j - 2]) && y == lower(a.begin[i - 2]);
      if (swapped && two_before[j - 2] + 1 < best) best = two_before[j - 2] + 1;
      now[j] = best;
    }
  }
  return row[rows % 3][columns];
}

bool plausible_typo(Text text, int distance) {
  // A name that shares no letter with the text, as "0" with "x", was not meant.
  auto length = static_cast<int>(text.length);
  return text.length <= kLongestCompared && distance < length && distance <= 1 + length / 4;
}

} // namespace chomp
