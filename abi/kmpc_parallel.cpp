// Parallel regions, teams and questions about threads as Clang and Flang call them. Compiled code caches the gtid that
// it passes, so it may be stale: chomp asks the calling thread instead.
#include <stdarg.h>

#include "abi/abi.h"
#include "runtime/core/icv.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/core/program_call.h"
#include "runtime/teams/league.h"
#include "runtime/teams/region.h"
#include "runtime/threads/thread_pool.h"

using chomp::this_worker;
using chomp::abi::Location;

namespace {

/// What `...` holds: one pointer per captured variable.
void collect(void** arguments, int32_t count, va_list list) {
  for (int32_t i = 0; i < count; ++i) arguments[i] = va_arg(list, void*);
}

// For a thread that chomp does not know yet.
__attribute__((noinline, cold)) int32_t first_thread_num() { return this_worker()->gtid; }

/// A serialised region whose code the program itself calls.
void announced_serial_region(chomp::Worker* worker, const void* site, const void* frame) {
  chomp::note_enter_frame(worker, frame); // until the region ends
  const void* outer_site = worker->observe.tool.site;
  worker->observe.tool.site = site;
  chomp::team_enter_serial(worker);
  worker->observe.tool.site = outer_site;
  *chomp::exit_frame_of(worker) = frame;
}

} // namespace

// ---- parallel -------------------------------------------------------------------------------------------------------

CHOMP_EXPORT void __kmpc_fork_call(Location*, int32_t count, chomp::Microtask microtask, ...) {
  void** arguments = static_cast<void**>(__builtin_alloca(sizeof(void*) * static_cast<size_t>(count + 1)));
  va_list list;
  va_start(list, microtask);
  collect(arguments, count, list);
  va_end(list);
  chomp::Worker* worker = this_worker();
  CHOMP_PROGRAM_CALL(worker);
  chomp::team_fork(worker, microtask, count, arguments, chomp::RegionForm::kBodyIsMicrotask);
}

/// `arguments`: a pointer to all captured variables, or null.
CHOMP_EXPORT void __kmpc_fork_call_if(Location*, int32_t, chomp::Microtask microtask, int32_t condition,
                                      void* arguments) {
  chomp::Worker* worker = this_worker();
  CHOMP_PROGRAM_CALL(worker);
  chomp::team_fork(worker, microtask, arguments != nullptr, &arguments,
                   condition != 0 ? chomp::RegionForm::kBodyIsMicrotask : chomp::RegionForm::kSerial);
}

CHOMP_EXPORT void __kmpc_serialized_parallel(Location*, int32_t) {
  chomp::Worker* worker = this_worker();
  if (chomp::announcing())
    announced_serial_region(worker, __builtin_return_address(0), __builtin_frame_address(0));
  else
    chomp::team_enter_serial(worker);
}
CHOMP_EXPORT void __kmpc_end_serialized_parallel(Location*, int32_t) {
  chomp::Worker* worker = this_worker();
  chomp::team_leave_serial(worker);
  if (chomp::announcing()) chomp::note_enter_frame(worker, nullptr);
}

CHOMP_EXPORT int32_t __kmpc_ok_to_fork(Location*) { return 1; }

/// Calls the body of the calling thread's region once more.
CHOMP_EXPORT int __kmpc_invoke_task_func(int32_t) { return chomp::team_call_microtask(this_worker()); }

// ---- clauses of the next region -------------------------------------------------------------------------------------

CHOMP_EXPORT void __kmpc_push_num_threads(Location*, int32_t, int32_t count) {
  this_worker()->teams.next_region.num_threads = count;
}
CHOMP_EXPORT void __kmpc_push_num_threads_strict(Location* location, int32_t, int32_t count, int severity,
                                                 const char* message) {
  this_worker()->teams.next_region.num_threads = count;
  this_worker()->teams.next_region.strict = {severity, message, chomp::abi::source_of(location)};
}
CHOMP_EXPORT void __kmpc_push_num_threads_list(Location*, int32_t, uint32_t length, const int32_t* counts) {
  chomp::team_request_threads(this_worker(), counts, length);
}
CHOMP_EXPORT void __kmpc_push_num_threads_list_strict(Location* location, int32_t, uint32_t length,
                                                      const int32_t* counts, int severity, const char* message) {
  chomp::team_request_threads(this_worker(), counts, length);
  this_worker()->teams.next_region.strict = {severity, message, chomp::abi::source_of(location)};
}
CHOMP_EXPORT void __kmpc_pop_num_threads(Location*, int32_t) {}

/// `kind` is an omp_proc_bind_t, but Clang has a number of its own for `primary` (which libomp takes for another kind).
CHOMP_EXPORT void __kmpc_push_proc_bind(Location*, int32_t, int kind) {
  constexpr int kMaster = 2, kSpread = 4, kClangsPrimary = 5;
  if (kind == kClangsPrimary) kind = kMaster;
  this_worker()->teams.next_region.proc_bind = kind >= 0 && kind <= kSpread ? kind : -1; // larger: as the ICV says
}

CHOMP_EXPORT void __kmpc_set_thread_limit(Location*, int32_t, int32_t limit) {
  chomp::thread_limit_change(this_worker(), limit);
}

// ---- teams ----------------------------------------------------------------------------------------------------------

CHOMP_EXPORT void __kmpc_push_num_teams(Location*, int32_t, int32_t teams, int32_t thread_limit) {
  chomp::league_request(this_worker(), teams, teams, thread_limit);
}
CHOMP_EXPORT void __kmpc_push_num_teams_51(Location*, int32_t, int32_t lowest, int32_t highest, int32_t thread_limit) {
  chomp::league_request(this_worker(), lowest, highest, thread_limit);
}

CHOMP_EXPORT void __kmpc_fork_teams(Location*, int32_t count, chomp::Microtask microtask, ...) {
  void** arguments = static_cast<void**>(__builtin_alloca(sizeof(void*) * static_cast<size_t>(count + 1)));
  va_list list;
  va_start(list, microtask);
  collect(arguments, count, list);
  va_end(list);
  chomp::Worker* worker = this_worker();
  CHOMP_PROGRAM_CALL(worker);
  chomp::league_run(worker, microtask, count, arguments);
}

// ---- the calling thread and its task --------------------------------------------------------------------------------

CHOMP_EXPORT int32_t __kmpc_global_thread_num(Location*) {
  chomp::Worker* worker = chomp::tls_worker;
  return CHOMP_LIKELY(worker != nullptr) ? worker->gtid : first_thread_num();
}
CHOMP_EXPORT int32_t __kmpc_global_num_threads(Location*) {
  this_worker();
  return chomp::workers_alive();
}
CHOMP_EXPORT int32_t __kmpc_bound_thread_num(Location*) { return this_worker()->member->number; }
CHOMP_EXPORT int32_t __kmpc_bound_num_threads(Location*) { return chomp::bound_team(this_worker()->member)->size(); }
CHOMP_EXPORT int32_t __kmpc_in_parallel(Location*) { return this_worker()->member->team->active_level > 0; }

/// Identifies the current task while that exists.
CHOMP_EXPORT uint64_t __kmpc_get_taskid(void) { return reinterpret_cast<uint64_t>(this_worker()->current); }
CHOMP_EXPORT uint64_t __kmpc_get_parent_taskid(void) { return this_worker()->current->number_of_parent(); }
