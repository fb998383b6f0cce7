// See rank_share.h.
#include "runtime/machine/rank_share.h"

#include <cstring>

#include "runtime/machine/cgroup.h"
#include "runtime/config/config.h"
#include "runtime/machine/sysfs_units.h"
#include "runtime/machine/topology.h"

namespace chomp {

namespace {

constexpr int kMostRanks = 1 << 20;

/// The variables of launchers, the innermost launcher first: inside a job of Slurm, mpirun sets its own variables
/// beside Slurm's.
struct Launcher {
  const char* rank;
  const char* count;
};
constexpr Launcher kLaunchers[] = {
    {"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"MPI_LOCALRANKID", "MPI_LOCALNRANKS"}, // MPICH's and Intel's mpiexec
    {"MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE"},
    {"PMI_LOCAL_RANK", "PMI_LOCAL_SIZE"},
};

bool read_number(const char* text, int least, int* number) {
  int64_t value;
  if (text == nullptr || parse_integer(trim(text), least, kMostRanks, &value) != Parse::kOk) return false;
  *number = static_cast<int>(value);
  return true;
}

/// The number of tasks on machine `node`, from a list like "4(x2),3": two machines with four tasks each and one with
/// three. 0: the machine is not in the list.
int tasks_on_node(std::string_view list, int node) {
  while (list.data() != nullptr) {
    std::string_view element = next_element(&list, ',');
    std::string_view times = cut_off(&element, "(");
    int64_t tasks, machines = 1;
    if (times.data() != nullptr) {
      if (times.size() < 3 || times.front() != 'x' || times.back() != ')') return 0;
      if (parse_integer({times.data() + 1, times.size() - 2}, 1, kMostRanks, &machines) != Parse::kOk) return 0;
    }
    if (parse_integer(element, 1, kMostRanks, &tasks) != Parse::kOk) return 0;
    if (node < machines) return static_cast<int>(tasks);
    node -= static_cast<int>(machines);
  }
  return 0;
}

/// The rank in a step of srun. A batch script, which is one process, has SLURM_LOCALID and other numbers of tasks as
/// well.
LocalRank rank_of_slurm(const char* (*value_of)(const char* name)) {
  const char* tasks = value_of("SLURM_STEP_TASKS_PER_NODE");
  LocalRank result;
  int node = 0;
  if (tasks == nullptr || !read_number(value_of("SLURM_LOCALID"), 0, &result.rank)) return {};
  read_number(value_of("SLURM_NODEID"), 0, &node);
  result.count = tasks_on_node(trim(tasks), node);
  return result.rank < result.count ? result : LocalRank{};
}

bool equal(const CpuMask& a, const CpuMask& b) { return memcmp(&a, &b, sizeof a) == 0; }

/// Whether no setting takes precedence over the share, see rank_share.h.
bool settings_allow() {
  const AffinitySettings& affinity = config.affinity;
  bool by_number = affinity.source == PlaceSource::kPlaceList || affinity.source == PlaceSource::kProcessors;
  bool other_cpus = !affinity.kmp.respect || affinity.subset.count > 0;
  return config.rank_cores && !by_number && !other_cpus && affinity.source != PlaceSource::kDisabled;
}

} // namespace

LocalRank local_rank(const char* (*value_of)(const char* name)) {
  for (const Launcher& launcher : kLaunchers) {
    LocalRank result;
    if (read_number(value_of(launcher.rank), 0, &result.rank) &&
        read_number(value_of(launcher.count), 1, &result.count))
      return result.rank < result.count ? result : LocalRank{};
  }
  return rank_of_slurm(value_of);
}

bool is_whole_machine(const CpuMask& mask, const char* root, const char* own_groups, const char* groups_mount) {
  char text[kSysfsBytes];
  CpuMask all;
  if (online_cpus_from_sysfs(root, &all) && equal(mask, all)) return true;
  return cgroup_cpus(text, sizeof text, own_groups, groups_mount) && parse_cpu_list(text, &all) && equal(mask, all);
}

CpuMask share_of_rank(const Hardware& hardware, const LocalRank& rank) {
  int64_t cores = hardware.unit_count(HwLevel::kCore);
  auto begin = rank.rank * cores / rank.count;
  auto end = (rank.rank + 1) * cores / rank.count;
  if (end == begin) end = begin + 1;
  CpuMask share = {};
  for (int i = 0; i < hardware.count; ++i) { // cores are numbered in logical order: neighbours share sockets and caches
    int core = unit_of(hardware.threads[i], HwLevel::kCore);
    if (core >= begin && core < end) share.set(hardware.threads[i].cpu);
  }
  return share;
}

// Needs five pages of stack.
__attribute__((noinline)) static void take_share_of(const LocalRank& rank) {
  if (!is_whole_machine(topology_process_cpus(), "/sys")) return;
  Hardware hardware;
  if (!hardware_from_sysfs("/sys", topology_process_cpus(), 0, &hardware)) return;
  CpuMask share = share_of_rank(hardware, rank);
  unmap_pages(hardware.threads, sizeof(HwThread) * static_cast<size_t>(hardware.count));
  topology_share(share, rank.rank, rank.count);
  config.local_rank = rank.rank;
  config.local_ranks = rank.count;
}

void rank_share_take() {
  if (!settings_allow()) return;
  LocalRank rank = local_rank();
  if (rank.count > 1) take_share_of(rank);
}

} // namespace chomp
