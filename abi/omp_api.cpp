// The routines of OpenMP's chapter 18 that get and set: threads, teams, internal control variables, places; and Intel's
// kmp_ settings. C names only; the Fortran ones are in fortran_names.cpp. Per-task variables go through
// runtime/core/icv.h, the others through the settings in force (runtime/config/config.h).
#include <algorithm>
#include <climits>

#include "abi/abi.h"
#include "abi/omp_c_api.h"
#include "runtime/config/config.h"
#include "runtime/core/icv.h"
#include "runtime/core/task.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/machine/topology.h"
#include "runtime/memory/devices.h"
#include "runtime/threads/affinity.h"
#include "runtime/threads/binding.h"
#include "runtime/startup.h"
#include "runtime/teams/league.h"
#include "runtime/threads/free_agents.h"
#include "runtime/threads/thread_pool.h"

using chomp::config;
using chomp::Icvs;
using chomp::icvs;
using chomp::Member;
using chomp::Team;
using chomp::this_worker;

namespace {

const Team* this_team() { return this_worker()->member->team; }

int size_of_team(const Member* member) {
  return member->team->helps ? member->team->size() : chomp::bound_team(member)->size();
}

/// The settings, after the environment has been read.
chomp::Config& settings() {
  this_worker();
  return config;
}

/// Sets one variable of the current task.
template <auto field, class Value> void set_icv(Value value) {
  chomp::icv_change(
      this_worker(), [](Icvs& icvs, const void* argument) { icvs.*field = *static_cast<const Value*>(argument); },
      &value);
}

} // namespace

// ---- threads (18.2) -------------------------------------------------------------------------------------------------

CHOMP_EXPORT void omp_set_num_threads(int count) { chomp::icv_set_num_threads(this_worker(), std::max(count, 1)); }
CHOMP_EXPORT int omp_get_num_threads(void) { return size_of_team(this_worker()->member); }
CHOMP_EXPORT int omp_get_max_threads(void) { return icvs(this_worker()).num_threads; }
static __attribute__((noinline, cold)) int number_of_new_thread() { return this_worker()->member->number; }
CHOMP_EXPORT int omp_get_thread_num(void) {
  const chomp::Worker* worker = chomp::tls_worker;
  return CHOMP_LIKELY(worker != nullptr) ? worker->member->number : number_of_new_thread();
}
CHOMP_EXPORT int omp_get_num_procs(void) {
  this_worker();
  return chomp::topology.usable_cpus; // a container's CPU quota counts
}
CHOMP_EXPORT int omp_get_thread_limit(void) { return icvs(this_worker()).thread_limit; }
CHOMP_EXPORT int omp_in_parallel(void) { return this_team()->active_level > 0; }

CHOMP_EXPORT void omp_set_dynamic(int on) { set_icv<&Icvs::dynamic>(on != 0); }
CHOMP_EXPORT int omp_get_dynamic(void) { return icvs(this_worker()).dynamic; }

CHOMP_EXPORT void omp_set_schedule(int kind, int chunk) {
  uint32_t code = static_cast<uint32_t>(kind), plain = code & ~chomp::Schedule::kMonotonic;
  if ((plain < 1 || plain > 4) && plain != 101) return;
  set_icv<&Icvs::schedule>(chomp::Schedule{code, chunk < 1 || plain == 4 ? chomp::default_chunk(code) : chunk, true});
}
static void tell_schedule(const chomp::Schedule& schedule, int* kind, int* chunk) {
  *kind = static_cast<int>(schedule.kind);
  *chunk = schedule.chunk;
}
CHOMP_EXPORT void omp_get_schedule(int* kind, int* chunk) { tell_schedule(icvs(this_worker()).schedule, kind, chunk); }
extern "C" void gcc_omp_get_schedule(int* kind, int* chunk) {
  tell_schedule(schedule_in_gcc(icvs(this_worker())), kind, chunk);
}

// ---- nesting (18.2) -------------------------------------------------------------------------------------------------

CHOMP_EXPORT void omp_set_max_active_levels(int levels) {
  if (levels >= 0) set_icv<&Icvs::max_active_levels>(levels);
}
CHOMP_EXPORT int omp_get_max_active_levels(void) { return icvs(this_worker()).max_active_levels; }
CHOMP_EXPORT int omp_get_supported_active_levels(void) { return INT_MAX; }

/// Deprecated. Nesting means that more than one active level is allowed.
CHOMP_EXPORT void omp_set_nested(int on) {
  if (on != 0 && omp_get_max_active_levels() > 1) return;
  set_icv<&Icvs::max_active_levels>(on != 0 ? INT_MAX : 1);
}
CHOMP_EXPORT int omp_get_nested(void) { return omp_get_max_active_levels() > 1; }

CHOMP_EXPORT int omp_get_level(void) { return this_team()->level; }
CHOMP_EXPORT int omp_get_active_level(void) { return this_team()->active_level; }
CHOMP_EXPORT int omp_get_ancestor_thread_num(int level) {
  const Member* member = chomp::member_at_level(this_worker(), level);
  return member != nullptr ? member->number : -1;
}
CHOMP_EXPORT int omp_get_team_size(int level) {
  const Member* member = chomp::member_at_level(this_worker(), level);
  return member != nullptr ? size_of_team(member) : -1;
}

// ---- free agents (OpenMP 6.0, 23.1) ---------------------------------------------------------------------------------

CHOMP_EXPORT int omp_is_free_agent(void) { return chomp::is_free_agent(this_worker()->member); }
CHOMP_EXPORT int omp_ancestor_is_free_agent(int level) {
  return chomp::is_free_agent(chomp::member_at_level(this_worker(), level));
}

// ---- teams (18.4) ---------------------------------------------------------------------------------------------------

CHOMP_EXPORT int omp_get_num_teams(void) { return this_team()->league_size; }
CHOMP_EXPORT int omp_get_team_num(void) { return this_team()->team_number; }
CHOMP_EXPORT void omp_set_num_teams(int count) { settings().num_teams = count < 0 ? 1 : count; } // 0: no limit
CHOMP_EXPORT int omp_get_max_teams(void) { return settings().num_teams; }
CHOMP_EXPORT void omp_set_teams_thread_limit(int limit) { settings().teams_thread_limit = std::max(limit, 1); }
CHOMP_EXPORT int omp_get_teams_thread_limit(void) { return settings().teams_thread_limit; }

// ---- tasks (18.5), devices (18.7), resources (18.6), environment (18.15) --------------------------------------------

CHOMP_EXPORT int omp_in_final(void) { return this_worker()->current->is(chomp::kFinal); }
CHOMP_EXPORT int omp_in_explicit_task(void) { return !this_worker()->current->is(chomp::kImplicit); }
CHOMP_EXPORT int omp_get_max_task_priority(void) { return settings().max_task_priority; }

CHOMP_EXPORT void omp_set_default_device(int device) {
  if (device != chomp::kDefaultDevice) set_icv<&Icvs::default_device>(device);
}
CHOMP_EXPORT int omp_get_default_device(void) { return chomp::default_device(); }

CHOMP_EXPORT int __kmpc_pause_resource(int kind) { return chomp::runtime_pause(this_worker(), kind) ? 0 : -1; }
/// The same for one device. A tool can only be stopped for all devices.
CHOMP_EXPORT int omp_pause_resource(int kind, int device) {
  bool host = device == omp_get_initial_device() || device == -1;
  return host && kind != chomp::kPauseStopTool ? __kmpc_pause_resource(kind) : -1;
}
CHOMP_EXPORT int omp_pause_resource_all(int kind) { return __kmpc_pause_resource(kind); }

CHOMP_EXPORT void omp_display_env(int verbose) {
  this_worker();
  chomp::config_display(verbose != 0);
}

// ---- places and affinity (18.3) -------------------------------------------------------------------------------------

CHOMP_EXPORT int omp_get_proc_bind(void) { return chomp::binding_policy(this_worker()); }
CHOMP_EXPORT int omp_get_num_places(void) {
  this_worker();
  return chomp::binding_place_count();
}
CHOMP_EXPORT int omp_get_place_num_procs(int place) {
  this_worker();
  return chomp::binding_place_cpus(place, nullptr);
}
CHOMP_EXPORT void omp_get_place_proc_ids(int place, int* ids) {
  this_worker();
  chomp::binding_place_cpus(place, ids);
}
CHOMP_EXPORT int omp_get_place_num(void) { return chomp::binding_ask(this_worker()).place; }
CHOMP_EXPORT int omp_get_partition_num_places(void) { return chomp::binding_ask(this_worker()).count; }
CHOMP_EXPORT void omp_get_partition_place_nums(int* places) {
  chomp::Placement own = chomp::binding_ask(this_worker());
  for (int i = 0; i < own.count; i++) places[i] = own.first + i;
}

CHOMP_EXPORT void ompc_set_affinity_format(const char* format) {
  this_worker();
  chomp::affinity_format_set(format);
}
CHOMP_EXPORT size_t ompc_get_affinity_format(char* buffer, size_t size) {
  return chomp::affinity_copy(settings().affinity_format, buffer, size);
}
CHOMP_EXPORT void ompc_display_affinity(const char* format) { chomp::affinity_display(this_worker(), format); }
CHOMP_EXPORT size_t ompc_capture_affinity(char* buffer, size_t size, const char* format) {
  return chomp::affinity_capture(this_worker(), format, buffer, size);
}

CHOMP_EXPORT void kmp_create_affinity_mask(void** mask) { *mask = chomp::affinity_mask_make(); }
CHOMP_EXPORT void kmp_destroy_affinity_mask(void** mask) {
  chomp::affinity_mask_free(*mask);
  *mask = nullptr;
}
CHOMP_EXPORT int kmp_set_affinity(void** mask) { return chomp::affinity_mask_apply(this_worker(), *mask); }
CHOMP_EXPORT int kmp_get_affinity(void** mask) {
  this_worker();
  return chomp::affinity_mask_read(*mask);
}
CHOMP_EXPORT int kmp_get_affinity_max_proc(void) {
  this_worker();
  return chomp::affinity_mask_cpus();
}
CHOMP_EXPORT int kmp_set_affinity_mask_proc(int cpu, void** mask) {
  this_worker();
  return chomp::affinity_mask_set(*mask, cpu, true);
}
CHOMP_EXPORT int kmp_unset_affinity_mask_proc(int cpu, void** mask) {
  this_worker();
  return chomp::affinity_mask_set(*mask, cpu, false);
}
CHOMP_EXPORT int kmp_get_affinity_mask_proc(int cpu, void** mask) {
  this_worker();
  return chomp::affinity_mask_has(*mask, cpu);
}
CHOMP_EXPORT int kmp_set_thread_affinity_mask_initial(void) { return chomp::affinity_mask_restore(this_worker()); }

// ---- Intel's settings -----------------------------------------------------------------------------------------------

CHOMP_EXPORT void kmp_set_blocktime(int milliseconds) {
  settings().blocktime_us =
      milliseconds == INT_MAX ? chomp::kBlocktimeInfinite : int64_t{std::max(milliseconds, 0)} * 1000;
}
CHOMP_EXPORT int kmp_get_blocktime(void) {
  int64_t microseconds = settings().blocktime_us;
  return microseconds >= int64_t{INT_MAX} * 1000 ? INT_MAX : static_cast<int>(microseconds / 1000);
}

CHOMP_EXPORT void kmp_set_library(int kind) { // 1 serial, 2 turnaround, 3 throughput
  if (kind >= 1 && kind <= 3) settings().library = static_cast<chomp::Library>(kind - 1);
}
CHOMP_EXPORT int kmp_get_library(void) { return static_cast<int>(settings().library) + 1; }
CHOMP_EXPORT void kmp_set_library_serial(void) { kmp_set_library(1); }
CHOMP_EXPORT void kmp_set_library_turnaround(void) { kmp_set_library(2); }
CHOMP_EXPORT void kmp_set_library_throughput(void) { kmp_set_library(3); }

/// The size counts for threads that are made from now on.
CHOMP_EXPORT void kmp_set_stacksize_s(size_t bytes) {
  constexpr size_t kLeast = 64 << 10;
  settings().stack_size = std::max(bytes, kLeast);
}
CHOMP_EXPORT void kmp_set_stacksize(int bytes) { kmp_set_stacksize_s(static_cast<size_t>(std::max(bytes, 0))); }
CHOMP_EXPORT size_t kmp_get_stacksize_s(void) { return settings().stack_size; }
CHOMP_EXPORT int kmp_get_stacksize(void) { return static_cast<int>(std::min<size_t>(settings().stack_size, INT_MAX)); }

CHOMP_EXPORT int kmp_get_num_known_threads(void) {
  this_worker();
  return chomp::workers_alive();
}
