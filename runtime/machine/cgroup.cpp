// Walks from the process's control group up to the mount point, and asks for the quota at each level. Container engines
// without a cgroup name space (Docker with version 1) show the host's path in /proc/self/cgroup, but mount the
// container's own group at the top. So the walk steps over levels that do not exist, and always looks at the mount
// point itself. The usual mount points are assumed. No system has been found that needs /proc/self/mountinfo, which has
// hundreds of lines in such containers.
#include "runtime/machine/cgroup.h"

#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime/base/os_linux.h"

namespace chomp {

namespace {

constexpr int kNoQuota = 0;

/// quota/period in whole CPUs, rounded up, at least 1.
int whole_cpus(int64_t quota, int64_t period) {
  if (quota <= 0 || period <= 0) return kNoQuota;
  int64_t cpus = quota / period + (quota % period != 0);
  return cpus > INT_MAX ? INT_MAX : static_cast<int>(cpus);
}

int smaller(int a, int b) { return a == kNoQuota ? b : b == kNoQuota ? a : a < b ? a : b; }

/// Reads `<directory>/<name>` as text; false if there is none.
bool read_setting(const char* directory, const char* name, char* text, size_t size) {
  char path[PATH_MAX];
  int length = snprintf(path, sizeof path, "%s/%s", directory, name);
  return length > 0 && length < PATH_MAX && read_small_file(path, text, size) > 0;
}

/// "50000 100000" or "max 100000".
int quota_v2(const char* directory) {
  char text[64];
  if (!read_setting(directory, "cpu.max", text, sizeof text)) return kNoQuota;
  char* end;
  long long quota = strtoll(text, &end, 10);
  if (end == text) return kNoQuota; // "max"
  char* end_of_period;
  long long period = strtoll(end, &end_of_period, 10);
  return whole_cpus(quota, end_of_period == end ? 100000 : period);
}

/// Two files of one number each; a quota of -1 is none.
int quota_v1(const char* directory) {
  char text[64];
  if (!read_setting(directory, "cpu.cfs_quota_us", text, sizeof text)) return kNoQuota;
  long long quota = strtoll(text, nullptr, 10);
  if (quota <= 0 || !read_setting(directory, "cpu.cfs_period_us", text, sizeof text)) return kNoQuota;
  return whole_cpus(quota, strtoll(text, nullptr, 10));
}

/// `<mount><group>` as a path, PATH_MAX bytes; false: too long.
bool path_of_group(char* directory, const char* mount, const char* group) {
  // A group outside our name space reads "/../…": only the mount point is visible. "/" is that.
  bool outside = strncmp(group, "/..", 3) == 0 || *group != '/' || group[1] == 0;
  int length = snprintf(directory, PATH_MAX, "%s%s", mount, outside ? "" : group);
  return length >= 0 && length < PATH_MAX;
}

/// The first of the files `name` and `other` (null: none) in `<mount><group>` or the nearest of its ancestors that has
/// one.
bool nearest_setting(const char* mount, const char* group, const char* name, const char* other, char* text,
                     size_t size) {
  char directory[PATH_MAX];
  if (!path_of_group(directory, mount, group)) return false;
  for (;;) {
    if (read_setting(directory, name, text, size)) return true;
    if (other != nullptr && read_setting(directory, other, text, size)) return true;
    if (strlen(directory) <= strlen(mount)) return false;
    *strrchr(directory, '/') = 0;
  }
}

/// The smallest quota of `<mount><group>` and its ancestors up to and including `mount`.
int smallest_quota(const char* mount, const char* group, int (*quota_of)(const char*)) {
  char directory[PATH_MAX];
  size_t mount_length = strlen(mount);
  if (!path_of_group(directory, mount, group)) return kNoQuota;
  int quota = kNoQuota;
  for (;;) {
    quota = smaller(quota, quota_of(directory));
    if (strlen(directory) <= mount_length) return quota;
    *strrchr(directory, '/') = 0;
  }
}

/// Is `name` in the comma-separated list [begin, end)?
bool names(const char* begin, const char* end, const char* name) {
  size_t length = strlen(name);
  while (begin < end) {
    const char* comma = static_cast<const char*>(memchr(begin, ',', static_cast<size_t>(end - begin)));
    if (!comma) comma = end;
    if (static_cast<size_t>(comma - begin) == length && memcmp(begin, name, length) == 0) return true;
    begin = comma + 1;
  }
  return false;
}

} // namespace

int cgroup_cpu_quota(const char* own_groups, const char* mount) {
  char text[8192];
  if (read_small_file(own_groups, text, sizeof text) <= 0) return kNoQuota;
  int quota = kNoQuota;
  // Each line: "<hierarchy>:<controllers>:<group>"; version 2 is hierarchy 0 without controllers.
  char* rest = text;
  while (char* line = strsep(&rest, "\n")) {
    char* controllers = strchr(line, ':');
    char* group = controllers ? strchr(controllers + 1, ':') : nullptr;
    if (!group) continue;
    controllers++;
    if (controllers == group) {
      quota = smaller(quota, smallest_quota(mount, group + 1, quota_v2));
    } else if (names(controllers, group, "cpu")) {
      // Version 1 is mounted under the names of its controllers; most systems also have a link for each name.
      char hierarchy[PATH_MAX];
      int length = snprintf(hierarchy, sizeof hierarchy, "%s/cpu", mount);
      if (length > 0 && length < PATH_MAX) quota = smaller(quota, smallest_quota(hierarchy, group + 1, quota_v1));
      length =
          snprintf(hierarchy, sizeof hierarchy, "%s/%.*s", mount, static_cast<int>(group - controllers), controllers);
      if (group - controllers > 3 && length > 0 && length < PATH_MAX)
        quota = smaller(quota, smallest_quota(hierarchy, group + 1, quota_v1));
    }
  }
  return quota;
}

bool cgroup_cpus(char* text, size_t size, const char* own_groups, const char* mount) {
  char groups[8192];
  if (read_small_file(own_groups, groups, sizeof groups) <= 0) return false;
  char* rest = groups;
  while (char* line = strsep(&rest, "\n")) { // as in cgroup_cpu_quota()
    char* controllers = strchr(line, ':');
    char* group = controllers ? strchr(controllers + 1, ':') : nullptr;
    if (!group) continue;
    controllers++;
    char hierarchy[PATH_MAX];
    int length = snprintf(hierarchy, sizeof hierarchy, "%s/cpuset", mount);
    if (length < 0 || length >= PATH_MAX) return false;
    if (controllers == group && nearest_setting(mount, group + 1, "cpuset.cpus.effective", nullptr, text, size))
      return true;
    if (names(controllers, group, "cpuset") &&
        nearest_setting(hierarchy, group + 1, "cpuset.effective_cpus", "cpuset.cpus", text, size))
      return true;
  }
  return false;
}

} // namespace chomp
