// Reads environment variables, and parses values. Nothing else in the library reads any. Called for the settings
// (runtime/config/config.cpp), hwloc's own variables (the topology) and those of MPI launchers (rank_share.h). The
// parsers know nothing of particular variables, print nothing, and change their result only on success. Blanks around a
// value are accepted everywhere; anything else that is left over is an error.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace chomp {

/// The value of a variable, or null when it is not set.
const char* environment_value(const char* name);

/// Calls `visit` for every variable of the environment, in its order. The values stay valid as long as nobody changes
/// the variable.
void environment_each(void (*visit)(std::string_view name, const char* value, void* context), void* context);

/// `text` without the blanks and tabs at both ends.
std::string_view trim(std::string_view text);
/// Whether the two are equal but for the case of letters.
bool same_name(std::string_view text, const char* name);

/// What stands behind the first of `separators` in `*text`, which then ends before it; {null, 0} if there is none.
std::string_view cut_off(std::string_view* text, std::string_view separators);

/// Takes the next element off the front of a list: returns it trimmed, leaves the rest in `*list`, and sets `*list` to
/// {null, 0} after the last. A list "a,,b" has an empty element, "" has one empty element.
std::string_view next_element(std::string_view* list, char separator);

enum class Parse : uint8_t {
  kOk,
  kInvalid,  // not of the right form
  kTooSmall, // of the right form, but below the least value
  kTooLarge, // of the right form, but above the largest value or too large for 64 bits
};

/// A whole number in decimal, with an optional sign. Out of range: no success, but `*value` gets the nearest bound.
Parse parse_integer(std::string_view text, int64_t least, int64_t most, int64_t* value);

/// true/false, yes/no, on/off, 1/0, enabled/disabled, .true./.false., .t./.f., t/f, y/n; any case.
Parse parse_boolean(std::string_view text, bool* value);

/// "16", "16k", "16 MB", but not "1.5": a whole number, blanks, and one of B K M G T (powers of 1024), the last four
/// with or without a B behind. A number without a unit is multiplied by `default_unit`: 1 for bytes, 1024 for
/// kilobytes. Out of range as in parse_integer().
Parse parse_size(std::string_view text, uint64_t default_unit, uint64_t least, uint64_t most, uint64_t* bytes);

/// "200" and "200ms" (milliseconds), "200us", "2s", "infinite". The result is in microseconds: `infinite` for the last,
/// and for a number that is too large.
Parse parse_duration_us(std::string_view text, int64_t infinite, int64_t* microseconds);

/// A name and what it stands for; several names may stand for one value, the first is the one that is printed.
struct NamedValue {
  const char* name;
  int value;
};

Parse parse_name(std::string_view text, const NamedValue* names, int count, int* value);
/// The first name of `value`, or null.
const char* name_of(int value, const NamedValue* names, int count);

/// How many letters have to be inserted, deleted, replaced or swapped with the next one to turn one name into the
/// other, case aside. Names longer than 63 letters compare by their first 63.
int edit_distance(std::string_view a, std::string_view b);

/// Of the names that consider() was called with, the one that somebody who typed `text` may have meant; null: none.
struct NearestName {
  std::string_view text;
  const char* name = nullptr;
  int distance = INT_MAX;

  void consider(const char* other);
};

} // namespace chomp
