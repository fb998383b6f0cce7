// RUN: %clangxx -std=c++20 -I%root %s %root/runtime/base/log.cpp %root/runtime/base/os_linux.cpp %root/runtime/base/cgroup.cpp -pthread -o %t && %t
#include "runtime/base/cgroup.h"
#include "test/unit/check_that.h"
#include "test/unit/fake_files.h"

using namespace chomp;

static int quota(FakeFiles& files) {
  char own[512], mount[512];
  snprintf(own, sizeof own, "%s", files.path("self"));
  snprintf(mount, sizeof mount, "%s", files.path("fs"));
  return cgroup_cpu_quota(own, mount);
}

int main() {
  {
    FakeFiles files;
    THAT(quota(files) == 0); // nothing there
    files.put("0::/\n", "self");
    THAT(quota(files) == 0);
    files.put("max 100000\n", "fs/cpu.max");
    THAT(quota(files) == 0);
    files.put("150000 100000\n", "fs/cpu.max");
    THAT(quota(files) == 2); // rounded up
    files.put("1000 100000\n", "fs/cpu.max");
    THAT(quota(files) == 1); // never zero
    files.put("200000\n", "fs/cpu.max");
    THAT(quota(files) == 2); // the default period
    files.put("garbage\n", "fs/cpu.max");
    THAT(quota(files) == 0);
    files.put("9223372036854775807 1\n", "fs/cpu.max");
    THAT(quota(files) > 1000000);
  }
  { // version 2: the smallest of all levels counts, and a level without a file is stepped over
    FakeFiles files;
    files.put("0::/a/b/c\n", "self");
    files.put("800000 100000\n", "fs/a/b/c/cpu.max");
    files.put("400000 100000\n", "fs/a/cpu.max");
    files.put("600000 100000\n", "fs/cpu.max");
    THAT(quota(files) == 4);
    files.put("0::/../elsewhere\n", "self"); // outside our name space: the mount point alone
    THAT(quota(files) == 6);
    files.put("0::/container/not/visible\n", "self");
    THAT(quota(files) == 6);
  }
  { // version 1, among other hierarchies
    FakeFiles files;
    files.put("7:cpuset:/x\n3:cpu,cpuacct:/docker/abc\n2:memory:/x\n", "self");
    files.put("100000\n", "fs/cpuset/x/cpu.cfs_quota_us");
    files.put("100000\n", "fs/cpuset/x/cpu.cfs_period_us");
    THAT(quota(files) == 0);
    files.put("-1\n", "fs/cpu,cpuacct/docker/abc/cpu.cfs_quota_us");
    files.put("100000\n", "fs/cpu,cpuacct/docker/abc/cpu.cfs_period_us");
    THAT(quota(files) == 0);
    files.put("250000\n", "fs/cpu,cpuacct/docker/abc/cpu.cfs_quota_us");
    THAT(quota(files) == 3);
    files.put("50000\n", "fs/cpu,cpuacct/cpu.cfs_quota_us"); // as mounted in a container
    files.put("100000\n", "fs/cpu,cpuacct/cpu.cfs_period_us");
    THAT(quota(files) == 1);
  }
  { // version 1 under the plain name
    FakeFiles files;
    files.put("1:cpu:/\n0::/\n", "self");
    files.put("300000\n", "fs/cpu/cpu.cfs_quota_us");
    files.put("100000\n", "fs/cpu/cpu.cfs_period_us");
    THAT(quota(files) == 3);
  }
  THAT(cgroup_cpu_quota() >= 0);
  return result();
}
