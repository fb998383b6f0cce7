// The table of all environment variables. See settings_table.h.
#include "runtime/config/settings_table.h"

#include <climits>
#include <cstring>

#include "runtime/config/config.h"
#include "runtime/machine/topology.h"

namespace chomp {

namespace {

constexpr NamedValue kDomains[] = {
    {"default", static_cast<int>(DomainLevel::kDefault)}, {"socket", static_cast<int>(DomainLevel::kSocket)},
    {"l3", static_cast<int>(DomainLevel::kL3)},           {"numa", static_cast<int>(DomainLevel::kNuma)},
    {"core", static_cast<int>(DomainLevel::kCore)},       {"machine", static_cast<int>(DomainLevel::kMachine)},
};

constexpr NamedValue kStealAmounts[] = {
    {"idle", static_cast<int>(StealAmount::kIdle)},
    {"half-idle", static_cast<int>(StealAmount::kHalfIdle)},
    {"one", static_cast<int>(StealAmount::kOne)},
    {"half-queue", static_cast<int>(StealAmount::kHalfQueue)},
};

constexpr NamedValue kReductions[] = {
    {"critical", static_cast<int>(Reduction::kCritical)},
    {"atomic", static_cast<int>(Reduction::kAtomic)},
    {"tree", static_cast<int>(Reduction::kTree)},
};

constexpr NamedValue kDynamicModes[] = {
    {"load balance", static_cast<int>(DynamicMode::kLoadBalance)},
    {"load_balance", static_cast<int>(DynamicMode::kLoadBalance)},
    {"load-balance", static_cast<int>(DynamicMode::kLoadBalance)},
    {"thread limit", static_cast<int>(DynamicMode::kThreadLimit)},
    {"thread_limit", static_cast<int>(DynamicMode::kThreadLimit)},
    {"thread-limit", static_cast<int>(DynamicMode::kThreadLimit)},
    {"random", static_cast<int>(DynamicMode::kRandom)},
};

constexpr NamedValue kOffloads[] = {
    {"DISABLED", static_cast<int>(TargetOffload::kDisabled)},
    {"DEFAULT", static_cast<int>(TargetOffload::kDefault)},
    {"MANDATORY", static_cast<int>(TargetOffload::kMandatory)},
};

constexpr NamedValue kAllocators[] = {
    {"omp_default_mem_alloc", 1}, {"omp_large_cap_mem_alloc", 2}, {"omp_const_mem_alloc", 3},
    {"omp_high_bw_mem_alloc", 4}, {"omp_low_lat_mem_alloc", 5},   {"omp_cgroup_mem_alloc", 6},
    {"omp_pteam_mem_alloc", 7},   {"omp_thread_mem_alloc", 8},    {"ompx_gnu_pinned_mem_alloc", 200},
};

constexpr NamedValue kRankCores[] = {{"off", 0}, {"auto", 1}, {"0", 0}, {"1", 1}, {"false", 0}, {"true", 1}};

/// Shows what is in force where nobody says.
void show_teams_thread_limit(const Setting&, ValueText* text) {
  text->add("%d", config.kmp_teams_thread_limit > 0 ? config.kmp_teams_thread_limit : topology.usable_cpus);
}

/// Also shows what was decided, since no variable does.
void show_rank_cores(const Setting& setting, ValueText* text) {
  show_enum_setting(setting, text);
  if (config.local_ranks > 1)
    text->add(" (local rank %d of %d: %d of the CPUs)", config.local_rank, config.local_ranks, topology.allowed_cpus);
}

constexpr NamedValue kWatchdogSignals[] = {
    {"none", static_cast<int>(WatchdogSignal::kNone)},
    {"QUIT", static_cast<int>(WatchdogSignal::kQuit)},
    {"USR1", static_cast<int>(WatchdogSignal::kUser1)},
    {"USR2", static_cast<int>(WatchdogSignal::kUser2)},
};

constexpr NamedValue kNested[] = {{"threads", 0}, {"light", 1}};

constexpr NamedValue kUseHelpers[] = {
    {"auto", static_cast<int>(UseHelpers::kAuto)}, {"0", static_cast<int>(UseHelpers::kNo)},
    {"1", static_cast<int>(UseHelpers::kYes)},     {"false", static_cast<int>(UseHelpers::kNo)},
    {"true", static_cast<int>(UseHelpers::kYes)},  {"off", static_cast<int>(UseHelpers::kNo)},
    {"on", static_cast<int>(UseHelpers::kYes)},    {"no", static_cast<int>(UseHelpers::kNo)},
    {"yes", static_cast<int>(UseHelpers::kYes)},
};

constexpr NamedValue kTools[] = {{"disabled", 0}, {"enabled", 1}};

// Rows by type.
constexpr Setting boolean(const char* name, bool* where) {
  return {.name = name, .parse = parse_bool_setting, .show = show_bool_setting, .where = where};
}
constexpr Setting integer(const char* name, int* where, int least, int most = INT_MAX) {
  return {
      .name = name, .parse = parse_int_setting, .show = show_int_setting, .where = where, .least = least, .most = most};
}
template <class Enum, int N> constexpr Setting choice(const char* name, Enum* where, const NamedValue (&names)[N]) {
  static_assert(sizeof(Enum) == 1);
  return {.name = name,
          .parse = parse_enum_setting,
          .show = show_enum_setting,
          .where = where,
          .names = names,
          .name_count = N};
}
/// For a variable that libomp knows and that has no meaning here: any value is accepted.
constexpr Setting without_effect(const char* name) { return {.name = name}; }

// Rows are in alphabetical order, and are shown and parsed in this order. A parser that has to come after another says
// so. The words after `///` are what users read: `tools/package manual` makes tools/docs/settings.md of them, and each
// build libchomp(7). Their links lead from tools/docs/. A variable without words is checked, and nothing depends on it.
constexpr Setting kTable[] = {
    /// What counts as one chip: `default` `socket` `l3` `numa` `core` `machine`. Default: cores under one
    /// last-level cache inside a socket, in equal parts of at most 8
    choice("CHOMP_DOMAIN", &config.domain, kDomains),
    /// 0: real fences instead of `membarrier(2)`. Default: 1 where the kernel allows it
    boolean("CHOMP_MEMBARRIER", &config.use_membarrier),
    /// `light`: members of inner regions for which no CPU is left share kernel threads, whose stacks they switch when
    /// they wait, see [threads.md](threads.md#light-inner-regions); `threads`. Default: `threads`
    choice("CHOMP_NESTED", &config.nested_light, kNested),
    /// 0: a stack overflow, or a tool that crashes, is not explained, and no handler of SIGSEGV is installed; a
    /// handler of the program's is never replaced. Default: 1
    boolean("CHOMP_OVERFLOW_MESSAGE", &config.overflow_message),
    /// `auto`: ranks of an MPI program that the launcher has not bound share the cores, see
    /// [install.md](install.md#mpi);
    /// `off`. Default: `auto`
    {.name = "CHOMP_RANK_CORES",
     .parse = parse_enum_setting,
     .show = show_rank_cores,
     .where = &config.rank_cores,
     .names = kRankCores,
     .name_count = sizeof kRankCores / sizeof *kRankCores},
    /// A file for a recording of the run, which `chomp trace` draws ([slow.md](slow.md#a-timeline)); `%p`: the
    /// number of the process; ignored in set-uid programs. Default: none
    {.name = "CHOMP_RECORD",
     .parse = parse_text_setting,
     .show = show_text_setting,
     .where = &config.record,
     .names_file = true},
    /// The size of the file of `CHOMP_RECORD`, as 256M: of a longer run the last part is kept; 0: no limit; at least
    /// 8M. Default: 0
    {.name = "CHOMP_RECORD_LIMIT",
     .parse = parse_record_limit,
     .show = show_record_limit,
     .takes = "a size, as 256M: a whole number, then perhaps B, K, M, G or T; 0: no limit"},
    /// Where tasks wait and who takes them: `hierarchical`, `mts`, `sherwood`, `steal` (`ws`), `depth`, `central`
    /// (`cq`), `lifo` (`l`), `fifo` (`q`), `nemesis`, `xqueue`, `xqueue-steal`; see
    /// [`schedulers/README.md`](../../schedulers/README.md). Default: `hierarchical`; `fifo` where ThreadSanitizer
    /// is ([tools.md](tools.md))
    {.name = "CHOMP_SCHEDULER", .parse = parse_scheduler, .show = show_scheduler},
    /// 0: nested tasks never move to a fresh stack segment. Default: 1
    boolean("CHOMP_STACK_SEGMENTS", &config.stack_segments),
    /// 1: a table of what was done, at exit; or a file for the same as JSON; see [slow.md](slow.md#counters).
    /// Default: 0
    {.name = "CHOMP_STATS",
     .parse = parse_text_setting,
     .show = show_text_setting,
     .where = &config.stats,
     .names_file = true},
    /// How much a steal of `hierarchical` and `mts` takes, at most half of what the victim has: `one`, `half-idle`,
    /// `idle` (one for each idle core of the thief's chip), `half-queue`. Default: `idle`
    choice("CHOMP_STEAL", &config.steal_amount, kStealAmounts),
    /// How many threads all teams of the process together may have: a number, or `auto`, the CPUs that the process
    /// may use; `off`; see [threads.md](threads.md). Default: `off`; `auto` with `OMP_DYNAMIC=true`
    {.name = "CHOMP_THREAD_BUDGET",
     .parse = parse_thread_budget,
     .show = show_thread_budget,
     .least = 1,
     .most = INT_MAX,
     .takes = "auto, off or a whole number"},
    /// Seconds: when nothing in the program has moved for so long, what each thread waits for is printed once, see
    /// [troubleshooting.md](troubleshooting.md#a-program-that-hangs); 0: never. Default: 0
    integer("CHOMP_WATCHDOG", &config.watchdog_seconds, 0, 1000000),
    /// `QUIT`, `USR1`, `USR2`: the same is printed whenever the process gets that signal, unless the program
    /// handles it. Default: `none`
    choice("CHOMP_WATCHDOG_SIGNAL", &config.watchdog_signal, kWatchdogSignals),

    /// `OMP_PLACES` and `OMP_PROC_BIND` at once, as libgomp has it. Default: none
    {.name = "GOMP_CPU_AFFINITY",
     .parse = parse_cpu_affinity, // shown as OMP_PLACES
     .takes = "numbers of CPUs, as 0-3 or 0 4-12:2",
     .overridden_by = {"KMP_AFFINITY"}},
    /// `OMP_WAIT_POLICY`, as libgomp has it. Default: none
    {.name = "GOMP_SPINCOUNT", .parse = parse_spincount, .takes = "a whole number, or infinite"},
    /// As `OMP_STACKSIZE`
    {.name = "GOMP_STACKSIZE",
     .parse = parse_stack_size,
     .least = 1024,
     .takes = "a size, as 16M: a whole number, then perhaps B, K, M, G or T",
     .overridden_by = {"KMP_STACKSIZE"}},

    without_effect("KMP_ABORT_DELAY"),
    without_effect("KMP_ADAPTIVE_LOCK_PROPS"),
    /// `OMP_PLACES` and `OMP_PROC_BIND` at once, as libomp has it. Default: none
    {.name = "KMP_AFFINITY",
     .parse = parse_kmp_affinity,
     .show = show_kmp_affinity,
     .takes_precedence = names_affinity_type},
    without_effect("KMP_ALIGN_ALLOC"),
    without_effect("KMP_ALL_THREADPRIVATE"),
    /// Obsolete: taken as `KMP_DEVICE_THREAD_LIMIT`, with a line that says so
    {.name = "KMP_ALL_THREADS",
     .parse = parse_thread_limit,
     .least = 1,
     .most = INT_MAX,
     .overridden_by = {"KMP_DEVICE_THREAD_LIMIT"},
     .obsolete_for = "KMP_DEVICE_THREAD_LIMIT"},
    without_effect("KMP_ATOMIC_MODE"),
    /// How long an idle thread spins before it sleeps; 200 means milliseconds. Default: 5 ms (libomp's: 200 ms)
    {.name = "KMP_BLOCKTIME",
     .parse = parse_blocktime,
     .show = show_blocktime,
     .takes = "a time, as 200 or 200ms, 50us or 2s, or infinite"},
    without_effect("KMP_CONSISTENCY_CHECK"),
    {.name = "KMP_CPUINFO_FILE", .names_file = true},
    /// 1: reductions are done by a tree, whose sums are the same from run to run with as many threads; not with
    /// `OMP_CANCELLATION=true`, where a lock orders them, since a cancelled thread brings nothing
    {.name = "KMP_DETERMINISTIC_REDUCTION",
     .parse = parse_deterministic_reduction,
     .show = show_deterministic_reduction,
     .takes = "true or false",
     .overridden_by = {"KMP_FORCE_REDUCTION"}},
    /// As `OMP_THREAD_LIMIT`; the smaller one holds
    {.name = "KMP_DEVICE_THREAD_LIMIT",
     .parse = parse_thread_limit,
     .show = show_int_setting,
     .where = &config.device_thread_limit,
     .least = 1,
     .most = INT_MAX},
    // The value is only checked: how many loops may be in flight is fixed (kLoopSlots in loops/worksharing_state.h).
    {.name = "KMP_DISP_NUM_BUFFERS",
     .parse = parse_int_setting,
     .where = &pending.loops_in_flight,
     .least = 1,
     .most = 4096},
    /// 1: a second OpenMP runtime in the process gets no warning. Default: 0
    boolean("KMP_DUPLICATE_LIB_OK", &config.duplicate_lib_ok),
    choice("KMP_DYNAMIC_MODE", &config.dynamic_mode, kDynamicModes),
    /// 0: a thread queues tasks without bound instead of running some at once. Default: 1
    boolean("KMP_ENABLE_TASK_THROTTLING", &config.task_throttling),
    /// 1: each thread gets the iterations of a dynamic loop in their order, which GCC's code always does. Default: 0
    boolean("KMP_FORCE_MONOTONIC_DYNAMIC_SCHEDULE", &config.monotonic_loops),
    /// How reductions of a region are done: `critical`, `atomic`, `tree`
    choice("KMP_FORCE_REDUCTION", &config.force_reduction, kReductions),
    without_effect("KMP_FOREIGN_THREADS_THREADPRIVATE"),
    without_effect("KMP_FORKJOIN_BARRIER"),
    without_effect("KMP_FORKJOIN_BARRIER_PATTERN"),
    without_effect("KMP_FORKJOIN_FRAMES"),
    without_effect("KMP_FORKJOIN_FRAMES_MODE"),
    without_effect("KMP_GTID_MODE"),
    without_effect("KMP_HANDLE_SIGNALS"),
    {.name = "KMP_HIDDEN_HELPER_AFFINITY", .parse = parse_hidden_helper_affinity},
    integer("KMP_HOT_TEAMS_MAX_LEVEL", &config.hot_teams_max_level, 0),
    integer("KMP_HOT_TEAMS_MODE", &config.hot_teams_mode, 0, 1),
    /// The sockets, cores and threads of the machine that are used. Default: all
    {.name = "KMP_HW_SUBSET",
     .parse = parse_hw_subset,
     .show = show_text_setting,
     .where = &config.hw_subset,
     .takes = "numbers of levels, as 1s,4c,1t: sockets, cores of each, threads of each"},
    /// 0: threads of a region keep their own rounding mode, and other floating-point control
    boolean("KMP_INHERIT_FP_CONTROL", &config.inherit_fp_control),
    boolean("KMP_INIT_AT_FORK", &config.init_at_fork),
    without_effect("KMP_ITT_PREPARE_DELAY"),
    /// `OMP_WAIT_POLICY`, as libomp has it. Default: none
    {.name = "KMP_LIBRARY",
     .parse = parse_library,
     .show = show_library,
     .takes = "throughput, turnaround or serial"}, // after KMP_BLOCKTIME
    without_effect("KMP_LOAD_BALANCE_INTERVAL"),
    without_effect("KMP_LOCK_KIND"),
    without_effect("KMP_MALLOC_POOL_INCR"),
    without_effect("KMP_MWAIT_HINTS"),
    integer("KMP_NESTING_MODE", &config.nesting_mode, 0),
    without_effect("KMP_NUM_LOCKS_IN_BLOCK"),
    /// Obsolete: taken as `KMP_HW_SUBSET`, with a line that says so
    {.name = "KMP_PLACE_THREADS",
     .parse = parse_hw_subset,
     .where = &config.hw_subset,
     .overridden_by = {"KMP_HW_SUBSET"},
     .obsolete_for = "KMP_HW_SUBSET"},
    without_effect("KMP_PLAIN_BARRIER"),
    without_effect("KMP_PLAIN_BARRIER_PATTERN"),
    without_effect("KMP_REDUCTION_BARRIER"),
    without_effect("KMP_REDUCTION_BARRIER_PATTERN"),
    {.name = "KMP_SCHEDULE",
     .parse = parse_kmp_schedule,
     .show = show_kmp_schedule,
     .takes = "static,balanced or static,greedy"},
    /// Prints what was set and what is in force. Default: `false`
    boolean("KMP_SETTINGS", &pending.show_settings),
    without_effect("KMP_SPIN_BACKOFF_PARAMS"),
    without_effect("KMP_STACKOFFSET"),
    without_effect("KMP_STACKPAD"),
    /// As `OMP_STACKSIZE`
    {.name = "KMP_STACKSIZE",
     .parse = parse_stack_size,
     .show = show_stack_size,
     .least = 1,
     .takes = "a size, as 16M: a whole number, then perhaps B, K, M, G or T"},
    without_effect("KMP_STATS_EVENTS"),
    without_effect("KMP_STATS_EVENTS_FILE"),
    without_effect("KMP_STATS_FILE"),
    without_effect("KMP_STATS_THREADS"),
    without_effect("KMP_STORAGE_MAP"),
    integer("KMP_TASKING", &config.tasking, 0, 2),
    integer("KMP_TASKLOOP_MIN_TASKS", &config.taskloop_min_tasks, 0),
    /// 0: a thread that waits in a tied task may run any task
    boolean("KMP_TASK_STEALING_CONSTRAINT", &config.task_stealing_constraint),
    /// How the teams of a `teams` construct are spread over the places
    {.name = "KMP_TEAMS_PROC_BIND",
     .parse = parse_teams_proc_bind,
     .show = show_teams_proc_bind,
     .takes = "primary, close or spread"},
    /// As `OMP_TEAMS_THREAD_LIMIT`, also where the program says more; where nobody says, the CPUs
    {.name = "KMP_TEAMS_THREAD_LIMIT",
     .parse = parse_int_setting,
     .show = show_teams_thread_limit,
     .where = &config.kmp_teams_thread_limit,
     .least = 1,
     .most = INT_MAX},
    without_effect("KMP_TOPOLOGY_METHOD"),
    without_effect("KMP_TPAUSE"),
    without_effect("KMP_USER_LEVEL_MWAIT"),
    /// Whether a spinning thread yields: 0 never, 1 always, 2 when there are more threads than CPUs
    integer("KMP_USE_YIELD", &config.use_yield, 0, 2),
    /// Prints whose library it is. Default: `false`
    boolean("KMP_VERSION", &pending.show_version),
    /// 0: no warnings. Default: 1
    boolean("KMP_WARNINGS", &pending.warnings),

    /// How many threads run tasks of `target nowait` beside the program's; 0: none. Default: 8
    integer("LIBOMP_NUM_HIDDEN_HELPER_THREADS", &config.helpers, 0),
    /// Whether they do. Default: where there are devices
    choice("LIBOMP_USE_HIDDEN_HELPER_TASK", &config.use_helpers, kUseHelpers),

    /// What the line of `OMP_DISPLAY_AFFINITY` looks like: `%n` the thread, `%A` its CPUs, and so on as in OpenMP.
    /// Default: as libomp's
    {.name = "OMP_AFFINITY_FORMAT", .parse = parse_affinity_format, .show = show_affinity_format},
    /// The default allocator, or a memory space with traits: `omp_default_mem_space:alignment=64`
    {.name = "OMP_ALLOCATOR",
     .parse = parse_allocator,
     .show = show_allocator,
     .where = &config.allocator,
     .names = kAllocators,
     .name_count = sizeof kAllocators / sizeof *kAllocators},
    without_effect("OMP_AVAILABLE_DEVICES"), // there are no devices
    /// Whether `cancel` does something. Default: `false`
    boolean("OMP_CANCELLATION", &config.cancellation),
    /// `enabled`: a line says what debuggers find here
    {.name = "OMP_DEBUG", .parse = parse_debug, .takes = "enabled or disabled"},
    /// What `omp_get_default_device()` answers
    integer("OMP_DEFAULT_DEVICE", &config.default_device, 0),
    /// Prints a line for each thread that says where it is bound. Default: `false`
    boolean("OMP_DISPLAY_AFFINITY", &config.display_affinity),
    /// Prints what is in force, and which runtime answers; `verbose`: everything. Default: `false`
    {.name = "OMP_DISPLAY_ENV",
     .parse = parse_display_env,
     .show = show_display_env,
     .takes = "true, false or verbose"},
    /// Regions may have fewer threads than they ask for: they share the CPUs, and small ones have as many as they
    /// are worth, see [threads.md](threads.md).
    /// Default: `false`
    boolean("OMP_DYNAMIC", &config.dynamic),
    /// How many regions inside one another have more than one thread. Default: 1; more where a list of a setting
    /// has more levels
    {.name = "OMP_MAX_ACTIVE_LEVELS",
     .parse = parse_max_active_levels,
     .show = show_int_setting,
     .where = &config.max_active_levels,
     .least = 0,
     .most = INT_MAX},
    /// The largest priority that a task may have; 0: priorities do nothing. Default: 0
    integer("OMP_MAX_TASK_PRIORITY", &config.max_task_priority, 0),
    /// Obsolete: taken as `OMP_MAX_ACTIVE_LEVELS`, with a line that says so
    {.name = "OMP_NESTED", .parse = parse_nested, .obsolete_for = "OMP_MAX_ACTIVE_LEVELS"}, // after it
    /// Teams of a `teams` construct that does not say how many
    integer("OMP_NUM_TEAMS", &config.num_teams, 1),
    /// Threads per region, one number per nesting level. Default: the CPUs of the affinity mask, within the
    /// container's CPU quota; a rank's share of them
    {.name = "OMP_NUM_THREADS",
     .parse = parse_num_threads,
     .show = show_num_threads,
     .takes =
         "a whole number from 1, as 8, or one for each nesting level, as 8,2; or all"}, // after OMP_MAX_ACTIVE_LEVELS
    /// The places that threads are bound to. Default: `cores` where threads are bound
    {.name = "OMP_PLACES",
     .parse = parse_places_setting,
     .show = show_places,
     .takes = "threads, cores, ll_caches, numa_domains or sockets, perhaps with a number, as cores(4); or lists, as "
              "{0,1},{2,3} or {0:4}:2:4",
     .overridden_by = {"KMP_AFFINITY", "GOMP_CPU_AFFINITY"}},
    /// Whether threads are bound, and how they are spread over the places, one word per nesting level; see
    /// [threads.md](threads.md). Default: `false`: where the system likes
    {.name = "OMP_PROC_BIND",
     .parse = parse_proc_bind, // after OMP_MAX_ACTIVE_LEVELS
     .show = show_proc_bind,
     .takes = "true, false, primary, close or spread, of the latter three one for each nesting level, as spread,close",
     .overridden_by = {"KMP_AFFINITY", "GOMP_CPU_AFFINITY"}},
    /// What `schedule(runtime)` means, see [slow.md](slow.md#which-schedule-for-a-loop). Default: `static`;
    /// in GCC's code `dynamic,1`
    {.name = "OMP_SCHEDULE",
     .parse = parse_schedule,
     .show = show_schedule,
     .takes = "static, dynamic, guided or auto, then perhaps a chunk size, as dynamic,4"},
    /// Stack per thread. Default: the limit of the system (`ulimit -s`), within bounds; `chomp info` shows it
    {.name = "OMP_STACKSIZE",
     .parse = parse_stack_size,
     .show = show_stack_size,
     .least = 1024,
     .takes = "a size, as 16M: a whole number, then perhaps B, K, M, G or T",
     .overridden_by = {"KMP_STACKSIZE", "GOMP_STACKSIZE"}},
    /// What the offload library is told, which is another one
    choice("OMP_TARGET_OFFLOAD", &config.target_offload, kOffloads),
    /// Threads in each team of a `teams` construct, at most
    integer("OMP_TEAMS_THREAD_LIMIT", &config.teams_thread_limit, 1),
    /// Threads of a contention group that are kept for regions and for free agents, which run tasks with
    /// `threadset(omp_pool)`: `structured(2),free_agent(1)`. Default: one for regions
    {.name = "OMP_THREADS_RESERVE",
     .parse = parse_threads_reserve,
     .show = show_threads_reserve,
     .takes = "a whole number, or structured(n),free_agent(n)"},
    /// Threads of the program at the same time, at most. Default: none
    {.name = "OMP_THREAD_LIMIT",
     .parse = parse_thread_limit,
     .show = show_int_setting,
     .where = &config.thread_limit,
     .least = 1,
     .most = INT_MAX},
    /// `disabled`: no tool of the OMPT interface is looked for, see [tools.md](tools.md)
    {.name = "OMP_TOOL",
     .parse = parse_bool_setting,
     .show = show_enum_setting,
     .where = &config.tool,
     .names = kTools,
     .name_count = sizeof kTools / sizeof *kTools},
    /// The tools' files, the first that wants to be one is taken; ignored in set-uid programs
    {.name = "OMP_TOOL_LIBRARIES",
     .parse = parse_text_setting,
     .show = show_text_setting,
     .where = &config.tool_libraries,
     .names_file = true},
    /// Says which tools were looked at: `stdout`, `stderr` or a file
    {.name = "OMP_TOOL_VERBOSE_INIT",
     .parse = parse_text_setting,
     .show = show_text_setting,
     .where = &config.tool_verbose_init,
     .names_file = true},
    /// Whether an idle thread waits awake (`active`; not where others want its CPU) or soon sleeps (`passive`).
    /// Default:
    /// in between: `KMP_BLOCKTIME`
    {.name = "OMP_WAIT_POLICY",
     .parse = parse_wait_policy, // after KMP_BLOCKTIME
     .show = show_wait_policy,
     .takes = "active or passive",
     .overridden_by = {"KMP_LIBRARY"}},
};

// Read by the topology (topology.cpp), which gives it to hwloc:
/// HWLOC_SYNTHETIC: A made-up machine, hwloc's syntax: shapes the domains only; see
/// [threads.md](threads.md#made-up-machines). Default: the real machine

constexpr int kRows = sizeof kTable / sizeof *kTable;

constexpr bool alphabetical() {
  for (int i = 1; i < kRows; i++) {
    const char* a = kTable[i - 1].name;
    const char* b = kTable[i].name;
    while (*a && *a == *b) a++, b++;
    if (*a >= *b) return false;
  }
  return true;
}
static_assert(alphabetical());

/// The user's text for each row; null: not given.
constinit const char* given[kRows] = {};

} // namespace

constinit const SettingsTable settings = {kTable, kRows, given};

int SettingsTable::find(std::string_view name) const {
  for (int i = 0; i < count; i++)
    if (name == rows[i].name) return i;
  return -1;
}

} // namespace chomp
