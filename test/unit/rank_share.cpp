// RUN: %clangxx -std=c++20 -I%root %s %root/runtime/machine/rank_share.cpp %root/runtime/base/log.cpp %root/runtime/base/os_linux.cpp %root/runtime/base/env.cpp %root/runtime/machine/cgroup.cpp %root/runtime/machine/hardware.cpp %root/runtime/machine/hardware_sysfs.cpp %root/runtime/machine/sysfs_units.cpp -pthread -o %t && %t
// What launchers say about the ranks of a machine, whether they have bound them, and which cores each rank has.
#include <initializer_list>

#include "runtime/config/config.h"
#include "runtime/machine/rank_share.h"
#include "runtime/machine/topology.h"
#include "test/unit/check_that.h"
#include "test/unit/fake_machine.h"

using namespace chomp;

// What rank_share_take() works on; not called here (test/process/ranks_share_cores.c).
constinit Config chomp::config;
const CpuMask& chomp::topology_process_cpus() { abort(); }
void chomp::topology_share(const CpuMask&, int, int) { abort(); }

static const char* const* variables; // name, value, …, null

static const char* value_of(const char* name) {
  for (const char* const* at = variables; *at != nullptr; at += 2)
    if (strcmp(*at, name) == 0) return at[1];
  return nullptr;
}

static bool rank_is(std::initializer_list<const char*> environment, int rank, int count) {
  const char* copy[20] = {};
  int length = 0;
  for (const char* text : environment) copy[length++] = text;
  variables = copy;
  LocalRank found = local_rank(value_of);
  if (found.rank != rank || found.count != count) fprintf(stderr, "rank %d of %d\n", found.rank, found.count);
  return found.rank == rank && found.count == count;
}

static void launchers() {
  THAT(rank_is({}, 0, 1));
  THAT(rank_is({"OMPI_COMM_WORLD_LOCAL_RANK", "2", "OMPI_COMM_WORLD_LOCAL_SIZE", "4"}, 2, 4));
  THAT(rank_is({"MPI_LOCALRANKID", "1", "MPI_LOCALNRANKS", "2"}, 1, 2));
  THAT(rank_is({"MV2_COMM_WORLD_LOCAL_RANK", "0", "MV2_COMM_WORLD_LOCAL_SIZE", "3"}, 0, 3));
  THAT(rank_is({"PMI_LOCAL_RANK", "5", "PMI_LOCAL_SIZE", "6"}, 5, 6));
  // A half, or nonsense, is nothing.
  THAT(rank_is({"OMPI_COMM_WORLD_LOCAL_RANK", "2"}, 0, 1));
  THAT(rank_is({"OMPI_COMM_WORLD_LOCAL_RANK", "4", "OMPI_COMM_WORLD_LOCAL_SIZE", "4"}, 0, 1));
  THAT(rank_is({"OMPI_COMM_WORLD_LOCAL_RANK", "-1", "OMPI_COMM_WORLD_LOCAL_SIZE", "4"}, 0, 1));
  THAT(rank_is({"OMPI_COMM_WORLD_LOCAL_RANK", "x", "OMPI_COMM_WORLD_LOCAL_SIZE", "4"}, 0, 1));
  THAT(rank_is({"OMPI_COMM_WORLD_LOCAL_RANK", "0", "OMPI_COMM_WORLD_LOCAL_SIZE", "99999999999"}, 0, 1));
  THAT(rank_is({"OMPI_COMM_WORLD_LOCAL_RANK", "", "OMPI_COMM_WORLD_LOCAL_SIZE", ""}, 0, 1));
  // mpirun in a job: the inner one counts.
  THAT(rank_is({"SLURM_LOCALID", "0", "SLURM_STEP_TASKS_PER_NODE", "1", "MPI_LOCALRANKID", "1", "MPI_LOCALNRANKS", "2"},
               1, 2));
}

static void slurm() {
  auto slurm_is = [](const char* id, const char* node, const char* tasks, int rank, int count) {
    return rank_is({"SLURM_LOCALID", id, "SLURM_NODEID", node, "SLURM_STEP_TASKS_PER_NODE", tasks}, rank, count);
  };
  THAT(slurm_is("3", "0", "4", 3, 4) && slurm_is("3", "1", "4(x2)", 3, 4) && slurm_is("1", "2", "4(x2),2", 1, 2));
  THAT(slurm_is("0", "3", "4(x2),1,8", 0, 8) && slurm_is("0", "2", "4(x2),1,8", 0, 1));
  for (const char* tasks : {"4(x2", "4(2)", "4(x)", "(x2)", "x", ",", "0", "4(x0)", "4(x2)3", "4()"})
    THAT(slurm_is("0", "0", tasks, 0, 1));
  THAT(slurm_is("0", "9", "4(x2)", 0, 1)); // no such machine
  // A batch script is one process, however many tasks its job may start.
  THAT(rank_is({"SLURM_LOCALID", "0", "SLURM_NTASKS_PER_NODE", "4", "SLURM_TASKS_PER_NODE", "4"}, 0, 1));
}

static CpuMask first_cpus(int count) {
  CpuMask mask = {};
  for (int cpu = 0; cpu < count; cpu++) mask.set(cpu);
  return mask;
}

static void bound_or_not() {
  FakeFiles files;
  two_sockets(files);
  char own[512], mount[512];
  snprintf(own, sizeof own, "%s", files.path("self"));
  snprintf(mount, sizeof mount, "%s", files.path("fs"));
  auto whole = [&](int cpus) { return is_whole_machine(first_cpus(cpus), files.root, own, mount); };
  THAT(whole(16) && !whole(15) && !whole(1));
  files.put("0::/container\n", "self");
  files.put("0-3\n", "fs/container/cpuset.cpus.effective");
  THAT(whole(4) && !whole(3) && !whole(5) && whole(16));
  THAT(!is_whole_machine(first_cpus(4), "/nowhere", "/nowhere", "/nowhere"));
}

static bool share_is(const Hardware& machine, int rank, int ranks, std::initializer_list<int> cpus) {
  CpuMask wanted = {}, share = share_of_rank(machine, {rank, ranks});
  for (int cpu : cpus) wanted.set(cpu);
  return memcmp(&wanted, &share, sizeof share) == 0;
}

static void shares() {
  FakeFiles files;
  two_sockets(files);
  Hardware machine;
  THAT(hardware_from_sysfs(files.root, first_cpus(16), 0, &machine));
  THAT(share_is(machine, 0, 2, {0, 1, 2, 3, 8, 9, 10, 11}) && share_is(machine, 1, 2, {4, 5, 6, 7, 12, 13, 14, 15}));
  THAT(share_is(machine, 0, 4, {0, 1, 8, 9}) && share_is(machine, 3, 4, {6, 7, 14, 15})); // an L3 each
  THAT(share_is(machine, 0, 3, {0, 1, 8, 9}) && share_is(machine, 1, 3, {2, 3, 4, 10, 11, 12}));
  THAT(share_is(machine, 5, 8, {5, 13}));
  THAT(share_is(machine, 4, 16, {2, 10}) && share_is(machine, 5, 16, {2, 10})); // two to a core
  for (int ranks = 1; ranks <= 40; ranks++) {
    CpuMask all = {};
    int sum = 0, least = 16, most = 0;
    for (int rank = 0; rank < ranks; rank++) {
      CpuMask share = share_of_rank(machine, {rank, ranks});
      int count = share.count();
      sum += count;
      if (count < least) least = count;
      if (count > most) most = count;
      for (int cpu = 0; cpu < 16; cpu++)
        if (share.has(cpu)) all.set(cpu);
    }
    THAT(all.count() == 16);
    THAT(least >= 2 && most - least <= 2); // a core has two
    THAT(ranks > 8 ? sum == 2 * ranks : sum == 16);
  }
  // The cores of a container, which need not be neighbours.
  CpuMask few = {};
  for (int cpu : {1, 5, 6, 9}) few.set(cpu);
  THAT(hardware_from_sysfs(files.root, few, 0, &machine));
  THAT(share_is(machine, 0, 3, {1, 9}) && share_is(machine, 1, 3, {5}) && share_is(machine, 2, 3, {6}));
  THAT(share_is(machine, 0, 2, {1, 9}) && share_is(machine, 1, 2, {5, 6}));
}

int main() {
  launchers();
  slurm();
  bound_or_not();
  shares();
  return result();
}
