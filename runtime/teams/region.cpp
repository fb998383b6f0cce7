// Forking and joining regions. See region.h.
#include "runtime/teams/region.h"

#include <algorithm>
#include <string.h>

#include "runtime/machine/fp_control.h"
#include "runtime/base/log.h"
#include "runtime/config/config.h"
#include "runtime/core/events.h"
#include "runtime/core/worker.h"
#include "runtime/wait/light_thread.h"
#include "runtime/wait/work_loop.h"
#include "runtime/loops/worksharing.h"
#include "runtime/machine/topology.h"
#include "runtime/core/program_call.h"
#include "runtime/threads/affinity.h"
#include "runtime/threads/binding.h"
#include "runtime/stacks/stack_overflow.h"
#include "runtime/startup.h"
#include "runtime/tasks/cancel.h"
#include "runtime/teams/barrier.h"
#include "runtime/teams/implicit_task.h"
#include "runtime/threads/running_threads.h"
#include "runtime/wait/light_team.h"
#include "runtime/teams/region_size.h"
#include "runtime/teams/start_signal.h"
#include "runtime/teams/team_cache.h"
#include "runtime/threads/free_agents.h"
#include "runtime/threads/thread_budget.h"
#include "runtime/threads/thread_pool.h"

namespace chomp {
namespace {

// Whether the next region would be one active level more than there may be.
bool too_deep(const Worker* worker, const Icvs& now) {
  return worker->member->team->active_level >= now.max_active_levels;
}

// The size of the next region, from nthreads-var, limits and clauses (OpenMP 5.2, 10.1.1).
int region_size(Worker* worker) {
  const Icvs& now = icvs(worker);
  int size = worker->teams.next_region.num_threads > 0 ? worker->teams.next_region.num_threads : now.num_threads;
  if (too_deep(worker, now)) return 1;
  if (config.library == Library::kSerial) return 1;
  return std::max(std::min(size, now.thread_limit), 1);
}

// Whether the region may get fewer threads than were asked for (OpenMP 5.2, 10.1.1: dyn-var).
bool is_adjustable(const Worker* worker) {
  return icvs(worker).dynamic && worker->teams.next_region.strict.severity == 0;
}

// Where only the number of CPUs says how many threads regions have, it may have changed. But regions have no more than
// omp_get_max_threads() says, since programs have arrays of that size.
int follow_cpus(Worker* worker, int wanted) {
  const Icvs& now = icvs(worker);
  bool follows = now.follows_cpus && worker->teams.next_region.num_threads == 0 && !too_deep(worker, now);
  if (!follows || config.library == Library::kSerial || config.thread_budget > 0) return wanted;
  int threads = budget_threads();
  if (threads == 1) budget_look_again(worker, cycle_counter()); // else region_size_choose() does
  return std::min({threads, now.num_threads, now.thread_limit});
}

// Code of the region alone.
const void* site_of(RegionForm form, Microtask microtask, void** argv) {
  return form == RegionForm::kBodyIsArgument ? argv[0] : reinterpret_cast<const void*>(microtask);
}

// Takes threads for a region out of what thread-limit-var leaves to the contention group; returns the size that the
// region can have. Where there is no limit nothing is counted. OpenMP 5.2, 10.1.1.
int take_share_of_group(const Team* outer, int limit, int size) {
  if (limit == INT32_MAX || size == 1) return size;
  atomic<int64_t>& threads = outer->group->group_threads;
  int64_t busy = threads.load(std::memory_order_relaxed); // relaxed, all: a count
  int32_t granted;
  do {
    auto agents = static_cast<int32_t>(busy / Team::kOneAgent), others = static_cast<int32_t>(busy % Team::kOneAgent);
    int32_t reserved = std::max(agents, config.reserved_free_agents);
    granted = limit - reserved - others;
    if (granted > size - 1) granted = size - 1;
    if (granted <= 0) return 1;
  } while (!threads.compare_exchange_weak(busy, busy + granted, std::memory_order_relaxed, std::memory_order_relaxed));
  return granted + 1;
}

// Where the limit kept free agents away, some may come now.
void give_back_to_group(const Team* outer, int32_t threads) {
  if (threads <= 0) return;
  outer->group->group_threads.fetch_sub(threads, std::memory_order_relaxed); // relaxed: ordered by the fence
  // pairs with serve_teams(): a thread that sleeps has seen our threads given back, or we see what is offered.
  thread_fence(std::memory_order_seq_cst);
  if (CHOMP_UNLIKELY(agents_are_wanted())) agents_call_if_missing();
}

// What the members of a team read is written only where it changes. A team of one has a line to itself, and storing is
// cheaper than looking.
template <bool kAlone, typename Field, typename Value> void set(Field& field, Value value) {
  if constexpr (kAlone)
    field = value;
  else
    store_if_new(field, static_cast<Field>(value));
}

template <bool kAlone> void inherit_icvs(Team* team, const Icvs& from, int level) {
  Icvs next;
  Icvs& own = kAlone ? team->icvs.first : next;
  own = from;
  if (from.nested_count > 0) {
    own.num_threads = *own.nested_threads++;
    --own.nested_count;
  }
  int bind_level = level < config.proc_bind_count ? level : config.proc_bind_count - 1;
  if (bind_level > 0 && from.proc_bind != ProcBind::kFalse) own.proc_bind = config.proc_bind[bind_level];
  if constexpr (!kAlone) store_if_new(team->icvs.first, own);
  store_if_new(team->icvs.count, uint32_t{1});
}

/// The numbers of num_threads(list) after the first replace what the region would have inherited.
CHOMP_SLOW void take_nested_request(Worker* worker, Team* team) {
  memcpy(team->icvs.nested_threads, worker->teams.next_region.nested_threads, sizeof team->icvs.nested_threads);
  Icvs& own = team->icvs.first;
  own.num_threads = team->icvs.nested_threads[0];
  own.follows_cpus = false;
  own.nested_threads = team->icvs.nested_threads + 1;
  own.nested_count = worker->teams.next_region.nested_count - 1;
  worker->teams.next_region.nested_count = 0;
}

/// Reports a num_threads(strict: …) that cannot be had, unless the region is too deep to be active (OpenMP 6.0,
/// 12.1.3).
CHOMP_SLOW void check_strict(Worker* worker, const StrictRequest& strict, int asked, int got) {
  if (got >= asked || too_deep(worker, icvs(worker))) return;
  const char* message = strict.message != nullptr ? strict.message : "";
  if (strict.severity == StrictRequest::kWarning)
    warn_at(strict.source, "num_threads(strict): %d threads instead of %d. %s", got, asked, message);
  else
    fatal_at(strict.source, "num_threads(strict): %d threads instead of %d. %s", got, asked, message);
}

void set_microtask(Team* team, Microtask microtask, int argc, void** argv) {
  RegionCall& call = team->call;
  call.microtask = microtask;
  call.argc = argc;
  call.argv = argv;
  if (argc > kMostKeptArguments) return;
  for (int i = 0; i < argc; ++i) store_if_new(call.kept_arguments[i], argv[i]);
  call.argv = call.kept_arguments;
}

// Threads of the team that do not sleep, whether or not they have a part in its next region. An estimate, for teams of
// more threads than there are CPUs.
int32_t awake_threads(const Team* team) {
  int32_t awake = team->capacity;
  if (awake <= topology.running_cpus) return awake;
  for (int domain = 0; domain < team->shape.domain_count; ++domain)
    awake -=
        static_cast<int32_t>(team->domain_lines[domain].sleeping.load(std::memory_order_relaxed)); // relaxed: a hint
  return awake;
}

template <bool kAlone> void prepare_region(Worker* worker, Member* parent, Team* team, int size) {
  Team* outer = parent->team;
  set<kAlone>(team->level, outer->level + 1);
  set<kAlone>(team->active_level, outer->active_level + (kAlone ? 0 : 1));
  set<kAlone>(team->parent_member, parent);
  set<kAlone>(team->team_number, outer->team_number);
  set<kAlone>(team->league_size, outer->league_size);
  set<kAlone>(team->group, outer->group);
  int threads = kAlone ? 1 : std::min(size, team->kernel_threads);
  int64_t total = int64_t{outer->total_threads()} * threads;
  team->set_total_threads(total < INT32_MAX ? static_cast<int32_t>(total) : INT32_MAX);
  bool may_spin = total <= topology.running_cpus && (kAlone || threads > 1);
  team->set_may_spin(may_spin);
  if (!may_spin) team->note_oversubscribed();
  if constexpr (!kAlone) team->set_yields_soon(!team->light && awake_threads(team) > topology.running_cpus);
  if constexpr (!kAlone) {
    team->set_size(size);
    if (team->primary != worker) team->primary = worker; // others may be reading it
    if (threads > 1) running_begin(team, outer, threads);
    team->fp_control = config.inherit_fp_control ? fp_control_now() : 0;
    if (team->arrivals.counted_for != size) team_count_members(team);
  }
  team->set_observed(events_on.load(std::memory_order_relaxed)); // relaxed: the thread that turns it on sees it
  team->counts.reset();
  inherit_icvs<kAlone>(team, icvs(worker), outer->level + 1);
  if (CHOMP_UNLIKELY(worker->teams.next_region.nested_count > 0)) take_nested_request(worker, team);
  worksharing_begin_region(team);
  if (CHOMP_UNLIKELY(config.display_affinity)) affinity_decide_display(worker, team);
}

// `parent` may have a hot child from an earlier region while this one is serial. The threads of that team wait for
// start signals, so nothing is to be done.
void enter_region(Worker* worker, Member* parent, Team* team, int size) {
  Task* encountering = worker->current;
  size == 1 ? prepare_region<true>(worker, parent, team, 1) : prepare_region<false>(worker, parent, team, size);
  if (announcing()) event_region_begin(worker, team);
  implicit_task_begin(worker, &team->members[0], encountering);
}

void leave_region(Worker* worker, Member* parent, Team* team) {
  Task* implicit = &team->members[0].implicit_task;
  worker->current = implicit->below();
  worker->member = parent;
  running_end(team);
  give_back_to_group(parent->team, team->group_share);
  store_if_new(team->group_share, 0);
  if (CHOMP_UNLIKELY(team->is_adjusted)) region_size_end(team);
  count_in_its_domain(worker, parent);
  if (announcing() || CHOMP_UNLIKELY(team->observed())) event_region_end(worker, team);
  if (CHOMP_UNLIKELY(binding_on) && parent->team->parent_member == nullptr) binding_end_outermost(worker);
}

} // namespace

void team_fork(Worker* worker, Microtask microtask, int argc, void** argv, RegionForm form) {
  team_begin(worker, microtask, argc, argv, form);
  int32_t gtid = worker->gtid, tid = 0;
  invoke_microtask(worker, microtask, &gtid, &tid, argc, argv);
  team_end(worker);
}

void team_begin(Worker* worker, Microtask microtask, int argc, void** argv, RegionForm form) {
  Member* parent = worker->member;
  if (CHOMP_UNLIKELY(!worker->stack.overflow_watched)) overflow_watch(worker);
  int limit = icvs(worker).thread_limit;
  int wanted = form == RegionForm::kSerial ? 1 : region_size(worker);
  if (wanted > 1) runtime_start_parallel(); // before anything is counted
  bool is_adjusted = false;
  if (CHOMP_UNLIKELY(is_adjustable(worker)) && form != RegionForm::kSerial)
    wanted = region_size_choose(worker, site_of(form, microtask, argv), follow_cpus(worker, wanted), &is_adjusted);
  int size = take_share_of_group(parent->team, limit, wanted);
  int32_t share = limit == INT32_MAX ? 0 : size - 1;
  int asked = worker->teams.next_region.num_threads;
  if (announcing())
    note_region_requested(worker,
                          form == RegionForm::kSerial ? 1
                          : asked > 0                 ? asked
                                                      : icvs(worker).num_threads,
                          form == RegionForm::kBodyIsArgument ? argv[0] : nullptr);
  StrictRequest strict = worker->teams.next_region.strict;
  worker->teams.next_region.num_threads = 0;
  worker->teams.next_region.strict = StrictRequest{};
  Team* team = nullptr;
  if (size > 1) {
    TeamPlaces places;
    int threads = light_kernel_threads(worker, parent->team, size);
    if (binding_on && threads > 1) places = binding_of_region(worker, worker->teams.next_region.proc_bind);
    worker->teams.next_region.proc_bind = -1;
    team =
        threads < size ? team_for_light_region(parent, size, threads, places) : team_for_region(parent, size, places);
  }
  if (CHOMP_UNLIKELY(strict.severity != 0) && form != RegionForm::kSerial) {
    int got = team == nullptr ? 1 : size < team->capacity ? size : team->capacity;
    check_strict(worker, strict, asked, got);
  }
  if (team == nullptr) {
    give_back_to_group(parent->team, share);
    team_enter_serial(worker);
    if (CHOMP_UNLIKELY(is_adjusted)) region_size_keep(worker, worker->member->team, 1);
    return set_microtask(worker->member->team, microtask, argc, argv);
  }
  if (size > team->capacity) size = team->capacity;
  if (share > size - 1) {
    give_back_to_group(parent->team, share - (size - 1));
    share = size - 1;
  }
  store_if_new(team->group_share, share);
  if (CHOMP_UNLIKELY(is_adjusted)) region_size_keep(worker, team, size);
  set_microtask(team, microtask, argc, argv);
  enter_region(worker, parent, team, size);
  signal_start(team, size);
  implicit_task_announce(worker); // what the signal takes is no work of the region's
}

void team_end(Worker* worker) {
  Member* member = worker->member;
  Team* team = member->team;
  if (team->serial()) return team_leave_serial(worker);
  cancel_meet_at_end(worker);
  worksharing_end_member(member);
  barrier_join_primary(worker, member);
  if (CHOMP_UNLIKELY(team->light)) light_await_rest(team);
  implicit_task_end(worker, member);
  leave_region(worker, team->parent_member, team);
}

void team_request_threads(Worker* worker, const int32_t* counts, uint32_t length) {
  if (length == 0) return;
  worker->teams.next_region.num_threads = counts[0];
  uint32_t nested = length - 1 < kMaxNestingInLists ? length - 1 : kMaxNestingInLists;
  memcpy(worker->teams.next_region.nested_threads, counts + 1, nested * sizeof(int));
  worker->teams.next_region.nested_count = static_cast<int>(nested);
}

void team_enter_serial(Worker* worker, const Placement* placement) {
  Member* parent = worker->member;
  worker->teams.next_region.num_threads = 0;
  worker->teams.next_region.strict = StrictRequest{};
  Team* team = team_for_serial_region(parent);
  if (placement != nullptr) {
    team->members[0].placement = *placement;
    team->binding.size = 0; // the members are not at the places of `places`
  } else if (binding_on) {
    binding_place_members(team, binding_of_region(worker, worker->teams.next_region.proc_bind), 1);
  }
  worker->teams.next_region.proc_bind = -1;
  enter_region(worker, parent, team, 1);
  implicit_task_announce(worker);
  set_microtask(team, nullptr, 0, nullptr);
}

void team_enter_initial(Worker* worker, int32_t thread_limit) {
  if (announcing()) note_initial_task(worker, nullptr, 1, 1);
  team_enter_serial(worker);
  Team* team = worker->member->team;
  team->level = team->active_level = 0;
  team->team_number = 0;
  team->league_size = 1;
  team->icvs.first = icvs_of_settings();
  if (thread_limit > 0) team->icvs.first.thread_limit = thread_limit;
  worker->current->flags &= ~uint32_t{kFinal};
}

bool team_call_microtask(Worker* worker) {
  if (worker->member->team->call.microtask == nullptr) return false;
  implicit_task_run(worker, worker->member);
  return true;
}

static void end_serial(Worker* worker, Member* member) {
  barrier_wait(worker);
  implicit_task_end(worker, member);
}

// A task may begin such a region, in a barrier that goes on afterwards.
CHOMP_SLOW static void end_announced_serial(Worker* worker, Member* member) {
  CallNote outer(worker);
  note_serial_region_ends(worker);
  end_serial(worker, member);
  outer.restore(worker);
}

void team_leave_serial(Worker* worker) {
  Member* member = worker->member;
  Team* team = member->team;
  if (team->parent_member == nullptr) fatal("the end of a serialised parallel region without its beginning");
  CHOMP_UNLIKELY(announcing()) ? end_announced_serial(worker, member) : end_serial(worker, member);
  leave_region(worker, team->parent_member, team);
}

void team_finish_tasks(Worker* worker) { barrier_wait(worker); }

void team_serve(Worker* worker, Member* member) {
  Team* team = member->team;
  worker->member = member;
  worker->current = &member->implicit_task;
  member->implicit_task.flags = kTied | kImplicit;
  member->runs_anything = true;
  for (;;) {
    barrier_wait_for_start(worker, member);
    const DomainLine& line = team->domain_lines[member->domain];
    // acquire: pairs with release in signal_start() and propagate_start().
    member->go_seen = line.go.load(std::memory_order_acquire);
    if (member->propagates) propagate_start(team, member->domain, member->go_seen);
    int32_t size = size_in(member->go_seen);
    if (size == 0) break;
    if (member->took_part) implicit_task_end(worker, member);
    member->took_part = member->tid < size;
    if (!member->took_part) continue;
    member->barrier_epoch = epoch_in(member->go_seen);
    worker->current = nullptr;
    fp_control_follow(line.packet.fp_control);
    implicit_task_begin(worker, member, line.packet.parent);
    implicit_task_announce(worker);
    if (CHOMP_UNLIKELY(team->light) && !team->is_light(member->tid)) light_start_hosted(team, member->tid, size);
    implicit_task_run(worker, member);
    worksharing_end_member(member);
    barrier_join_arrive(worker, member);
  }
  if (member->took_part) implicit_task_end(worker, member);
  member->took_part = false;
  bool is_light = team->is_light(member->tid);
  if (CHOMP_UNLIKELY(team->light) && !is_light) light_end_hosted(team, member->tid);
  is_light ? light_ends(worker) : worker_return_to_pool(worker);
  team->attached.fetch_sub(1, std::memory_order_release); // release: pairs with acquire in dismiss()
}

void team_serve_light(void* argument) {
  auto* worker = static_cast<Worker*>(argument);
  worker_announce(worker, true);
  // relaxed: stored by the thread that has started this one.
  team_serve(worker, worker->thread.assigned_member.load(std::memory_order_relaxed));
  light_end(worker);
}

} // namespace chomp
