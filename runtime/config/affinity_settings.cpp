// Reading KMP_AFFINITY. See affinity_settings.h.
#include "runtime/config/affinity_settings.h"

#include <climits>
#include <initializer_list>

#include "runtime/places/places.h"

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
bool is_assignment(Text word, const char* name, Text* value) {
  Text rest = word;
  if (!same_name(next_element(&rest, '='), name) || rest.begin == nullptr) return false;
  *value = trim(rest);
  return true;
}

bool parse_granularity(Text value, KmpAffinity* result) {
  int64_t up;
  result->level_given = true;
  if (parse_level(value, true, &result->level)) return true;
  if (parse_integer(value, 0, kHwLevels, &up) != Parse::kOk) return false;
  result->levels_up = static_cast<int>(up);
  return true;
}

bool parse_processor_list(Text value, KmpAffinity* result) {
  if (value.length < 2 || value.begin[0] != '[' || value.end()[-1] != ']') return false;
  result->processors = {value.begin + 1, value.length - 2};
  PlaceSink nowhere;
  return parse_processors(result->processors, &nowhere) == Parse::kOk;
}

bool parse_word(Text word, KmpAffinity* result) {
  int type;
  int64_t number;
  Text value;
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
Text next_word(Text* text) {
  int depth = 0;
  size_t length = 0;
  for (; length < text->length && (depth > 0 || text->begin[length] != ','); length++)
    depth += text->begin[length] == '[' ? 1 : text->begin[length] == ']' ? -1 : 0;
  Text word = {text->begin, length};
  *text = length < text->length ? Text{text->begin + length + 1, text->length - length - 1} : Text{};
  return trim(word);
}

} // namespace

Parse parse_kmp_affinity_text(Text text, KmpAffinity* result, Text* bad) {
  KmpAffinity read;
  while (text.begin != nullptr) {
    Text word = next_word(&text);
    if (parse_word(word, &read)) continue;
    *bad = word;
    return Parse::kInvalid;
  }
  *bad = {};
  if (read.processors.begin != nullptr && read.type == AffinityType::kNotGiven) read.type = AffinityType::kExplicit;
  if (read.type == AffinityType::kExplicit && read.processors.begin == nullptr) return Parse::kInvalid;
  *result = read;
  return Parse::kOk;
}

const char* affinity_type_name(AffinityType type) { return name_of(static_cast<int>(type), kTypes, kTypeCount); }

const char* nearest_affinity_word(Text text) {
  const char* best = nullptr;
  int best_distance = INT_MAX;
  Text name = next_element(&text, '=');
  auto consider = [&](const char* word) {
    int distance = edit_distance(name, text_of(word));
    if (distance >= best_distance || !plausible_typo(name, distance)) return;
    best_distance = distance;
    best = word;
  };
  for (const NamedValue& type : kTypes) consider(type.name);
  for (const Flag& flag : kFlags) {
    consider(flag.on);
    consider(flag.off);
  }
  consider("granularity");
  consider("proclist");
  return best_distance > 0 ? best : nullptr; // distance 0: the word is right, and the error is behind it
}

} // namespace chomp
