// The settings in force, read once from the environment at the first OpenMP construct (config.cpp). One table in
// settings_table.cpp names every variable, its parser and how OMP_DISPLAY_ENV prints it; the defaults are here. Nothing
// else reads a setting from the environment. A bad value gives one warning in libomp's form, then the default or the
// bound that was exceeded: never an abort, never garbage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "runtime/config/affinity_settings.h"
#include "runtime/base/policy.h"
#include "runtime/machine/topology.h"
#include "schedulers/scheduler.h"

namespace chomp {

/// The largest stack of a thread if no variable gives a size.
inline constexpr size_t kLargestDefaultStack = size_t{64} << 20;

enum class Library : uint8_t { kSerial, kTurnaround, kThroughput };
/// omp_proc_bind_t, and behind it kByThread, chomp's own: KMP_AFFINITY and GOMP_CPU_AFFINITY bind a thread by its
/// number.
enum class ProcBind : uint8_t { kFalse = 0, kTrue = 1, kPrimary = 2, kClose = 3, kSpread = 4, kByThread = 5 };
enum class TargetOffload : uint8_t { kDisabled, kDefault, kMandatory }; // what __kmpc_get_target_offload answers
enum class UseHelpers : uint8_t { kNo, kYes, kAuto };                   // the last: where there are devices
enum class Reduction : uint8_t { kAutomatic, kCritical, kAtomic, kTree };
enum class DynamicMode : uint8_t { kDefault, kLoadBalance, kThreadLimit, kRandom };

/// omp_sched_t values: static 1, dynamic 2, guided 3, auto 4, Intel's trapezoidal 101; the monotonic bit is 0x80000000.
struct Schedule {
  static constexpr uint32_t kMonotonic = 0x80000000u;

  uint32_t kind = 1;
  int chunk = 0;     // 0: static in one block per thread; the other kinds have at least 1
  bool said = false; // nobody has: static, or kScheduleOfGcc in its code

  bool operator==(const Schedule&) const = default;
};

/// What GCC's manual promises where OMP_SCHEDULE is not set: "dynamic scheduling and a chunk size of 1".
inline constexpr Schedule kScheduleOfGcc{.kind = 2, .chunk = 1};

/// The chunk if none is given (OpenMP 5.2, 11.5.1); omp_get_schedule shows it.
constexpr int default_chunk(uint32_t kind) { return (kind & ~Schedule::kMonotonic) == 1 ? 0 : 1; }

inline constexpr int kMaxNestingInLists = 16;
inline constexpr int kAllThreads = INT32_MAX;

/// The default of CHOMP_SCHEDULER if the program has a race detector. Such a tool sees races between threads only, and
/// tasks that nobody asks for stay with their creator. This scheduler deals each task to the next thread.
inline constexpr char kSchedulerForRaceDetectors[] = "fifo";
/// Whether that default is in force. (The library's own build with ThreadSanitizer tests the schedulers as they are.)
bool config_spreads_for_race_detector();
inline constexpr int64_t kBlocktimeInfinite = INT64_MAX;

/// The signal that asks for a stall report (stall/watchdog.h).
enum class WatchdogSignal : uint8_t { kNone, kQuit, kUser1, kUser2 };

/// OMP_ALLOCATOR as a memory space with traits (OpenMP 5.2, 21.5.1); the numbers are those of omp.h.
struct EnvironmentAllocator {
  static constexpr uint8_t kFirstFallback = 11, kAllocatorFallback = 14;
  uint8_t space = 0;
  uint8_t fallback = 0;           // 0: not given
  uint8_t fallback_allocator = 0; // a predefined one
  bool pinned = false;
  uint64_t alignment = 0; // a power of two; 0: not given
  uint64_t pool_size = 0; // bytes; 0: not given
};

struct Config {
  // OMP_NUM_THREADS, one entry per nesting level; count 0: not set.
  int num_threads[kMaxNestingInLists] = {};
  int num_threads_count = 0;
  bool dynamic = false;
  Schedule schedule; // OMP_SCHEDULE
  ProcBind proc_bind[kMaxNestingInLists] = {};
  int proc_bind_count = 0;
  size_t stack_size = 0; // bytes; KMP_STACKSIZE over GOMP_STACKSIZE over OMP_STACKSIZE; else RLIMIT_STACK
  int max_active_levels = 1;
  int thread_limit = INT32_MAX;        // the smaller of OMP_THREAD_LIMIT and KMP_DEVICE_THREAD_LIMIT; at least 1
  int device_thread_limit = INT32_MAX; // KMP_DEVICE_THREAD_LIMIT: of the process
  // OMP_THREADS_RESERVE: threads of a contention group that are kept from free agents, and from regions (OpenMP 6.0,
  // 4.3.10). kAllThreads only while settings are read.
  int reserved_structured = 1, reserved_free_agents = 0;
  int helpers = 8;                            // LIBOMP_NUM_HIDDEN_HELPER_THREADS
  UseHelpers use_helpers = UseHelpers::kAuto; // LIBOMP_USE_HIDDEN_HELPER_TASK
  bool cancellation = false;
  int max_task_priority = 0;
  int default_device = 0;
  bool needs_device = false; // OMP_TARGET_OFFLOAD is mandatory, and OMP_DEFAULT_DEVICE not set
  int num_teams = 0;
  int teams_thread_limit = 0;          // OMP_TEAMS_THREAD_LIMIT; 0: not set
  int kmp_teams_thread_limit = 0;      // KMP_TEAMS_THREAD_LIMIT, for each team, since they run in turn; 0: all CPUs
  bool teams_limit_is_default = false; // no variable gave kmp_teams_thread_limit
  TargetOffload target_offload = TargetOffload::kDefault;
  uint8_t allocator = 1; // OMP_ALLOCATOR: the number of a predefined allocator, of omp.h; 0: the next field
  EnvironmentAllocator environment_allocator;
  bool tool = true;                                     // OMP_TOOL
  const char* tool_libraries = nullptr;                 // OMP_TOOL_LIBRARIES; null in set-uid programs
  const char* tool_verbose_init = nullptr;              // OMP_TOOL_VERBOSE_INIT
  int64_t blocktime_us = policy::kDefaultSpinNs / 1000; // KMP_BLOCKTIME; kBlocktimeInfinite: for ever
  Library library = Library::kThroughput;
  bool task_throttling = true;                       // KMP_ENABLE_TASK_THROTTLING
  bool task_stealing_constraint = true;              // KMP_TASK_STEALING_CONSTRAINT
  Reduction force_reduction = Reduction::kAutomatic; // KMP_FORCE_REDUCTION, KMP_DETERMINISTIC_REDUCTION (a tree)
  bool inherit_fp_control = true;                    // KMP_INHERIT_FP_CONTROL
  bool monotonic_loops = false;                      // KMP_FORCE_MONOTONIC_DYNAMIC_SCHEDULE
  int use_yield = 1;               // KMP_USE_YIELD: 0 never, 1 always, 2 when there are more threads than CPUs
  AffinitySettings affinity;       // where threads run
  const char* hw_subset = nullptr; // KMP_HW_SUBSET as it was written
  bool duplicate_lib_ok = false;   // KMP_DUPLICATE_LIB_OK
  bool display_affinity = false;   // OMP_DISPLAY_AFFINITY
  char affinity_format[256] = "OMP: pid %P tid %i thread %n bound to OS proc set {%A}";
  // Read, checked and shown; nothing depends on them, since they speak of how libomp works inside. In the settings'
  // table such rows have no words for users.
  DynamicMode dynamic_mode = DynamicMode::kDefault; // KMP_DYNAMIC_MODE
  int hot_teams_max_level = 1;                      // KMP_HOT_TEAMS_MAX_LEVEL
  int hot_teams_mode = 0;                           // KMP_HOT_TEAMS_MODE
  bool init_at_fork = true;                         // KMP_INIT_AT_FORK
  int nesting_mode = 0;                             // KMP_NESTING_MODE
  bool static_greedy = false;                       // KMP_SCHEDULE
  int tasking = 2;                                  // KMP_TASKING
  int taskloop_min_tasks = 0;                       // KMP_TASKLOOP_MIN_TASKS
  // chomp's own
  char scheduler[32] = "hierarchical";           // CHOMP_SCHEDULER, one of scheduler_names()
  DomainLevel domain = DomainLevel::kDefault;    // CHOMP_DOMAIN
  StealAmount steal_amount = StealAmount::kIdle; // CHOMP_STEAL
  bool overflow_message = true;                  // CHOMP_OVERFLOW_MESSAGE
  bool rank_cores = true;                        // CHOMP_RANK_CORES
  int local_rank = 0, local_ranks = 1;           // no settings: the rank whose share was taken, of how many
  const char* record = nullptr;                  // CHOMP_RECORD: a file; null in set-uid programs
  uint64_t record_limit = 0;                     // CHOMP_RECORD_LIMIT: bytes of that file; 0: none
  bool stack_segments = true;                    // CHOMP_STACK_SEGMENTS
  const char* stats = nullptr;                   // CHOMP_STATS: a file, or a truth value; null in set-uid programs
  bool nested_light = false;                     // CHOMP_NESTED
  int thread_budget = 0;                         // CHOMP_THREAD_BUDGET; 0: auto, the CPUs that the process may use
  int watchdog_seconds = 0;                      // CHOMP_WATCHDOG; 0: none
  WatchdogSignal watchdog_signal = WatchdogSignal::kNone; // CHOMP_WATCHDOG_SIGNAL
  bool use_membarrier = true;                             // CHOMP_MEMBARRIER=0 forces real fences (tests)
};

/// The settings in force. Valid after config_read().
extern Config config;

/// Reads and checks the environment; prints warnings; prints the settings if OMP_DISPLAY_ENV asks. Called once, under
/// the start-up lock, after topology_count_cpus() (defaults depend on the number of CPUs).
void config_read();

/// What a text gives that counts for the task that says so, also if the setting was the same before.
struct GivenDefaults {
  bool num_threads = false, dynamic = false;
};

/// kmp_set_defaults: "NAME=value", several of them separated by '|'. Same warnings as for the environment.
GivenDefaults config_set_defaults(std::string_view text);

/// omp_display_env (OpenMP 5.2, 18.15): prints what is in force to standard error.
void config_display(bool verbose);

} // namespace chomp
