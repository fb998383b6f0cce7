// How much CPU time the container we run in may use. A container with 64 CPUs in its mask and a quota of two is the
// commonest way to make an OpenMP program up to 90 times slower: the team is sized by what can run at once, so by this.
#pragma once

#include <cstddef>

namespace chomp {

/// The smallest CPU quota of the process's control group and its ancestors, in CPUs, rounded up; 0 when there is none.
/// A quota below one CPU is 1, never 0. Understands version 2 (cpu.max) and version 1 (cpu.cfs_quota_us). Reads a few
/// small files; wherever one is missing or not understood, that level has no quota.
/// The arguments exist for the tests, which lay out such files themselves.
int cgroup_cpu_quota(const char* own_groups = "/proc/self/cgroup", const char* mount = "/sys/fs/cgroup");

/// The CPUs that the process's control group may use, as its innermost group with a file for it says, in the form of
/// /sys ("0-3,8\n"). False when no group says. Versions 2 (cpuset.cpus.effective) and 1.
bool cgroup_cpus(char* text, size_t size, const char* own_groups = "/proc/self/cgroup",
                 const char* mount = "/sys/fs/cgroup");

} // namespace chomp
