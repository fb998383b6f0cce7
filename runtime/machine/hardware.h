// The hardware threads that the process may use, and the units (cores, caches, sockets …) that each is part of.
// Abstract places, granularities and KMP_HW_SUBSET refer to these. The table is plain, so that tests can make machines
// of their own. hardware_sysfs.cpp fills it from /sys, only when a setting, or sharing with other MPI ranks, needs it.
//
// Filled at start-up for place_list.cpp and rank_share.cpp. (topology.h is the scheduler's coarser view, perhaps of a
// synthetic machine. This table always shows the real machine.)
#pragma once

#include <cstdint>

#include "runtime/base/env.h"
#include "runtime/base/os_linux.h"

namespace chomp {

/// Kinds of units, from the outside to the inside.
enum class HwLevel : uint8_t { kSocket, kDie, kNuma, kLastCache, kL3, kTile, kL2, kL1, kCore, kThread };
inline constexpr int kHwLevels = 10;

struct HwThread {
  uint16_t cpu; // the system's number
  uint16_t unit[kHwLevels];
};

/// Invariants: threads are in logical order, so that neighbours share units; unit[level] numbers the units of a level
/// over the whole machine in the order of their first threads. Sockets, cores and threads are always known.
struct Hardware {
  int count = 0;
  HwThread* threads = nullptr; // [count]
  uint16_t known = 0;          // one bit per level
  uint16_t units[kHwLevels] = {};

  bool knows(HwLevel level) const { return known >> static_cast<int>(level) & 1; }
  int unit_count(HwLevel level) const { return units[static_cast<int>(level)]; }
};

inline uint16_t unit_of(const HwThread& thread, HwLevel level) { return thread.unit[static_cast<int>(level)]; }
constexpr uint16_t level_bit(HwLevel level) { return static_cast<uint16_t>(1u << static_cast<int>(level)); }

/// The names of a level. Users write the first two ("core", "cores"); messages show the title ("NUMA domain").
struct HwLevelName {
  HwLevel level;
  const char* one;
  const char* many;
  const char* title;
};
const HwLevelName& level_name(HwLevel level);

/// The level of that name: in the plural ("cores", "l2_caches"), or with `one` in the singular ("core", and the older
/// "fine", "package", "node"). False if there is none.
bool parse_level(std::string_view name, bool one, HwLevel* level);
/// The level that an abbreviation of KMP_HW_SUBSET means: "s", "c", "t", "numa", "l2" …; any beginning of a name.
bool parse_level_prefix(std::string_view name, HwLevel* level);
/// The name in the plural that looks most like `text`, or null.
const char* nearest_level(std::string_view text);

/// Sorts the threads, numbers the units and counts them. The caller has set `known`, and has filled `unit` with any
/// numbers that tell units apart. Unknown levels become copies of the next level outside.
void hardware_order(Hardware* hardware);

/// The levels that form a tree, from the outside: sockets, the levels that divide them further, cores, threads. Returns
/// how many they are.
int hardware_tree(const Hardware& hardware, HwLevel* levels);

/// Removes the threads of all CPUs but these from the table.
void hardware_keep(Hardware* hardware, const CpuMask& cpus);

/// For each core the index of its first thread in the table, and behind these the number of threads: cores + 1 entries.
/// Null: no memory.
uint16_t* cores_begin(const Hardware& hardware);

/// Fills the table for the CPUs of `wanted` from /sys (below `root`, which is "/sys" except in tests), with the levels
/// in `levels` (bits) and the levels that are always known. Where /sys is silent each CPU is a core of one socket.
/// False: no memory.
bool hardware_from_sysfs(const char* root, const CpuMask& wanted, uint16_t levels, Hardware* hardware);

/// The CPUs that are online, also those that this process may not use. False when /sys does not say.
bool online_cpus_from_sysfs(const char* root, CpuMask* online);

} // namespace chomp
