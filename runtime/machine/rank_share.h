// This process's share of the machine, if it is one of several ranks of an MPI program that run here. If the launcher
// has not bound the ranks, each sees all CPUs, and would make a team of that many threads. With OMP_PROC_BIND, all
// these teams would be bound to the first cores. So chomp gives each rank its own consecutive part of the cores. That
// share sizes the teams, and places are made of it. The mask of the process stays what it is: threads that are not
// bound run where the system puts them.
//
// More specific settings take precedence: a launcher that binds (the mask is a part of the machine), places by number
// (OMP_PLACES={0:4}, GOMP_CPU_AFFINITY, KMP_AFFINITY=explicit), KMP_AFFINITY=norespect or disabled, KMP_HW_SUBSET,
// CHOMP_RANK_CORES=off. OMP_NUM_THREADS decides only the size of teams.
//
// Called at start-up, once all settings are read and before any is shown.
#pragma once

#include "runtime/base/env.h"
#include "runtime/base/os_linux.h"
#include "runtime/machine/hardware.h"

namespace chomp {

/// A process among those that the launcher has started on this machine.
struct LocalRank {
  int rank = 0;
  int count = 1;
};

/// This process's rank, from the variables of Open MPI, MPICH and Intel MPI, MVAPICH, Cray's PMI, and Slurm's srun.
/// Rank 0 of 1 when there are none, or none that make sense.
LocalRank local_rank(const char* (*value_of)(const char* name) = environment_value);

/// Whether nobody has bound the process: `mask` has all CPUs that are online (below `root`, which is "/sys" except in
/// tests), or all that its control group may use.
bool is_whole_machine(const CpuMask& mask, const char* root, const char* own_groups = "/proc/self/cgroup",
                      const char* groups_mount = "/sys/fs/cgroup");

/// Consecutive cores with all their hardware threads: the shares of the ranks are disjoint, cover the machine and
/// differ by one core at most. With more ranks than cores each has one core, and neighbours share it.
CpuMask share_of_rank(const Hardware& hardware, const LocalRank& rank);

/// Restricts the topology to the share of this process, if it is one of several ranks and nothing takes precedence.
void rank_share_take();

} // namespace chomp
