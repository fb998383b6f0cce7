// See chance.h. A number is what the words say that stand before it, as far as the last number or the begin of the
// line, or the unit behind it, in which case those words are of no other number.
#include "tools/shipped/explore/chance.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

namespace explore {
namespace {

constexpr char kTimes[] = " time times timing timings elapsed second seconds sec secs wall walltime wtime runtime rate "
                          "bandwidth speed speedup throughput flops mflops gflops mop mops latency duration clock "
                          "cycles took ms us ns usec msec efficiency performance fom date ";
constexpr char kUnits[] = " s sec secs second seconds ms us ns usec msec hz khz mhz ghz cycles flops mflops gflops ";
constexpr char kIds[] = " thread tid pid cpu core worker proc process id ";

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

bool has_word_of(const char* list, Part part) {
  for (const char* at = part.begin; at < part.end;) {
    size_t count = letters(at, part.end);
    if (is_in(list, at, count)) return true;
    at += count > 0 ? count : 1;
  }
  return false;
}

// The word right before the number, as in `thread 3`, `id=3`, `Thread[3`.
bool ends_with_word_of(const char* list, Part part) {
  while (part.end > part.begin && strchr(" #=:[(", part.end[-1]) != nullptr) --part.end;
  const char* word = part.end;
  while (word > part.begin && is_letter(word[-1])) --word;
  return is_in(list, word, static_cast<size_t>(part.end - word));
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

size_t copy_without_chance(const char* text, size_t bytes, bool asks_for_time, char* to) {
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
    if (asks_for_time) unit = end_of_unit(at, end);
    bool is_time = asks_for_time && (unit != nullptr || has_word_of(kTimes, before));
    if (unit != nullptr) from = unit;
    if (is_address || is_time || ends_with_word_of(kIds, before))
      *out++ = '?';
    else
      for (; number < at; ++number) *out++ = *number;
  }
  *out = 0;
  return static_cast<size_t>(out - to);
}

} // namespace explore
