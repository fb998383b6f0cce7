// RUN: %clangxx -std=c++20 -I%root %s %root/runtime/base/log.cpp %root/runtime/base/os_linux.cpp %root/runtime/machine/cgroup.cpp -pthread -o %t && %t
#include "runtime/machine/cgroup.h"
#include "test/unit/check_that.h"
#include "test/unit/fake_files.h"

using namespace chomp;

static int quota(FakeFiles& files) {
  char own[512], mount[512];
  snprintf(own, sizeof own, "%s", files.path("self"));
  snprintf(mount, sizeof mount, "%s", files.path("fs"));
  return cgroup_cpu_quota(own, mount);
}

static bool cpus_are(FakeFiles& files, const char* expected) {
  char own[512], mount[512], text[64];
  snprintf(own, sizeof own, "%s", files.path("self"));
  snprintf(mount, sizeof mount, "%s", files.path("fs"));
  bool known = cgroup_cpus(text, sizeof text, own, mount);
  return expected == nullptr ? !known : known && strcmp(text, expected) == 0;
}

static void cpus_of_the_group() {
  FakeFiles files;
  THAT(cpus_are(files, nullptr)); // nothing there
  files.put("0::/job/step\n", "self");
  THAT(cpus_are(files, nullptr));
  files.put("0-7\n", "fs/cpuset.cpus.effective");
  THAT(cpus_are(files, "0-7\n"));
  files.put("2-5\n", "fs/job/cpuset.cpus.effective"); // the nearest says it
  THAT(cpus_are(files, "2-5\n"));
  files.put("0::/../elsewhere\n", "self");
  THAT(cpus_are(files, "0-7\n"));
  files.put("3:cpu,cpuacct:/x\n2:cpuset:/job\n", "self"); // version 1
  THAT(cpus_are(files, nullptr));
  files.put("0-3\n", "fs/cpuset/job/cpuset.cpus");
  THAT(cpus_are(files, "0-3\n"));
  files.put("1-3\n", "fs/cpuset/job/cpuset.effective_cpus");
  THAT(cpus_are(files, "1-3\n"));
}

int main() {
  cpus_of_the_group();
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
