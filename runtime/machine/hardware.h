// The hardware threads that the process may use, and the units (cores, caches, sockets …) that each is part of: what
// abstract places, granularities and KMP_HW_SUBSET speak of. A plain table, so that tests make machines of their own;
// hardware_sysfs.cpp fills it from /sys, and only when a setting asks for it.
//
// Called by binding.cpp, at start-up. (topology.h is the scheduler's coarser view, and may be a made-up machine; this
// one is always the real machine.)
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

/// What a level is called: "core", "cores" and "NUMA domain"; the first two as users write them.
struct HwLevelName {
  HwLevel level;
  const char* one;
  const char* many;
  const char* title;
};
const HwLevelName& level_name(HwLevel level);

/// The level of that name ("cores", "l2_caches"; `one`: "core", and the older "fine", "package", "node"). False if
/// none.
bool parse_level(Text name, bool one, HwLevel* level);
/// The level that an abbreviation of KMP_HW_SUBSET means: "s", "c", "t", "numa", "l2" …; any beginning of a name.
bool parse_level_prefix(Text name, HwLevel* level);
/// The name in the plural that looks most like `text`, or null.
const char* nearest_level(Text text);

/// Sorts the threads, numbers the units and counts them. Before: `unit` holds any number that tells units apart, and
/// `known` is set. Levels that are not known become copies of the next one outside.
void hardware_order(Hardware* hardware);

/// The levels that make a tree, from the outside: sockets, what really lies between, cores, threads. Returns how many.
int hardware_tree(const Hardware& hardware, HwLevel* levels);

/// Takes the threads of all other CPUs out of the table.
void hardware_keep(Hardware* hardware, const CpuMask& cpus);

/// Where each core begins in the table, and behind the last one its end: cores + 1 entries. Null: no memory.
uint16_t* cores_begin(const Hardware& hardware);

/// Fills the table for the CPUs of `wanted` from /sys (below `root`, "/sys" but in tests), with the levels in `levels`
/// (bits) and those that are always known. Where /sys is silent each CPU is a core of one socket. False: no memory.
bool hardware_from_sysfs(const char* root, const CpuMask& wanted, uint16_t levels, Hardware* hardware);

/// The CPUs that are online, whoever may use them. False when /sys does not say.
bool online_cpus_from_sysfs(const char* root, CpuMask* online);

} // namespace chomp
