// Making, caching and releasing teams; forking and joining regions. See team.h.
#include "runtime/core/team.h"

#include <new>
#include <string.h>

#include "runtime/places/affinity.h"
#include "runtime/base/os_linux.h"
#include "runtime/base/preemption.h"
#include "runtime/tasks/cancel.h"
#include "runtime/config/config.h"
#include "runtime/teams/domain_tree.h"
#include "runtime/core/events.h"
#include "runtime/idle/idle.h"
#include "runtime/core/stack_overflow.h"
#include "runtime/startup.h"
#include "runtime/tasks/task_spawn.h"
#include "runtime/machine/topology.h"
#include "runtime/idle/work_loop.h"
#include "runtime/core/worker.h"
#include "runtime/loops/worksharing.h"
#include "runtime/core/wake.h"
#include "runtime/tasks/dependence_table.h"

namespace chomp {
namespace {

constinit Lock free_teams_lock;
constinit Team* free_teams = nullptr; // released teams, any capacity

// Members are dealt to the topology's processing units in logical order, so that neighbours share a domain; only
// domains that have members exist for the team. Threads that are bound decide themselves, by their places. A team of
// one is flat: it may be made before the topology is known, while another thread is finding it out.
void shape_team(Team* team, const uint16_t* wanted_domain) {
  auto size = static_cast<size_t>(team->capacity);
  auto* domain_of_member = static_cast<uint16_t*>(memory_permanent(size * sizeof(uint16_t)));
  auto* domain_size = static_cast<uint16_t*>(memory_permanent(kMaxDomains * sizeof(uint16_t)));
  auto* physical = static_cast<uint16_t*>(memory_permanent(kMaxDomains * sizeof(uint16_t)));
  int16_t local_of[kMaxDomains];
  memset(local_of, -1, sizeof local_of);
  int domains = 0;
  for (int tid = 0; tid < team->capacity; ++tid) {
    uint16_t where = size > 1 && topology.domain_of_pu != nullptr ? topology.domain_of_pu[tid % topology.pu_count] : 0;
    if (wanted_domain != nullptr) where = wanted_domain[tid];
    if (local_of[where] < 0) {
      physical[domains] = where;
      local_of[where] = static_cast<int16_t>(domains++);
    }
    domain_of_member[tid] = static_cast<uint16_t>(local_of[where]);
    ++domain_size[local_of[where]];
  }
  team->shape = TeamShape{team->capacity, domains, domain_of_member, domain_size, physical};
}

void init_member(Team* team, int tid) {
  Member* member = new (&team->members[tid]) Member;
  member->deque.init();
  member->team = team;
  member->tid = tid;
  member->domain = team->shape.domain_of_member[tid];
  member->physical_domain = team->shape.physical_domain[member->domain];
  member->hunger = team->scheduler->hunger_word(team->scheduler_state, tid);
  DomainLine& line = team->domain_lines[member->domain];
  if (line.first_member < 0) line.first_member = tid;
  line.last_member = tid;
  member->propagates = member->domain > 0 && line.first_member == tid;
}

Team* make_team(int capacity, const uint16_t* wanted_domain) {
  Team* team = new (memory_permanent(sizeof(Team))) Team;
  team->capacity = capacity;
  team->scheduler = scheduler_find(config.scheduler);
  CHECK(team->scheduler != nullptr);
  shape_team(team, wanted_domain);
  team->scheduler_state = memory_permanent(team->scheduler->state_size(team->shape));
  team->scheduler->init(team->scheduler_state, team->shape, SchedulerSettings{config.steal_amount});
  auto domains = static_cast<size_t>(team->shape.domain_count);
  team->domain_lines = static_cast<DomainLine*>(memory_permanent(domains * sizeof(DomainLine)));
  for (size_t domain = 0; domain < domains; ++domain) new (&team->domain_lines[domain]) DomainLine;
  size_t words = static_cast<size_t>(capacity + 63) / 64;
  team->sleepers = static_cast<std::atomic<uint64_t>*>(memory_permanent(words * sizeof(uint64_t)));
  team->members = static_cast<Member*>(memory_permanent(static_cast<size_t>(capacity) * sizeof(Member)));
  for (int tid = 0; tid < capacity; ++tid) init_member(team, tid);
  team->icv_table[0].store(&team->first_icvs, std::memory_order_relaxed); // relaxed: one thread knows the team
  return team;
}

bool members_are_in(const Team* team, const uint16_t* wanted_domain) {
  if (wanted_domain == nullptr) return true; // nothing is ever bound: all teams of a size have one shape
  for (int tid = 0; tid < team->capacity; ++tid)
    if (team->shape.physical_domain[team->members[tid].domain] != wanted_domain[tid]) return false;
  return true;
}

// `wanted_domain` null: as the topology deals them.
Team* take_team(int capacity, const uint16_t* wanted_domain) {
  {
    LockGuard guard(free_teams_lock);
    for (Team** link = &free_teams; *link != nullptr; link = &(*link)->next_free) {
      Team* team = *link;
      if (team->capacity != capacity || !members_are_in(team, wanted_domain)) continue;
      *link = team->next_free;
      return team;
    }
  }
  return make_team(capacity, wanted_domain);
}

void give_team(Team* team) {
  LockGuard guard(free_teams_lock);
  team->next_free = free_teams;
  free_teams = team;
}

int32_t size_in(uint64_t signal) { return static_cast<int32_t>(signal & ((uint64_t{1} << kGoSizeBits) - 1)); }

// A member that had no part in the last region that its domain was notified of, and has none now, is not woken for it.
bool must_be_notified(const DomainLine& line, uint64_t signal) {
  int32_t size = size_in(signal);
  // relaxed: nobody else writes it.
  return size == 0 || size > line.first_member || size_in(line.go.load(std::memory_order_relaxed)) > line.first_member;
}

// Tells the domains below. The primary does it for domain 0; the first member of another domain as soon as it has seen
// the signal, also if it takes no part itself. All stores before the first system call.
void propagate_start(Team* team, int domain, uint64_t signal) {
  preemption_point();
  for_each_child_domain(domain, team->shape.domain_count, [=](int child) {
    DomainLine& line = team->domain_lines[child];
    // release: pairs with acquire in wait_is_over(); publishes the region, ours or what we have acquired.
    if (must_be_notified(line, signal)) line.go.store(signal, std::memory_order_release);
  });
  preemption_point();
  for_each_child_domain(domain, team->shape.domain_count, [=](int child) {
    // relaxed: our own writes.
    if (team->domain_lines[child].go.load(std::memory_order_relaxed) == signal) idle_wake_for_start(team, child);
  });
}

void signal_start(Team* team, int size) {
  std::atomic<uint64_t>& go = team->domain_lines[0].go;
  uint64_t epoch = (go.load(std::memory_order_relaxed) >> kGoSizeBits) + 1; // relaxed: only the primary writes it
  uint64_t signal = epoch << kGoSizeBits | static_cast<uint64_t>(size);
  go.store(signal, std::memory_order_release); // release: pairs as in propagate_start()
  if (team->shape.domain_count > 1) propagate_start(team, 0, signal);
  idle_wake_for_start(team, 0);
}

// Everybody leaves, dormant members too.
void dismiss(Team* team) {
  for (int tid = 0; tid < team->capacity; ++tid) team_release_cached(&team->members[tid]);
  team->domain_lines[0].expected = 0; // of the last region's size: prepare_region() counts again
  signal_start(team, 0);
  // acquire: pairs with release in team_serve(); the team's memory is ours again.
  for (int spin = 0; team->attached.load(std::memory_order_acquire) != 0; ++spin)
    spin < 100 ? cpu_pause() : cpu_yield();
  give_team(team);
}

// A team of up to `size` threads for the member: the one it forked last, or a new one. Null if no thread is to be had.
Team* hot_team(Member* parent, int size, const TeamPlaces& places) {
  Team* team = parent->hot_child;
  if (team != nullptr && team->asked >= size) {
    int members = size < team->capacity ? size : team->capacity;
    if (!binding_on || binding_place_members(team, places, members)) return team;
  }
  if (team != nullptr) dismiss(team);
  parent->hot_child = nullptr;
  auto** workers = static_cast<Worker**>(__builtin_alloca(static_cast<size_t>(size) * sizeof(Worker*)));
  int got = workers_take(size - 1, workers);
  if (got == 0) return nullptr;
  uint16_t* domains = nullptr;
  if (binding_on) {
    binding_sort_workers(places, got, workers);
    domains = static_cast<uint16_t*>(__builtin_alloca(static_cast<size_t>(got + 1) * sizeof(uint16_t)));
    binding_wanted_domains(places, got + 1, workers, domains);
  }
  team = take_team(got + 1, domains);
  team->asked = size;
  team->attached.store(got, std::memory_order_relaxed); // relaxed: released with each member
  for (int tid = 1; tid <= got; ++tid) {
    Member& member = team->members[tid];
    member.worker = workers[tid - 1];
    member.took_part = false;
    // relaxed: written before the last thread left the team.
    member.go_seen = team->domain_lines[member.domain].go.load(std::memory_order_relaxed);
  }
  team->placed_size = 0; // placed for other threads
  if (binding_on) binding_place_members(team, places, got + 1);
  for (int tid = 1; tid <= got; ++tid) {
    Worker* worker = workers[tid - 1];
    worker->assigned_member.store(&team->members[tid],
                                  std::memory_order_release); // release: pairs with acquire in serve_teams()
    worker_wake(worker);
  }
  return parent->hot_child = team;
}

// The next region would be one active level more than there may be.
bool too_deep(const Worker* worker, const Icvs& now) {
  return worker->member->team->active_level >= now.max_active_levels;
}

// nthreads-var, limits and clauses (OpenMP 5.2, 10.1.1).
int region_size(Worker* worker) {
  const Icvs& now = icvs(worker);
  int size = worker->pushed_num_threads > 0 ? worker->pushed_num_threads : now.num_threads;
  if (too_deep(worker, now)) return 1;
  bool strict = worker->pushed_strict.severity != 0;
  if (now.dynamic && !strict && size > topology.usable_cpus) size = topology.usable_cpus;
  if (config.library == Library::kSerial) return 1;
  if (size > now.thread_limit) size = now.thread_limit;
  return size < 1 ? 1 : size;
}

void inherit_icvs(Team* team, const Icvs& from, int level) {
  team->first_icvs = from;
  Icvs& own = team->first_icvs;
  if (from.nested_count > 0) {
    own.num_threads = *own.nested_threads++;
    --own.nested_count;
  }
  int bind_level = level < config.proc_bind_count ? level : config.proc_bind_count - 1;
  if (bind_level > 0 && from.proc_bind != ProcBind::kFalse) own.proc_bind = config.proc_bind[bind_level];
  team->icv_count.store(1, std::memory_order_relaxed); // relaxed: released by the start signal
}

/// The numbers of num_threads(list) after the first replace what the region would have inherited.
CHOMP_SLOW void take_nested_request(Worker* worker, Team* team) {
  memcpy(team->nested_threads, worker->pushed_nested_threads, sizeof team->nested_threads);
  Icvs& own = team->first_icvs;
  own.num_threads = team->nested_threads[0];
  own.nested_threads = team->nested_threads + 1;
  own.nested_count = worker->pushed_nested_count - 1;
  worker->pushed_nested_count = 0;
}

/// num_threads(strict: …) that cannot be had, unless the region is too deep to be active (OpenMP 6.0, 12.1.3).
CHOMP_SLOW void check_strict(Worker* worker, const StrictRequest& strict, int asked, int got) {
  if (got >= asked || too_deep(worker, icvs(worker))) return;
  const char* message = strict.message != nullptr ? strict.message : "";
  if (strict.severity == StrictRequest::kWarning)
    warn_at(strict.source, "num_threads(strict): %d threads instead of %d. %s", got, asked, message);
  else
    fatal_at(strict.source, "num_threads(strict): %d threads instead of %d. %s", got, asked, message);
}

void set_domains_in_use(Team* team) {
  team->domains_in_use = 0;
  for (int domain = 0; domain < team->shape.domain_count; ++domain) team->domain_lines[domain].expected = 0;
  for (int tid = 0; tid < team->size(); ++tid)
    if (team->domain_lines[team->members[tid].domain].expected++ == 0) ++team->domains_in_use;
  for (int domain = 1; domain < team->domains_in_use; ++domain) ++team->domain_lines[parent_domain(domain)].expected;
}

// A serial team is wherever its thread is.
void count_in_its_domain(Worker* worker, const Member* member) {
  if (CHOMP_UNLIKELY(member->physical_domain != worker->counters.domain) && member->team->capacity > 1)
    counters_enter_domain(worker, member->physical_domain);
}

void begin_implicit_task(Worker* worker, Member* member, Task* encountering) {
  Task* task = &member->implicit_task;
  task->next = worker->current;
  task->taskgroup = nullptr;
  task->local_children = 0;
  task->flags = kTied | kImplicit | (member->team->size() == 1 ? encountering->flags & kFinal : 0);
  if (CHOMP_UNLIKELY(member->team->observed())) task->flags |= kObserved;
  task->extra = nullptr;
  // relaxed, all: no other thread knows the task in this incarnation.
  task->parent.store(encountering, std::memory_order_relaxed);
  uint64_t depth = encountering->identity_now() & ~uint64_t{0xffffffff};
  task->identity.store(depth + Task::kOneGeneration + (static_cast<uint64_t>(member->tid) << 16) + worker->id,
                       std::memory_order_relaxed);
  task->shared_children.store(0, std::memory_order_relaxed);
  if (member->worker != worker) member->worker = worker; // others may be reading it
  member->in_barrier = false;
  member->deque.floor = member->deque.top();
  member->deque.set_bound(spawn_bound(member->team));
  member->deals = spawn_deals(member->team);
  // relaxed, both: the last region's tasks have all finished; its members' counts balance only together.
  member->exported.store(0, std::memory_order_relaxed);
  member->completed.store(0, std::memory_order_relaxed);
  member->completion_pending = 0;
  worksharing_begin_member(member);
  worker->member = member;
  worker->current = task;
  if (CHOMP_UNLIKELY(member->placement.place != worker->bound_place)) binding_follow(worker, member->placement.place);
  if (CHOMP_UNLIKELY(member->team->show_affinity)) affinity_show(worker);
  count_in_its_domain(worker, member);
  if (CHOMP_UNLIKELY(member->team->observed())) event_implicit_begin(worker, task);
}

void end_implicit_task(Worker* worker, Member* member) {
  Task* task = &member->implicit_task;
  if (task->extra == nullptr) return;
  if (CHOMP_UNLIKELY(task->is(kObserved))) event_implicit_end(worker, task);
  if (task->extra->table != nullptr) dependence_table_free(worker, task);
  task_extra_free(worker, task);
}

void run_implicit_task(Worker* worker, Member* member) {
  Team* team = member->team;
  int32_t gtid = worker->gtid, tid = member->tid;
  chomp_invoke_microtask(team->microtask, &gtid, &tid, team->argc, team->argv);
  cancel_meet_at_end(worker);
}

void set_microtask(Team* team, Microtask microtask, int argc, void** argv) {
  team->microtask = microtask;
  team->argc = argc;
  team->argv = argv;
  if (argc != 0 && argc <= kMostKeptArguments)
    team->argv = static_cast<void**>(memcpy(team->kept_arguments, argv, static_cast<size_t>(argc) * sizeof(void*)));
}

void prepare_region(Worker* worker, Member* parent, Team* team, int size) {
  Team* outer = parent->team;
  bool resized = team->size() != size || team->domain_lines[0].expected == 0;
  team->set_size(size);
  team->level = outer->level + 1;
  team->active_level = outer->active_level + (size > 1 ? 1 : 0);
  team->parent_member = parent;
  team->team_number = outer->team_number;
  team->league_size = outer->league_size;
  int64_t total = int64_t{outer->total_threads} * size;
  team->total_threads = total < INT32_MAX ? static_cast<int32_t>(total) : INT32_MAX;
  team->set_may_spin(team->total_threads <= topology.running_cpus);
  team->fork_epoch = team->members[0].barrier_epoch;
  team->set_observed(events_on.load(std::memory_order_relaxed)); // relaxed: whoever turns it on sees it
  team->finished_outside.store(0, std::memory_order_relaxed);    // relaxed: released by the start signal
  if (resized) set_domains_in_use(team);
  inherit_icvs(team, icvs(worker), outer->level + 1);
  if (CHOMP_UNLIKELY(worker->pushed_nested_count > 0)) take_nested_request(worker, team);
  worksharing_begin_region(team);
  if (CHOMP_UNLIKELY(config.display_affinity)) affinity_decide_display(worker, team);
}

// A parent of tasks that was serial may have an old hot child whose threads sleep; nothing to do: they wait for start
// signals.
void enter_region(Worker* worker, Member* parent, Team* team, int size) {
  Task* encountering = worker->current;
  prepare_region(worker, parent, team, size);
  if (CHOMP_UNLIKELY(team->observed())) event_region_begin(worker, team);
  begin_implicit_task(worker, &team->members[0], encountering);
}

void leave_region(Worker* worker, Member* parent, Team* team) {
  Task* implicit = &team->members[0].implicit_task;
  worker->current = implicit->below();
  worker->member = parent;
  count_in_its_domain(worker, parent);
  if (CHOMP_UNLIKELY(team->observed())) event_region_end(worker, team);
  if (CHOMP_UNLIKELY(binding_on) && parent->team->parent_member == nullptr) binding_end_outermost(worker);
}

} // namespace

void team_fork(Worker* worker, Microtask microtask, int argc, void** argv, bool if_clause) {
  team_begin(worker, microtask, argc, argv, if_clause);
  int32_t gtid = worker->gtid, tid = 0;
  chomp_invoke_microtask(microtask, &gtid, &tid, argc, argv);
  team_end(worker);
}

void team_begin(Worker* worker, Microtask microtask, int argc, void** argv, bool if_clause) {
  Member* parent = worker->member;
  if (CHOMP_UNLIKELY(!worker->overflow_watched)) overflow_watch(worker);
  int size = if_clause ? region_size(worker) : 1;
  int asked = worker->pushed_num_threads;
  StrictRequest strict = worker->pushed_strict;
  worker->pushed_num_threads = 0;
  worker->pushed_strict = StrictRequest{};
  Team* team = nullptr;
  if (size > 1) {
    runtime_start_parallel();
    TeamPlaces places;
    if (binding_on) places = binding_of_region(worker, worker->pushed_proc_bind);
    worker->pushed_proc_bind = -1;
    team = hot_team(parent, size, places);
  }
  if (CHOMP_UNLIKELY(strict.severity != 0) && if_clause) {
    int got = team == nullptr ? 1 : size < team->capacity ? size : team->capacity;
    check_strict(worker, strict, asked, got);
  }
  if (team == nullptr) {
    team_enter_serial(worker);
    return set_microtask(worker->member->team, microtask, argc, argv);
  }
  if (size > team->capacity) size = team->capacity;
  set_microtask(team, microtask, argc, argv);
  enter_region(worker, parent, team, size);
  signal_start(team, size);
}

void team_end(Worker* worker) {
  Member* member = worker->member;
  Team* team = member->team;
  if (team->serial()) return team_leave_serial(worker);
  cancel_meet_at_end(worker);
  worksharing_end_member(member);
  barrier_join_primary(worker, member);
  end_implicit_task(worker, member);
  leave_region(worker, team->parent_member, team);
}

void team_request_threads(Worker* worker, const int32_t* counts, uint32_t length) {
  if (length == 0) return;
  worker->pushed_num_threads = counts[0];
  uint32_t nested = length - 1 < kMaxNestingInLists ? length - 1 : kMaxNestingInLists;
  memcpy(worker->pushed_nested_threads, counts + 1, nested * sizeof(int));
  worker->pushed_nested_count = static_cast<int>(nested);
}

void team_enter_serial(Worker* worker, const Placement* placement) {
  Member* parent = worker->member;
  worker->pushed_num_threads = 0;
  worker->pushed_strict = StrictRequest{};
  if (parent->serial_child == nullptr) parent->serial_child = take_team(1, nullptr);
  Team* team = parent->serial_child;
  if (placement != nullptr) {
    team->members[0].placement = *placement;
    team->placed_size = 0; // not for what `places` says
  } else if (binding_on) {
    binding_place_members(team, binding_of_region(worker, worker->pushed_proc_bind), 1);
  }
  worker->pushed_proc_bind = -1;
  enter_region(worker, parent, parent->serial_child, 1);
  set_microtask(parent->serial_child, nullptr, 0, nullptr);
}

bool team_call_microtask(Worker* worker) {
  if (worker->member->team->microtask == nullptr) return false;
  run_implicit_task(worker, worker->member);
  return true;
}

void team_leave_serial(Worker* worker) {
  Member* member = worker->member;
  Team* team = member->team;
  if (team->parent_member == nullptr) fatal("the end of a serialised parallel region without its beginning");
  barrier_wait(worker);
  end_implicit_task(worker, member);
  leave_region(worker, team->parent_member, team);
}

Team* team_make_initial(Worker* worker) {
  Team* team = make_team(1, nullptr);
  Member* member = &team->members[0];
  member->worker = worker;
  team->first_icvs = icvs_of_settings();
  team->icv_count.store(1, std::memory_order_relaxed); // relaxed: one thread knows the team
  Task* task = &member->implicit_task;
  task->flags = kTied | kImplicit;
  task->set_owner(worker->id);
  set_domains_in_use(team);
  worksharing_begin_region(team);
  worksharing_begin_member(member);
  worker->initial_member = member;
  return team;
}

void team_serve(Worker* worker, Member* member) {
  Team* team = member->team;
  worker->member = member;
  worker->current = &member->implicit_task;
  member->implicit_task.flags = kTied | kImplicit;
  member->in_barrier = true;
  for (;;) {
    work_loop(worker, member, Wait{WaitFor::kGo});
    // acquire: pairs with release in signal_start() and propagate_start().
    member->go_seen = team->domain_lines[member->domain].go.load(std::memory_order_acquire);
    if (member->propagates) propagate_start(team, member->domain, member->go_seen);
    int32_t size = size_in(member->go_seen);
    if (size == 0) break;
    if (member->took_part) end_implicit_task(worker, member);
    member->took_part = member->tid < size;
    if (!member->took_part) continue;
    member->barrier_epoch = team->fork_epoch;
    worker->current = nullptr;
    // relaxed: ordered by the acquire of `go`.
    begin_implicit_task(worker, member, team->members[0].implicit_task.parent.load(std::memory_order_relaxed));
    run_implicit_task(worker, member);
    worksharing_end_member(member);
    barrier_join_arrive(worker, member);
  }
  if (member->took_part) end_implicit_task(worker, member);
  member->took_part = false;
  worker_return_to_pool(worker);
  team->attached.fetch_sub(1, std::memory_order_release); // release: pairs with acquire in dismiss()
}

void team_release_cached(Member* member) {
  if (member->hot_child != nullptr) dismiss(member->hot_child);
  member->hot_child = nullptr;
  if (Team* serial = member->serial_child) {
    team_release_cached(&serial->members[0]);
    give_team(serial);
  }
  member->serial_child = nullptr;
}

void team_reset_after_fork(Member* member) {
  free_teams_lock.reset_after_fork();
  for (Member* each = member; each != nullptr;) { // cached serial teams below the current one
    each->hot_child = nullptr;
    each = each->serial_child != nullptr ? &each->serial_child->members[0] : nullptr;
  }
  for (; member != nullptr; member = member->team->parent_member) {
    member->hot_child = nullptr; // its threads do not exist here; the memory stays behind
    member->deque.reset_after_fork();
    if (member->team->parent_member == nullptr) break;
  }
}

} // namespace chomp
