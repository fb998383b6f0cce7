// Reading KMP_AFFINITY. See affinity_settings.h.
#include "runtime/config/affinity_settings.h"

#include <climits>
#include <initializer_list>

#include "runtime/config/places.h"

namespace chomp {

namespace {

constexpr NamedValue kTypes[] = {
    {"none", static_cast<int>(AffinityType::kNone)},         {"disabled", static_cast<int>(AffinityType::kDisabled)},
    {"compact", static_cast<int>(AffinityType::kCompact)},   {"scatter", static_cast<int>(AffinityType::kScatter)},
    {"balanced", static_cast<int>(AffinityType::kBalanced)}, {"explicit", static_cast<int>(AffinityType::kExplicit)},
    {"logical", static_cast<int>(AffinityType::kLogical)},   {"physical", static_cast<int>(AffinityType::kPhysical)},
};
constexpr int kTypeCount = sizeof kTypes / sizeof *kTypes;

/// Words with an opposite that begins with "no".
struct Flag {
  const char* on;
  const char* off;
  bool KmpAffinity::* field;
};
constexpr Flag kFlags[] = {
    {"verbose", "noverbose", &KmpAffinity::verbose},
    {"warnings", "nowarnings", &KmpAffinity::warnings},
    {"respect", "norespect", &KmpAffinity::respect},
    {"reset", "noreset", &KmpAffinity::reset},
};

/// Whether `word` is "name=…"; `*value` is then the text behind "=".
bool is_assignment(std::string_view word, const char* name, std::string_view* value) {
  std::string_view rest = word;
  if (!same_name(next_element(&rest, '='), name) || rest.data() == nullptr) return false;
  *value = trim(rest);
  return true;
}

bool parse_granularity(std::string_view value, KmpAffinity* result) {
  int64_t up;
  result->level_given = true;
  if (parse_level(value, true, &result->level)) return true;
  if (parse_integer(value, 0, kHwLevels, &up) != Parse::kOk) return false;
  result->levels_up = static_cast<int>(up);
  return true;
}

bool parse_processor_list(std::string_view value, KmpAffinity* result) {
  if (value.size() < 2 || value[0] != '[' || value.back() != ']') return false;
  result->processors = {value.data() + 1, value.size() - 2};
  PlaceSink nowhere;
  return parse_processors(result->processors, &nowhere) == Parse::kOk;
}

bool parse_word(std::string_view word, KmpAffinity* result) {
  int type;
  int64_t number;
  std::string_view value;
  if (parse_name(word, kTypes, kTypeCount, &type) == Parse::kOk) {
    bool first = result->type == AffinityType::kNotGiven;
    result->type = static_cast<AffinityType>(type);
    return first;
  }
  for (const Flag& flag : kFlags) {
    bool on = same_name(word, flag.on);
    if (!on && !same_name(word, flag.off)) continue;
    result->*flag.field = on;
    return true;
  }
  for (const char* ignored : {"duplicates", "noduplicates", "dups", "nodups"})
    if (same_name(word, ignored)) return true;
  if (is_assignment(word, "granularity", &value) || is_assignment(word, "gran", &value))
    return parse_granularity(value, result);
  if (is_assignment(word, "proclist", &value)) return parse_processor_list(value, result);
  if (result->number_count == 2 || parse_integer(word, 0, INT_MAX, &number) != Parse::kOk) return false;
  result->numbers[result->number_count++] = static_cast<int>(number);
  return true;
}

/// Takes the next word off the front. Commas inside brackets end no word.
std::string_view next_word(std::string_view* text) {
  int depth = 0;
  size_t length = 0;
  for (; length < text->size() && (depth > 0 || (*text)[length] != ','); length++)
    depth += (*text)[length] == '[' ? 1 : (*text)[length] == ']' ? -1 : 0;
  std::string_view word = {text->begin(), length};
  *text = length < text->size() ? std::string_view{text->data() + length + 1, text->size() - length - 1}
                                : std::string_view{};
  return trim(word);
}

} // namespace

Parse parse_kmp_affinity_text(std::string_view text, KmpAffinity* result, std::string_view* bad) {
  KmpAffinity read;
  while (text.data() != nullptr) {
    std::string_view word = next_word(&text);
    if (parse_word(word, &read)) continue;
    *bad = word;
    return Parse::kInvalid;
  }
  *bad = {};
  if (read.processors.data() != nullptr && read.type == AffinityType::kNotGiven) read.type = AffinityType::kExplicit;
  if (read.type == AffinityType::kExplicit && read.processors.data() == nullptr) return Parse::kInvalid;
  *result = read;
  return Parse::kOk;
}

const char* affinity_type_name(AffinityType type) { return name_of(static_cast<int>(type), kTypes, kTypeCount); }

const char* nearest_affinity_word(std::string_view text) {
  NearestName nearest{next_element(&text, '=')};
  for (const NamedValue& type : kTypes) nearest.consider(type.name);
  for (const Flag& flag : kFlags) {
    nearest.consider(flag.on);
    nearest.consider(flag.off);
  }
  nearest.consider("granularity");
  nearest.consider("proclist");
  return nearest.distance > 0 ? nearest.name : nullptr; // distance 0: the word is right, and the error is behind it
}

} // namespace chomp
