// See chance.h. A number is what the words say that stand before it, as far as the last number or the begin of the
// line, or the unit behind it, in which case those words are of no other number.
#include "tools/shipped/explore/chance.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

namespace explore {
namespace {

// Before a number; a rate, and `second`, may be a result: they need their unit.
constexpr char kTimes[] = " time times timing timings elapsed seconds secs walltime wtime runtime "
                          "mop mops flops mflops gflops ";
constexpr char kUnits[] = " s sec secs second seconds ms us ns usec msec hz khz mhz ghz cycles flops mflops gflops ";
constexpr char kIds[] = " thread tid pid cpu core worker proc process ";

bool is_letter(char c) { return isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return isdigit(static_cast<unsigned char>(c)) != 0; }

bool is_in(const char* list, const char* word, size_t length) {
  char text[20] = " ";
  if (length == 0 || length > 16) return false;
  for (size_t i = 0; i < length; ++i) text[1 + i] = static_cast<char>(tolower(static_cast<unsigned char>(word[i])));
  text[1 + length] = ' ';
  return strstr(list, text) != nullptr;
}

struct Part {
  const char *begin, *end;
};

size_t letters(const char* at, const char* end) {
  size_t count = 0;
  while (at + count < end && is_letter(at[count])) ++count;
  return count;
}

// As in `Elapsed time: 3`, `Rate (MB/s): 3`.
bool names_time(Part part) {
  for (const char* at = part.begin; at < part.end;) {
    size_t count = letters(at, part.end);
    bool is_per_unit = at > part.begin && at[-1] == '/' && is_in(kUnits, at, count);
    if (is_per_unit || is_in(kTimes, at, count)) return true;
    at += count > 0 ? count : 1;
  }
  return false;
}

// The word at the end of the part, which becomes the part before it.
Part take_last_word(Part* part) {
  while (part->end > part->begin && strchr(" #=:[(_", part->end[-1]) != nullptr) --part->end;
  Part word{part->end, part->end};
  while (word.begin > part->begin && is_letter(word.begin[-1])) --word.begin;
  part->end = word.begin;
  return word;
}

// As in `thread 3`, `thread id=3`, `Thread[3`; `max id 3` may be a result.
bool names_id(Part before) {
  auto is = [](const char* list, Part word) {
    return is_in(list, word.begin, static_cast<size_t>(word.end - word.begin));
  };
  Part word = take_last_word(&before);
  return is(kIds, is(" id ", word) ? take_last_word(&before) : word);
}

// Behind a number, as ` s`, ` (us/z/c)`, ` MB/s`; its end, or null.
const char* end_of_unit(const char* at, const char* end) {
  while (at < end && (*at == ' ' || *at == '(' || *at == '[')) ++at;
  const char* word = at;
  while (at < end && (is_letter(*at) || *at == '/')) ++at;
  auto length = static_cast<size_t>(at - word);
  const char* slash = static_cast<const char*>(memchr(word, '/', length));
  if (is_in(kUnits, word, slash != nullptr ? static_cast<size_t>(slash - word) : length)) return at;
  return slash != nullptr && is_in(kUnits, slash + 1, letters(slash + 1, at)) ? at : nullptr;
}

const char* end_of_number(const char* at, const char* end) {
  if (end - at > 2 && at[0] == '0' && at[1] == 'x') {
    for (at += 2; at < end && isxdigit(static_cast<unsigned char>(*at));) ++at;
    return at;
  }
  while (at < end && (is_digit(*at) || *at == '.')) ++at;
  bool has_exponent = end - at > 1 && (*at == 'e' || *at == 'E') && (is_digit(at[1]) || at[1] == '-' || at[1] == '+');
  if (has_exponent)
    for (at += 2; at < end && is_digit(*at);) ++at;
  return at;
}

} // namespace

size_t copy_without_chance(const char* text, size_t bytes, Asked asked, char* to) {
  const char *end = text + bytes, *from = text; // since the last number
  char* out = to;
  for (const char* at = text; at < end;) {
    bool begins_number = is_digit(*at) && (at == text || (!is_letter(at[-1]) && at[-1] != '_' && at[-1] != '.'));
    if (!begins_number) {
      if (*at == '\n') from = at + 1;
      bool is_padding = *at == ' ' && out > to && out[-1] == ' '; // numbers of other lengths
      if (!is_padding) *out++ = *at;
      ++at;
      continue;
    }
    const char *number = at, *unit = nullptr;
    Part before{from, number};
    at = from = end_of_number(at, end);
    bool is_address = at - number > 2 && number[1] == 'x';
    if (asked.time) unit = end_of_unit(at, end);
    bool is_time = asked.time && (unit != nullptr || names_time(before));
    if (unit != nullptr) from = unit;
    if (is_address || is_time || (asked.id && names_id(before)))
      *out++ = '?';
    else
      for (; number < at; ++number) *out++ = *number;
  }
  *out = 0;
  return static_cast<size_t>(out - to);
}

} // namespace explore
