// Parallel regions and teams as GCC's code calls them. A region's body is a function of one pointer. Combined
// constructs (parallel loops and sections) pass the loop, too: each member enters it, and then calls the body, which
// begins with GOMP_loop_…_next.
//
// GCC 4.8 and older call GOMP_parallel_start, run the primary's part themselves, and call GOMP_parallel_end.
#include "abi/gomp_loop.h"

#include <limits.h>

#include "abi/abi.h"
#include "abi/gomp_reduction.h"
#include "runtime/core/team.h"
#include "runtime/core/program_call.h"
#include "runtime/teams/league.h"
#include "runtime/teams/region.h"

using chomp::ScheduleClause;
using chomp::this_worker;
using chomp::Worker;
using namespace chomp::abi;

namespace {

using Body = void (*)(void* data);

constexpr unsigned kProcBindMask = 7; // of `flags`; 0: no clause

/// Notes the clauses of the next region; `count` 0: no clause. if(0) is a count of 1.
Worker* worker_with_clauses(unsigned count, unsigned flags) {
  Worker* worker = this_worker();
  worker->teams.next_region.num_threads = count < INT_MAX ? static_cast<int>(count) : INT_MAX;
  if ((flags & kProcBindMask) != 0) worker->teams.next_region.proc_bind = static_cast<int>(flags & kProcBindMask);
  return worker;
}

struct Region {
  chomp::Microtask microtask;
  int count;
  void* arguments[chomp::kMostKeptArguments];

  void run(Worker* worker) {
    chomp::team_fork(worker, microtask, count, arguments, chomp::RegionForm::kBodyIsArgument);
  }
  void begin(Worker* worker) {
    chomp::team_begin(worker, microtask, count, arguments, chomp::RegionForm::kBodyIsArgument);
  }
};

void run_body(int32_t*, int32_t*, Body body, void* data) { body(data); }

void run_reducing_body(int32_t*, int32_t*, Body body, void* data) {
  Worker* worker = this_worker();
  enter_parallel_reductions(worker, *static_cast<uintptr_t**>(data));
  body(data);
  leave_parallel_reductions(worker);
}

void run_loop_body(int32_t*, int32_t*, Body body, void* data, ScheduleClause clause, long start, long end, long incr,
                   long chunk) {
  enter_loop(this_worker(), LoopBounds<long>{incr > 0, start, end, incr, (void*)body}, clause, chunk, false);
  body(data);
}

void run_sections_body(int32_t*, int32_t*, Body body, void* data, unsigned count) {
  enter_sections(this_worker(), count, (void*)body);
  body(data);
}

template <class Function> chomp::Microtask microtask(Function* function) {
  return reinterpret_cast<chomp::Microtask>(function);
}

template <class T> void* word(T value) {
  static_assert(sizeof(T) <= sizeof(void*));
  return reinterpret_cast<void*>(static_cast<uintptr_t>(value));
}

Region plain_region(Body body, void* data) { return {microtask(run_body), 2, {(void*)body, data}}; }

Region loop_region(Body body, void* data, ScheduleClause clause, long start, long end, long incr, long chunk) {
  return {microtask(run_loop_body),
          7,
          {(void*)body, data, word(static_cast<int>(clause)), word(start), word(end), word(incr), word(chunk)}};
}

Region sections_region(Body body, void* data, unsigned count) {
  return {microtask(run_sections_body), 3, {(void*)body, data, word(count)}};
}

} // namespace

// ---- parallel -------------------------------------------------------------------------------------------------------

CHOMP_EXPORT void GOMP_parallel(Body body, void* data, unsigned count, unsigned flags) {
  Worker* worker = worker_with_clauses(count, flags);
  CHOMP_PROGRAM_CALL(worker);
  plain_region(body, data).run(worker);
}

CHOMP_EXPORT void GOMP_parallel_start(Body body, void* data, unsigned count) {
  Worker* worker = worker_with_clauses(count, 0);
  if (chomp::announcing()) worker->observe.tool.site = __builtin_return_address(0);
  plain_region(body, data).begin(worker);
}

CHOMP_EXPORT void GOMP_parallel_end(void) { chomp::team_end(this_worker()); }

/// With reduction(task, …): the first word of `data` points to the reductions. Returns the size that the team had.
CHOMP_EXPORT unsigned GOMP_parallel_reductions(Body body, void* data, unsigned count, unsigned flags) {
  Worker* worker = worker_with_clauses(count, flags);
  CHOMP_PROGRAM_CALL(worker);
  Region region{microtask(run_reducing_body), 2, {(void*)body, data}};
  region.begin(worker);
  auto size = static_cast<unsigned>(worker->member->team->size());
  run_reducing_body(nullptr, nullptr, body, data);
  chomp::team_end(worker);
  return size;
}

// ---- parallel loops, parallel sections ------------------------------------------------------------------------------

#define PARALLEL_LOOP(name, clause)                                                                                    \
  CHOMP_EXPORT void GOMP_parallel_loop_##name(Body body, void* data, unsigned count, long start, long end, long incr,  \
                                              long chunk, unsigned flags) {                                            \
    Worker* worker = worker_with_clauses(count, flags);                                                                \
    CHOMP_PROGRAM_CALL(worker);                                                                                        \
    loop_region(body, data, ScheduleClause::clause, start, end, incr, chunk).run(worker);                              \
  }
PARALLEL_LOOP(static, kStatic)
PARALLEL_LOOP(dynamic, kDynamic)
PARALLEL_LOOP(guided, kGuided)
PARALLEL_LOOP(nonmonotonic_dynamic, kDynamic)
PARALLEL_LOOP(nonmonotonic_guided, kGuided)

#define PARALLEL_LOOP_RUNTIME(name, clause)                                                                            \
  CHOMP_EXPORT void GOMP_parallel_loop_##name(Body body, void* data, unsigned count, long start, long end, long incr,  \
                                              unsigned flags) {                                                        \
    Worker* worker = worker_with_clauses(count, flags);                                                                \
    CHOMP_PROGRAM_CALL(worker);                                                                                        \
    loop_region(body, data, ScheduleClause::clause, start, end, incr, 0).run(worker);                                  \
  }
PARALLEL_LOOP_RUNTIME(runtime, kRuntime)
PARALLEL_LOOP_RUNTIME(nonmonotonic_runtime, kRuntimeNonmonotonic)
PARALLEL_LOOP_RUNTIME(maybe_nonmonotonic_runtime, kRuntimeNonmonotonic)

CHOMP_EXPORT void GOMP_parallel_sections(Body body, void* data, unsigned count, unsigned sections, unsigned flags) {
  Worker* worker = worker_with_clauses(count, flags);
  CHOMP_PROGRAM_CALL(worker);
  sections_region(body, data, sections).run(worker);
}

// The primary enters the loop here, and runs the body on return.

static void begin_parallel_loop(Body body, void* data, unsigned count, ScheduleClause clause, long start, long end,
                                long incr, long chunk) {
  Worker* worker = worker_with_clauses(count, 0);
  loop_region(body, data, clause, start, end, incr, chunk).begin(worker);
  enter_loop(worker, LoopBounds<long>{incr > 0, start, end, incr, (void*)body}, clause, chunk, false);
}

#define PARALLEL_LOOP_START(name, clause)                                                                              \
  CHOMP_EXPORT void GOMP_parallel_loop_##name##_start(Body body, void* data, unsigned count, long start, long end,     \
                                                      long incr, long chunk) {                                         \
    begin_parallel_loop(body, data, count, ScheduleClause::clause, start, end, incr, chunk);                           \
  }
PARALLEL_LOOP_START(static, kStatic)
PARALLEL_LOOP_START(dynamic, kDynamic)
PARALLEL_LOOP_START(guided, kGuided)

CHOMP_EXPORT void GOMP_parallel_loop_runtime_start(Body body, void* data, unsigned count, long start, long end,
                                                   long incr) {
  begin_parallel_loop(body, data, count, ScheduleClause::kRuntime, start, end, incr, 0);
}

CHOMP_EXPORT void GOMP_parallel_sections_start(Body body, void* data, unsigned count, unsigned sections) {
  Worker* worker = worker_with_clauses(count, 0);
  sections_region(body, data, sections).begin(worker);
  enter_sections(worker, sections);
}

// ---- teams ----------------------------------------------------------------------------------------------------------

static int32_t limit_of(unsigned clause) { return clause < INT_MAX ? static_cast<int32_t>(clause) : INT_MAX; }

CHOMP_EXPORT void GOMP_teams_reg(Body body, void* data, unsigned teams, unsigned thread_limit, unsigned) {
  Worker* worker = this_worker();
  CHOMP_PROGRAM_CALL(worker);
  chomp::league_request(worker, limit_of(teams), limit_of(teams), limit_of(thread_limit));
  void* arguments[] = {(void*)body, data};
  chomp::league_run(worker, microtask(run_body), 2, arguments);
}

/// league_next(), called by the program at `site` through the entry point whose frame is `frame`.
static bool announced_league_next(Worker* worker, bool first, const void* site, const void* frame) {
  if (first) chomp::note_enter_frame(worker, frame); // until the last team has ended
  const void* outer_site = worker->observe.tool.site;
  worker->observe.tool.site = site;
  bool entered = chomp::league_next(worker, first);
  worker->observe.tool.site = outer_site;
  if (entered)
    *chomp::exit_frame_of(worker) = frame;
  else
    chomp::note_enter_frame(worker, nullptr);
  return entered;
}

/// teams in a target region on the host. From GCC 12 on, compiled code runs the body as long as the answer is yes;
/// `first` is false from the second call on.
CHOMP_EXPORT bool GOMP_teams4(unsigned lowest, unsigned highest, unsigned thread_limit, Argument<bool> first) {
  Worker* worker = this_worker();
  chomp::league_request(worker, limit_of(lowest), limit_of(highest), limit_of(thread_limit));
  if (chomp::announcing())
    return announced_league_next(worker, first, __builtin_return_address(0), __builtin_frame_address(0));
  return chomp::league_next(worker, first);
}

/// The same for older code, which runs the body once, so the league has one team. The limit ends with the target
/// region.
CHOMP_EXPORT void GOMP_teams(unsigned, unsigned thread_limit) {
  chomp::thread_limit_change(this_worker(), limit_of(thread_limit));
}
