// What chomp reads from /proc and /sys: lists of CPUs, caches, nodes, distances; control groups and their quotas. The
// input holds the files, separated by '|', in the order in which they are asked for: so the names do not matter, and
// any file may hold anything. Files that are asked for after the last one do not exist.
//
// SOURCES: runtime/machine/cgroup.cpp runtime/base/env.cpp runtime/base/log.cpp runtime/machine/topology.cpp
// runtime/machine/topology_sysfs.cpp runtime/machine/topology_hwloc.cpp runtime/machine/sysfs_units.cpp
#define read_small_file read_real_file // of the system: not called
#include "runtime/base/os_linux.cpp"
#undef read_small_file

#include <string>

#include "runtime/machine/cgroup.h"
#include "runtime/machine/sysfs_units.h"
#include "runtime/config/config.h"
#include "runtime/machine/topology_build.h"
#include "test/fuzz/fuzz.h"

using namespace chomp;

constinit Config chomp::config;

static std::string files;
static size_t next_file;

namespace chomp {
long read_small_file(const char*, char* buffer, size_t size);
}

long chomp::read_small_file(const char*, char* buffer, size_t size) {
  if (next_file >= files.size()) return -1;
  size_t end = files.find('|', next_file);
  if (end == std::string::npos) end = files.size();
  size_t length = end - next_file < size - 1 ? end - next_file : size - 1;
  memcpy(buffer, files.data() + next_file, length);
  buffer[length] = 0;
  next_file = end + 1;
  return static_cast<long>(length);
}

static void topology_of(DomainLevel level) {
  static TopologyBuild build;
  CpuMask allowed;
  char text[4096];
  next_file = 0;
  if (read_small_file("", text, sizeof text) < 0) return;
  bool good = parse_cpu_list(text, &allowed);
  if (good != (allowed.count() > 0) && good) fuzz_failed("an empty list of CPUs is good", text);
  if (!good || !build_from_sysfs("/sys", allowed, level, level == DomainLevel::kDefault, &build)) return;
  if (build.pu_count < 1 || build.pu_count > kMaxCpus) fuzz_failed("the number of processing units", "");
  if (build.domain_count < 1 || build.domain_count > kMaxDomains) fuzz_failed("the number of domains", "");
  int domain = 0;
  for (int pu = 0; pu < build.pu_count; pu++) {
    if (build.domain_of_pu[pu] != domain && build.domain_of_pu[pu] != domain + 1)
      fuzz_failed("domains not in order", "");
    domain = build.domain_of_pu[pu];
  }
  if (domain != build.domain_count - 1) fuzz_failed("not all domains", "");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  files.assign(reinterpret_cast<const char*>(data) + 1, size - 1);
  next_file = 0;
  if (cgroup_cpu_quota("groups", "mount") < 0) fuzz_failed("a negative quota", "");
  topology_of(static_cast<DomainLevel>(data[0] % 6));
  return 0;
}
