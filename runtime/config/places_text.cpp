// Reading place lists. See places.h. The texts come from the environment: every number is bounded before it is used,
// and every loop is bounded by the number of CPUs or of places.
#include <bit>
#include <algorithm>
#include <climits>
#include <cstring>

#include "runtime/config/places.h"

namespace chomp {

namespace {

/// A position in a text. The take functions skip blanks and move only when they find what they look for.
class Scanner {
public:
  explicit Scanner(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  bool take(char letter) {
    skip_blanks();
    if (at_ == end_ || *at_ != letter) return false;
    at_++;
    return true;
  }
  bool at_end() {
    skip_blanks();
    return at_ == end_;
  }
  bool at_digit() {
    skip_blanks();
    return at_ != end_ && *at_ >= '0' && *at_ <= '9';
  }
  /// A number without sign, at most kMaxNumber.
  bool take_number(int64_t* number) {
    if (!at_digit()) return false;
    for (*number = 0; at_ != end_ && *at_ >= '0' && *at_ <= '9'; at_++) {
      *number = *number * 10 + (*at_ - '0');
      *number = std::min(*number, int64_t{kMaxNumber});
    }
    return true;
  }
  bool take_signed(int64_t* number) {
    bool negative = take('-');
    if (!negative) take('+');
    if (!take_number(number)) return false;
    if (negative) *number = -*number;
    return true;
  }
  /// ":count" and ":count:stride", both optional. Counts are positive.
  bool take_interval(int64_t* count, int64_t* stride, bool* given) {
    *count = 1;
    *stride = 1;
    *given = take(':');
    if (!*given) return true;
    if (!take_number(count) || *count == 0) return false;
    return !take(':') || take_signed(stride);
  }

private:
  void skip_blanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t')) at_++;
  }

  const char* at_;
  const char* end_;
};

/// A set of CPUs as a user writes it: some may not exist.
struct CpuSet {
  CpuMask cpus = {};
  int64_t beyond = -1; // a CPU number that is too large for a mask

  void add(int64_t cpu) {
    if (cpu >= 0 && cpu < kMaxCpus)
      cpus.set(static_cast<int>(cpu));
    else if (cpu > 0 && beyond < 0)
      beyond = cpu;
  }
  void add_interval(int64_t first, int64_t count, int64_t stride) {
    for (int64_t i = 0; i < count; i++, first += stride) {
      add(first);
      if (first < 0 || first >= kMaxCpus || stride == 0) return; // no further CPU is in range, or all are the same
    }
  }
  void remove(const CpuMask& others) {
    for (int i = 0; i < kMaxCpus / 64; i++) cpus.words[i] &= ~others.words[i];
  }
  bool empty() const { return cpus.count() == 0; }
};

/// Every CPU moved by `distance`; those that leave the range of CPU numbers are dropped.
CpuMask shifted(const CpuMask& cpus, int64_t distance) {
  CpuMask result = {};
  for (int word = 0; word < kMaxCpus / 64; word++)
    for (uint64_t bits = cpus.words[word]; bits != 0; bits &= bits - 1) {
      int64_t cpu = word * 64 + std::countr_zero(bits) + distance;
      if (cpu >= 0 && cpu < kMaxCpus) result.set(static_cast<int>(cpu));
    }
  return result;
}

/// The available CPUs of `set`, widened to units of the grain. Notes the first CPU that is not available.
CpuMask available_part(const CpuSet& set, PlaceSink* sink) {
  if (set.beyond >= 0 && sink->missing < 0) sink->missing = static_cast<int>(std::min(set.beyond, int64_t{kMaxNumber}));
  CpuMask part = set.cpus;
  if (sink->available != nullptr) {
    for (int word = 0; word < kMaxCpus / 64; word++) {
      uint64_t missing = part.words[word] & ~sink->available->words[word];
      part.words[word] &= sink->available->words[word];
      if (missing != 0 && sink->missing < 0) sink->missing = word * 64 + std::countr_zero(missing);
    }
  }
  if (sink->hardware == nullptr || sink->grain == HwLevel::kThread) return part;
  CpuMask wide = {};
  const Hardware& hardware = *sink->hardware;
  for (int i = 0; i < hardware.count; i++) {
    if (!part.has(hardware.threads[i].cpu)) continue;
    for (int j = 0; j < hardware.count; j++)
      if (unit_of(hardware.threads[j], sink->grain) == unit_of(hardware.threads[i], sink->grain))
        wide.set(hardware.threads[j].cpu);
  }
  return wide;
}

Parse add_place(const CpuSet& set, PlaceSink* sink) {
  if (sink->list == nullptr) return Parse::kOk;
  return sink->list->add(available_part(set, sink)) ? Parse::kOk : Parse::kTooLarge;
}

/// All available CPUs; without a mask in the sink, all numbers.
CpuSet everything(const PlaceSink* sink) {
  CpuSet all;
  if (sink->available != nullptr)
    all.cpus = *sink->available;
  else
    memset(&all.cpus, 0xff, sizeof all.cpus);
  return all;
}

/// Reads what follows "{", including "}": numbers, intervals and exclusions. An exclusion applies to the whole list.
bool take_resources(Scanner& scan, const PlaceSink* sink, CpuSet* set) {
  CpuSet excluded;
  bool only_exclusions = true;
  do {
    bool exclusion = scan.take('!');
    int64_t first, count, stride;
    bool interval;
    if (!scan.take_number(&first) || !scan.take_interval(&count, &stride, &interval)) return false;
    if (exclusion && interval) return false;
    (exclusion ? excluded : *set).add_interval(first, count, stride);
    only_exclusions = only_exclusions && exclusion;
  } while (scan.take(','));
  if (only_exclusions) *set = everything(sink);
  set->remove(excluded.cpus);
  return scan.take('}');
}

bool take_place(Scanner& scan, const PlaceSink* sink, CpuSet* set) {
  if (scan.take('{')) return take_resources(scan, sink, set);
  int64_t cpu;
  if (!scan.take_number(&cpu)) return false;
  set->add(cpu);
  return true;
}

/// Adds `count` copies of a place, each moved by `stride` from the one before. A copy outside the range of CPU numbers
/// ends the row.
Parse add_row(CpuSet place, int64_t count, int64_t stride, PlaceSink* sink) {
  for (int64_t i = 0; i == 0 || (i < count && !place.empty()); i++) {
    if (Parse how = add_place(place, sink); how != Parse::kOk) return how;
    if (sink->list == nullptr) break; // checked only
    place.cpus = shifted(place.cpus, stride);
  }
  return Parse::kOk;
}

/// Removes from the list what the items with "!" exclude.
Parse exclude(Scanner scan, PlaceSink* sink) {
  PlaceSink silent = *sink; // to exclude a missing CPU is no mistake
  do {
    bool exclusion = scan.take('!');
    CpuSet place;
    int64_t count, stride;
    bool interval;
    if (!take_place(scan, sink, &place) || !scan.take_interval(&count, &stride, &interval)) return Parse::kInvalid;
    if (exclusion) sink->list->remove(available_part(place, &silent));
  } while (scan.take(','));
  return Parse::kOk;
}

} // namespace

Parse parse_place_list(std::string_view text, PlaceSink* sink) {
  Scanner scan(text);
  CpuSet excluded;
  bool any_exclusion = false, only_exclusions = true;
  do {
    bool exclusion = scan.take('!');
    CpuSet place;
    int64_t count, stride;
    bool interval;
    if (!take_place(scan, sink, &place) || !scan.take_interval(&count, &stride, &interval)) return Parse::kInvalid;
    if (exclusion && interval) return Parse::kInvalid;
    any_exclusion = any_exclusion || exclusion;
    if (exclusion) {
      for (int i = 0; i < kMaxCpus / 64; i++) excluded.cpus.words[i] |= place.cpus.words[i];
      continue;
    }
    only_exclusions = false;
    if (Parse how = add_row(place, count, stride, sink); how != Parse::kOk) return how;
  } while (scan.take(','));
  if (!scan.at_end()) return Parse::kInvalid;
  if (!any_exclusion || sink->list == nullptr) return Parse::kOk;
  if (!only_exclusions) return exclude(Scanner(text), sink);
  CpuSet rest = everything(sink);
  rest.remove(excluded.cpus);
  return add_place(rest, sink);
}

namespace {

/// "first-last:stride": makes a place of each number. False: the stride is zero, or leads away from the end.
bool take_range(Scanner& scan, int64_t first, PlaceSink* sink, Parse* how) {
  int64_t last, stride = 1;
  if (!scan.take_number(&last)) return false;
  if (scan.take(':') && !scan.take_signed(&stride)) return false;
  if (stride == 0 || (stride > 0 ? first > last : first < last)) return false;
  for (int64_t cpu = first; stride > 0 ? cpu <= last : cpu >= last; cpu += stride) {
    CpuSet single;
    single.add(cpu);
    *how = add_place(single, sink);
    if (*how != Parse::kOk || cpu >= kMaxCpus) break;
  }
  return true;
}

/// Reads what follows "{", including "}": numbers with commas or blanks between them.
bool take_set(Scanner& scan, CpuSet* set) {
  int64_t cpu;
  if (!scan.take_number(&cpu)) return false;
  set->add(cpu);
  while (!scan.take('}')) {
    scan.take(',');
    if (!scan.take_number(&cpu)) return false;
    set->add(cpu);
  }
  return true;
}

} // namespace

Parse parse_processors(std::string_view text, PlaceSink* sink) {
  Scanner scan(text);
  if (scan.at_end()) return Parse::kInvalid;
  Parse how = Parse::kOk;
  while (!scan.at_end() && how == Parse::kOk) {
    CpuSet set;
    int64_t first;
    if (scan.take('{')) {
      if (!take_set(scan, &set)) return Parse::kInvalid;
      how = add_place(set, sink);
    } else {
      if (!scan.take_number(&first)) return Parse::kInvalid;
      set.add(first);
      if (scan.take('-')) {
        if (!take_range(scan, first, sink, &how)) return Parse::kInvalid;
      } else {
        how = add_place(set, sink);
      }
    }
    scan.take(','); // or blanks
  }
  return how;
}

static bool begins_list(std::string_view text) {
  if (text.empty()) return false;
  char first = text[0];
  return first == '{' || first == '!' || (first >= '0' && first <= '9');
}

Parse parse_places(std::string_view text, PlacesText* result) {
  text = trim(text);
  if (begins_list(text)) {
    PlaceSink nowhere;
    result->explicit_list = true;
    return parse_place_list(text, &nowhere);
  }
  std::string_view number = cut_off(&text, "(");
  if (!parse_level(trim(text), false, &result->level)) return Parse::kInvalid;
  if (number.data() == nullptr) return Parse::kOk;
  if (number.empty() || number.back() != ')') return Parse::kInvalid;
  number.remove_suffix(1);
  std::string_view increment = cut_off(&number, ":");
  int64_t most, step = 1;
  if (parse_integer(number, 1, INT_MAX, &most) != Parse::kOk) return Parse::kInvalid;
  if (increment.data() != nullptr && parse_integer(increment, 1, INT_MAX, &step) != Parse::kOk) return Parse::kInvalid;
  result->most = static_cast<int>(most);
  result->increment = static_cast<int>(step);
  return Parse::kOk;
}

} // namespace chomp
