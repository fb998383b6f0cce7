// A machine laid out in files: 2 sockets of 4 cores of 2 hardware threads, each two cores with an L3; CPU n and n + 8
// are one core.
#pragma once

#include "test/unit/fake_files.h"

#define CPU "devices/system/cpu/cpu%d/"

inline void two_sockets(FakeFiles& files) {
  files.put("0-15\n", "devices/system/cpu/online");
  files.put("0-1\n", "devices/system/node/online");
  files.put("0-3,8-11\n", "devices/system/node/node0/cpulist");
  files.put("4-7,12-15\n", "devices/system/node/node1/cpulist");
  for (int cpu = 0; cpu < 16; cpu++) {
    int core = cpu % 8;
    char list[64];
    snprintf(list, sizeof list, "%d,%d\n", core, core + 8);
    files.put(list, CPU "topology/core_cpus_list", cpu);
    for (int index = 0; index < 3; index++) files.put(list, CPU "cache/index%d/shared_cpu_list", cpu, index);
    files.put("1\n", CPU "cache/index0/level", cpu);
    files.put("Data\n", CPU "cache/index0/type", cpu);
    files.put("1\n", CPU "cache/index1/level", cpu);
    files.put("Instruction\n", CPU "cache/index1/type", cpu);
    files.put("2\n", CPU "cache/index2/level", cpu);
    files.put("Unified\n", CPU "cache/index2/type", cpu);
    files.put("3\n", CPU "cache/index3/level", cpu);
    files.put("Unified\n", CPU "cache/index3/type", cpu);
    snprintf(list, sizeof list, "%d-%d,%d-%d\n", core / 2 * 2, core / 2 * 2 + 1, core / 2 * 2 + 8, core / 2 * 2 + 9);
    files.put(list, CPU "cache/index3/shared_cpu_list", cpu);
    snprintf(list, sizeof list, "%d-%d,%d-%d\n", core / 4 * 4, core / 4 * 4 + 3, core / 4 * 4 + 8, core / 4 * 4 + 11);
    files.put(list, CPU "topology/package_cpus_list", cpu);
  }
}

#undef CPU
