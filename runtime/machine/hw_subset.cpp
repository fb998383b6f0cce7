// See hw_subset.h.
#include "runtime/machine/hw_subset.h"

#include <initializer_list>

namespace chomp {

namespace {

/// "4c@1", "*c", "c".
bool parse_item(std::string_view text, HwSubset::Item* item) {
  std::string_view at_sign = cut_off(&text, "@");
  int64_t number = 0, offset = 0;
  if (at_sign.data() != nullptr && parse_integer(at_sign, 0, kMaxCpus, &offset) != Parse::kOk) return false;
  text = trim(text);
  size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') digits++;
  if (digits > 0 && parse_integer({text.begin(), digits}, 1, kMaxCpus, &number) != Parse::kOk) return false;
  if (digits == 0 && !text.empty() && text[0] == '*') digits = 1;
  item->number = static_cast<int>(number);
  item->offset = static_cast<int>(offset);
  return parse_level_prefix(trim({text.data() + digits, text.size() - digits}), &item->level);
}

/// Inserts from the outside to the inside. False if the level is there already.
bool insert(HwSubset* subset, const HwSubset::Item& item) {
  int at = subset->count;
  for (int i = 0; i < subset->count; i++)
    if (subset->items[i].level == item.level) return false;
  for (; at > 0 && subset->items[at - 1].level > item.level; at--) subset->items[at] = subset->items[at - 1];
  subset->items[at] = item;
  subset->count++;
  return true;
}

bool has(const HwSubset& subset, HwLevel level) {
  for (int i = 0; i < subset.count; i++)
    if (subset.items[i].level == level) return true;
  return false;
}

} // namespace

Parse parse_hw_subset_text(std::string_view text, HwSubset* subset) {
  HwSubset result;
  text = trim(text);
  if (!text.empty() && text[0] == ':') {
    result.absolute = true;
    text.remove_prefix(1);
  }
  while (text.data() != nullptr) {
    std::string_view element = text;
    text = cut_off(&element, ",xX"); // no level has an x in its name
    element = trim(element);
    HwSubset::Item item;
    if (!parse_item(element, &item) || !insert(&result, item)) return Parse::kInvalid;
  }
  *subset = result;
  return Parse::kOk;
}

bool choose_subset(const Hardware& hardware, const HwSubset& subset, CpuMask* cpus, HwLevel* culprit,
                   HwSubset::Item* unmet) {
  HwSubset all = subset;
  if (!subset.absolute)
    for (HwLevel level : {HwLevel::kSocket, HwLevel::kCore, HwLevel::kThread})
      if (!has(all, level)) insert(&all, {level, 0, 0});
  CpuMask left = {};
  for (int i = 0; i < hardware.count; i++) left.set(hardware.threads[i].cpu);
  for (int at = 0; at < all.count; at++) {
    const HwSubset::Item& item = all.items[at];
    *culprit = item.level;
    if (!hardware.knows(item.level)) return false;
    CpuMask kept = {};
    int most = 0;                           // the most units in one unit of the outer level
    int outer = -1, unit = -1, number = -1; // where the walk is; `number` counts units within `outer`, from 0
    for (int i = 0; i < hardware.count; i++) {
      const HwThread& thread = hardware.threads[i];
      if (!left.has(thread.cpu)) continue;
      int own_outer = at > 0 ? unit_of(thread, all.items[at - 1].level) : 0;
      if (own_outer != outer) number = unit = -1;
      outer = own_outer;
      if (unit_of(thread, item.level) != unit) number++;
      unit = unit_of(thread, item.level);
      if (number >= most) most = number + 1;
      bool chosen = number >= item.offset && (item.number == 0 || number < item.offset + item.number);
      if (chosen) kept.set(thread.cpu);
    }
    left = kept;
    if (left.count() == 0) return false;
    if (unmet && item.number + item.offset > most && unmet->number == 0) *unmet = {item.level, most, item.offset};
  }
  *cpus = left;
  return true;
}

} // namespace chomp
