// Fills the table of hardware.h from /sys: one or two files per unit, and only for the levels that somebody asks for.
// On a machine of 128 cores that is about 150 small files, which take a millisecond.
#include <cstring>

#include "runtime/machine/hardware.h"
#include "runtime/machine/sysfs_units.h"

namespace chomp {

namespace {

/// Levels that are read for any place list: cores and sockets, and the levels that order them so that neighbours are
/// near.
constexpr uint16_t kAlwaysRead = level_bit(HwLevel::kSocket) | level_bit(HwLevel::kNuma) |
                                 level_bit(HwLevel::kLastCache) | level_bit(HwLevel::kCore);

/// Threads are in the order of CPU numbers here. False when /sys does not know the level of some CPU.
bool read_level(UnitReader& reader, HwLevel level, Hardware* hardware) {
  CpuMask placed = {};
  uint16_t unit = 0;
  for (int i = 0; i < hardware->count; i++) {
    int cpu = hardware->threads[i].cpu;
    if (placed.has(cpu)) continue;
    CpuMask mates;
    if (!reader.unit_of(level, cpu, &mates)) return false;
    mates.set(cpu);
    for (int j = i; j < hardware->count; j++) {
      int mate = hardware->threads[j].cpu;
      if (!mates.has(mate) || placed.has(mate)) continue;
      placed.set(mate);
      hardware->threads[j].unit[static_cast<int>(level)] = unit;
    }
    unit++;
  }
  return true;
}

/// Where /sys is silent: one socket, and each CPU its own core.
void assume_level(HwLevel level, Hardware* hardware) {
  for (int i = 0; i < hardware->count; i++)
    hardware->threads[i].unit[static_cast<int>(level)] = level == HwLevel::kSocket ? 0 : static_cast<uint16_t>(i);
}

} // namespace

bool hardware_from_sysfs(const char* root, const CpuMask& wanted, uint16_t levels, Hardware* hardware) {
  auto bytes = sizeof(HwThread) * static_cast<size_t>(wanted.count());
  hardware->threads = static_cast<HwThread*>(map_pages(bytes));
  hardware->count = 0;
  hardware->known = 0;
  if (hardware->threads == nullptr) return false;
  for (int cpu = 0; cpu < kMaxCpus; cpu++)
    if (wanted.has(cpu)) hardware->threads[hardware->count++].cpu = static_cast<uint16_t>(cpu);

  UnitReader reader(root);
  for (int i = 0; i < kHwLevels; i++) {
    auto level = static_cast<HwLevel>(i);
    bool read = level != HwLevel::kThread && ((levels | kAlwaysRead) & level_bit(level)) != 0;
    bool known = read && read_level(reader, level, hardware);
    if (!known && (level == HwLevel::kSocket || level == HwLevel::kCore || level == HwLevel::kThread)) {
      assume_level(level, hardware);
      known = true;
    }
    if (known) hardware->known |= level_bit(level);
  }
  hardware_order(hardware);
  return true;
}

bool online_cpus_from_sysfs(const char* root, CpuMask* online) {
  char text[kSysfsBytes];
  return read_system_file(root, text, sizeof text, "cpu/online") && parse_cpu_list(text, online);
}

} // namespace chomp
