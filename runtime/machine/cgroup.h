// How much CPU time, and which CPUs, the process's container may use. A quota that is ignored is the commonest way to
// make an OpenMP program slow. With 64 CPUs in its mask and a quota of two, a team of 64 threads is up to 90 times
// slower. So the quota limits the size of teams.
#pragma once

#include <cstddef>

namespace chomp {

/// The smallest CPU quota of the process's control group and its ancestors, in CPUs, rounded up; 0 when there is none.
/// A quota below one CPU is 1, never 0. Understands version 2 (cpu.max) and version 1 (cpu.cfs_quota_us). Reads a few
/// small files; a level whose file is missing or malformed has no quota. The arguments are for the tests, which make
/// such files themselves.
int cgroup_cpu_quota(const char* own_groups = "/proc/self/cgroup", const char* mount = "/sys/fs/cgroup");

/// Writes into `text` the CPUs that the process's control group may use, in the form of /sys ("0-3,8\n"): the file of
/// the innermost group that has one. False when no group has one. Understands versions 2 (cpuset.cpus.effective) and 1.
bool cgroup_cpus(char* text, size_t size, const char* own_groups = "/proc/self/cgroup",
                 const char* mount = "/sys/fs/cgroup");

} // namespace chomp
