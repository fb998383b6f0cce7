// Names, order and tree of hardware units. See hardware.h.
#include "runtime/machine/hardware.h"

#include <climits>
#include <cstdlib>
#include <cstring>

namespace chomp {

namespace {

constexpr HwLevelName kNames[kHwLevels] = {
    {HwLevel::kSocket, "socket", "sockets", "socket"},
    {HwLevel::kDie, "die", "dice", "die"},
    {HwLevel::kNuma, "numa_domain", "numa_domains", "NUMA domain"},
    {HwLevel::kLastCache, "ll_cache", "ll_caches", "LL cache"},
    {HwLevel::kL3, "l3_cache", "l3_caches", "L3 cache"},
    {HwLevel::kTile, "tile", "tiles", "tile"},
    {HwLevel::kL2, "l2_cache", "l2_caches", "L2 cache"},
    {HwLevel::kL1, "l1_cache", "l1_caches", "L1 cache"},
    {HwLevel::kCore, "core", "cores", "core"},
    {HwLevel::kThread, "thread", "threads", "thread"},
};

/// Other words for a level, as a granularity and in KMP_HW_SUBSET.
struct OldName {
  const char* name;
  HwLevel level;
};
constexpr OldName kOldNames[] = {
    {"fine", HwLevel::kThread}, {"package", HwLevel::kSocket}, {"node", HwLevel::kNuma}, {"module", HwLevel::kTile}};

/// Which level an ambiguous beginning means: earlier ones win.
constexpr HwLevel kPreferred[] = {HwLevel::kSocket, HwLevel::kCore, HwLevel::kThread, HwLevel::kNuma,
                                  HwLevel::kDie,    HwLevel::kL2,   HwLevel::kL3,     HwLevel::kLastCache,
                                  HwLevel::kL1,     HwLevel::kTile};

char lower(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter; }

/// Whether `text` is a beginning of `name`, which is in small letters.
bool begins(std::string_view text, const char* name) {
  for (size_t i = 0; i < text.size(); i++)
    if (lower(text[i]) != name[i]) return false; // also at the end of the name
  return true;
}

int compare_threads(const void* left, const void* right) {
  auto a = static_cast<const HwThread*>(left);
  auto b = static_cast<const HwThread*>(right);
  for (int level = 0; level < kHwLevels; level++)
    if (a->unit[level] != b->unit[level]) return a->unit[level] < b->unit[level] ? -1 : 1;
  return a->cpu < b->cpu ? -1 : a->cpu > b->cpu;
}

/// Numbers the units of a level in the order of their first threads.
int number_units(Hardware* hardware, int level) {
  constexpr uint16_t kNone = UINT16_MAX;
  static_assert(kMaxCpus < kNone);
  auto new_number = static_cast<uint16_t*>(map_pages(sizeof(uint16_t) * (kNone + 1)));
  int count = 0;
  for (int i = 0; i < hardware->count; i++) {
    uint16_t* unit = &hardware->threads[i].unit[level];
    if (new_number == nullptr) return 1; // no memory: the machine is one unit; *unit may be anything
    if (new_number[*unit] == 0) new_number[*unit] = static_cast<uint16_t>(++count);
    *unit = static_cast<uint16_t>(new_number[*unit] - 1);
  }
  unmap_pages(new_number, sizeof(uint16_t) * (kNone + 1));
  return count;
}

} // namespace

const HwLevelName& level_name(HwLevel level) { return kNames[static_cast<int>(level)]; }

bool parse_level(std::string_view name, bool one, HwLevel* level) {
  for (const HwLevelName& each : kNames)
    if (same_name(name, one ? each.one : each.many)) return *level = each.level, true;
  if (!one && same_name(name, "modules")) return *level = HwLevel::kTile, true;
  for (const OldName& each : kOldNames)
    if (one && same_name(name, each.name)) return *level = each.level, true;
  return false;
}

bool parse_level_prefix(std::string_view name, HwLevel* level) {
  if (name.empty() || same_name(name, "l")) return false; // which cache?
  for (HwLevel each : kPreferred)
    if (begins(name, level_name(each).one) || begins(name, level_name(each).many)) return *level = each, true;
  for (const OldName& each : kOldNames)
    if (begins(name, each.name)) return *level = each.level, true;
  return false;
}

const char* nearest_level(std::string_view text) {
  NearestName nearest{text};
  for (const HwLevelName& each : kNames) nearest.consider(each.many);
  return nearest.name;
}

void hardware_order(Hardware* hardware) {
  for (int level = 0; level < kHwLevels; level++) {
    if (hardware->known >> level & 1) continue;
    for (int i = 0; i < hardware->count; i++)
      hardware->threads[i].unit[level] = level > 0 ? hardware->threads[i].unit[level - 1] : 0;
  }
  qsort(hardware->threads, static_cast<size_t>(hardware->count), sizeof(HwThread), compare_threads);
  for (int level = 0; level < kHwLevels; level++)
    hardware->units[level] = static_cast<uint16_t>(number_units(hardware, level));
}

void hardware_keep(Hardware* hardware, const CpuMask& cpus) {
  int kept = 0;
  for (int i = 0; i < hardware->count; i++)
    if (cpus.has(hardware->threads[i].cpu)) hardware->threads[kept++] = hardware->threads[i];
  hardware->count = kept;
  hardware_order(hardware);
}

uint16_t* cores_begin(const Hardware& hardware) {
  auto cores = static_cast<size_t>(hardware.unit_count(HwLevel::kCore));
  auto begin = static_cast<uint16_t*>(map_pages(sizeof(uint16_t) * (cores + 1)));
  if (begin == nullptr) return nullptr;
  for (int i = hardware.count - 1; i >= 0; i--)
    begin[unit_of(hardware.threads[i], HwLevel::kCore)] = static_cast<uint16_t>(i);
  begin[cores] = static_cast<uint16_t>(hardware.count);
  return begin;
}

int hardware_tree(const Hardware& hardware, HwLevel* levels) {
  int depth = 0;
  int cores = hardware.unit_count(HwLevel::kCore);
  for (int i = 0; i < kHwLevels; i++) {
    auto level = static_cast<HwLevel>(i);
    bool always = level == HwLevel::kSocket || level == HwLevel::kCore || level == HwLevel::kThread;
    // A level with as many units as the level outside has the same units. A level with fewer (NUMA domains that hold
    // several sockets) lies across the level outside, and is no branch of the tree.
    int units = hardware.unit_count(level);
    bool between =
        hardware.knows(level) && depth > 0 && units > hardware.unit_count(levels[depth - 1]) && units < cores;
    if (always || between) levels[depth++] = level;
  }
  return depth;
}

} // namespace chomp
