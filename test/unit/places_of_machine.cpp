// RUN: %clangxx -std=c++20 -I%root %s %root/runtime/base/log.cpp %root/runtime/base/os_linux.cpp %root/runtime/base/env.cpp %root/runtime/config/places.cpp %root/runtime/config/places_text.cpp %root/runtime/machine/hardware.cpp %root/runtime/machine/hardware_sysfs.cpp %root/runtime/machine/hw_subset.cpp %root/runtime/machine/sysfs_units.cpp -pthread -o %t && %t
// Places made from units of a machine that the test lays out in files: 2 sockets of 4 cores of 2 hardware threads, each
// two cores with an L3; CPU n and n + 8 are one core.
#include <initializer_list>

#include "runtime/machine/hw_subset.h"
#include "runtime/config/places.h"
#include "test/unit/check_that.h"
#include "test/unit/fake_machine.h"

using namespace chomp;

static Hardware machine;
static PlaceList list;

static CpuMask cpus(int count) {
  CpuMask mask = {};
  for (int cpu = 0; cpu < count; cpu++) mask.set(cpu);
  return mask;
}

static bool list_is(const char* expected) {
  char text[4000] = "";
  size_t length = 0;
  for (int place = 0; place < list.count(); place++)
    for (int i = 0; i < list.size(place); i++)
      length += static_cast<size_t>(snprintf(text + length, sizeof text - length, "%s%d",
                                             i > 0       ? ","
                                             : place > 0 ? "|"
                                                         : "",
                                             list.cpus(place)[i]));
  if (strcmp(text, expected) != 0) fprintf(stderr, "places %s, expected %s\n", text, expected);
  return strcmp(text, expected) == 0;
}

static bool level_is(HwLevel level, int most, const char* expected, int increment = 1) {
  list.clear();
  return places_of_level(machine, level, most, increment, &list) && list_is(expected);
}

static bool sorted_is(int permute, HwLevel grain, const char* expected) {
  list.clear();
  return places_by_thread(machine, permute, grain, &list) && list_is(expected);
}

static bool subset_is(const char* text, const char* expected) {
  HwSubset subset;
  CpuMask chosen;
  HwLevel culprit;
  if (parse_hw_subset_text(text, &subset) != Parse::kOk) return false;
  if (!choose_subset(machine, subset, &chosen, &culprit)) return expected == nullptr;
  list.clear();
  return list.add(chosen) && expected != nullptr && list_is(expected);
}

int main() {
  FakeFiles files;
  two_sockets(files);
  uint16_t all = (1 << kHwLevels) - 1;
  THAT(hardware_from_sysfs(files.root, cpus(16), all, &machine));
  THAT(machine.count == 16 && machine.known == (all & ~level_bit(HwLevel::kDie))); // no die_cpus_list there
  HwLevel tree[kHwLevels];
  THAT(hardware_tree(machine, tree) == 4); // socket, last cache, core, thread: the others are one of these
  THAT(tree[1] == HwLevel::kLastCache);

  THAT(level_is(HwLevel::kThread, 0, "0|8|1|9|2|10|3|11|4|12|5|13|6|14|7|15"));
  THAT(level_is(HwLevel::kCore, 0, "0,8|1,9|2,10|3,11|4,12|5,13|6,14|7,15"));
  THAT(level_is(HwLevel::kCore, 3, "0,8|1,9|2,10"));
  THAT(level_is(HwLevel::kCore, 99, "0,8|1,9|2,10|3,11|4,12|5,13|6,14|7,15"));
  THAT(level_is(HwLevel::kCore, 3, "0,8|2,10|4,12", 2));
  THAT(level_is(HwLevel::kCore, 99, "0,8|3,11|6,14", 3));
  THAT(level_is(HwLevel::kCore, 2, "0,8|7,15", 7) && level_is(HwLevel::kCore, 2, "0,8", 8));
  THAT(level_is(HwLevel::kThread, 5, "0", INT32_MAX));
  THAT(level_is(HwLevel::kLastCache, 0, "0,1,8,9|2,3,10,11|4,5,12,13|6,7,14,15"));
  THAT(level_is(HwLevel::kL3, 2, "0,1,8,9|2,3,10,11"));
  THAT(level_is(HwLevel::kL2, 1, "0,8") && level_is(HwLevel::kL1, 1, "0,8") && level_is(HwLevel::kTile, 1, "0,8"));
  THAT(level_is(HwLevel::kSocket, 0, "0,1,2,3,8,9,10,11|4,5,6,7,12,13,14,15"));
  THAT(level_is(HwLevel::kNuma, 0, "0,1,2,3,8,9,10,11|4,5,6,7,12,13,14,15"));

  // compact; scatter (sockets first, then chips, then cores); the second hardware threads last.
  THAT(sorted_is(0, HwLevel::kThread, "0|8|1|9|2|10|3|11|4|12|5|13|6|14|7|15"));
  THAT(sorted_is(3, HwLevel::kThread, "0|4|2|6|1|5|3|7|8|12|10|14|9|13|11|15"));
  THAT(sorted_is(1, HwLevel::kThread, "0|1|2|3|4|5|6|7|8|9|10|11|12|13|14|15"));
  THAT(sorted_is(99, HwLevel::kThread, "0|4|2|6|1|5|3|7|8|12|10|14|9|13|11|15"));
  THAT(sorted_is(0, HwLevel::kLastCache,
                 "0,1,8,9|0,1,8,9|0,1,8,9|0,1,8,9|2,3,10,11|2,3,10,11|2,3,10,11|2,3,10,11|"
                 "4,5,12,13|4,5,12,13|4,5,12,13|4,5,12,13|6,7,14,15|6,7,14,15|6,7,14,15|6,7,14,15"));

  // A list of processors at the granularity of cores.
  CpuMask available = cpus(16);
  PlaceSink sink{&available, &machine, HwLevel::kCore, &list};
  list.clear();
  THAT(parse_processors("0,{1,2}", &sink) == Parse::kOk && list_is("0,8|1,2,9,10"));

  THAT(subset_is("1s", "0,1,2,3,8,9,10,11"));
  THAT(subset_is("1s@1", "4,5,6,7,12,13,14,15"));
  THAT(subset_is("2c", "0,1,4,5,8,9,12,13")); // two cores of each socket, whatever lies between
  THAT(subset_is("2s,2c@1,1t", "1,2,5,6"));
  THAT(subset_is("1t,2c@1,2s", "1,2,5,6"));
  THAT(subset_is("1l3,1t", "0,1,4,5"));
  THAT(subset_is("2numa,1c", "0,4,8,12"));
  THAT(subset_is(":1s,3t@1", "1,8,9")); // threads of the socket, whatever the core
  THAT(subset_is("9c", "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"));
  THAT(subset_is("1c@4", nullptr) && subset_is("1d", nullptr));

  // What is left of a machine, by an affinity mask or a subset, counts anew.
  CpuMask half = {};
  for (int cpu : {1, 2, 3, 9, 12}) half.set(cpu);
  hardware_keep(&machine, half);
  THAT(machine.count == 5 && machine.unit_count(HwLevel::kCore) == 4 && machine.unit_count(HwLevel::kSocket) == 2);
  THAT(level_is(HwLevel::kCore, 0, "1,9|2|3|12") && level_is(HwLevel::kSocket, 0, "1,2,3,9|12"));
  THAT(subset_is("1c", "1,9,12") && subset_is("1c@1", "2"));
  uint16_t* begin = cores_begin(machine);
  THAT(begin[0] == 0 && begin[1] == 2 && begin[3] == 4 && begin[4] == 5);

  // Where the processor has no dice (64-bit Arm) the kernel lists each CPU as a die of its own, numbered -1.
  for (int cpu = 0; cpu < 16; cpu++) {
    char text[16];
    snprintf(text, sizeof text, "%d\n", cpu);
    files.put(text, "devices/system/cpu/cpu%d/topology/die_cpus_list", cpu);
    files.put("-1\n", "devices/system/cpu/cpu%d/topology/die_id", cpu);
  }
  Hardware without_dice;
  THAT(hardware_from_sysfs(files.root, cpus(16), all, &without_dice) && !without_dice.knows(HwLevel::kDie));
  for (int cpu = 0; cpu < 16; cpu++) {
    files.put(cpu % 8 < 4 ? "0-3,8-11\n" : "4-7,12-15\n", "devices/system/cpu/cpu%d/topology/die_cpus_list", cpu);
    files.put(cpu % 8 < 4 ? "0\n" : "1\n", "devices/system/cpu/cpu%d/topology/die_id", cpu);
  }
  Hardware with_dice;
  THAT(hardware_from_sysfs(files.root, cpus(16), all, &with_dice) && with_dice.unit_count(HwLevel::kDie) == 2);

  // Without /sys each CPU is a core of one socket.
  Hardware flat;
  THAT(hardware_from_sysfs("/nowhere", cpus(4), all, &flat) && flat.count == 4);
  THAT(flat.unit_count(HwLevel::kCore) == 4 && flat.unit_count(HwLevel::kSocket) == 1 && !flat.knows(HwLevel::kL3));
  THAT(!online_cpus_from_sysfs("/nowhere", &half) && online_cpus_from_sysfs(files.root, &half) && half.count() == 16);
  return result();
}
