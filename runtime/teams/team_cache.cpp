// Making, caching and releasing teams. See team_cache.h.
#include "runtime/teams/team_cache.h"

#include <limits.h>
#include <algorithm>
#include <new>
#include <string.h>

#include "runtime/base/os_linux.h"
#include "runtime/base/policy.h"
#include "runtime/config/config.h"
#include "runtime/core/counters.h"
#include "runtime/core/memory.h"
#include "runtime/threads/wake.h"
#include "runtime/core/worker.h"
#include "runtime/loops/worksharing.h"
#include "runtime/machine/topology.h"
#include "runtime/threads/binding.h"
#include "runtime/base/backoff.h"
#include "runtime/sync/waiting.h"
#include "runtime/teams/arrival.h"
#include "runtime/wait/light_team.h"
#include "runtime/teams/region.h"
#include "runtime/teams/start_signal.h"
#include "runtime/threads/thread_pool.h"

namespace chomp {
namespace {

// An array for the time of a call, of any size: a team may be larger than a stack. Null if there is no memory.
template <typename Entry> class Scratch {
public:
  explicit Scratch(int count)
      : bytes_(static_cast<size_t>(count) *
               sizeof(Entry)), // NOLINT(bugprone-sizeof-expression): Entry may be a pointer
        entries_(count <= kFew ? few_ : static_cast<Entry*>(map_pages(bytes_))) {}
  ~Scratch() {
    if (entries_ != few_) unmap_pages(entries_, bytes_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  Entry* get() { return entries_; }

private:
  static constexpr int kFew = 128;

  size_t bytes_;
  Entry few_[kFew];
  Entry* entries_;
};

constinit Lock recall_lock;           // held while kept teams are recalled: others wait for the threads, too
constinit Lock teams_lock;            // guards both lists
constinit Team* free_teams = nullptr; // released teams, any capacity; their last threads may be about to leave them
constinit Team* kept_teams = nullptr; // each the hot team of a thread that has ended, with its threads

// Members are dealt to the topology's processing units in logical order, so that neighbours share a domain; only
// domains that have members exist for the team. Where threads are bound, their places decide instead. A team of one is
// flat: it may be made before the topology is known, while another thread is finding it out.
void shape_team(Team* team, const uint16_t* wanted_domain) {
  auto size = static_cast<size_t>(team->capacity);
  auto* domain_of_member = static_cast<uint16_t*>(memory_permanent(size * sizeof(uint16_t)));
  auto most_domains = std::min<size_t>(size, kMaxDomains);
  auto* domain_size = static_cast<uint16_t*>(memory_permanent(most_domains * sizeof(uint16_t)));
  auto* physical = static_cast<uint16_t*>(memory_permanent(most_domains * sizeof(uint16_t)));
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
  constexpr uint64_t kSlots = 512, kSlotsAlone = 16; // in a team of one few tasks wait: those with events, or suspended
  member->deque.init(team->capacity == 1 ? kSlotsAlone : kSlots);
  member->team = team;
  member->tid = member->number = tid;
  member->domain = team->shape.domain_of_member[tid];
  member->physical_domain = team->shape.physical_domain[member->domain];
  // relaxed: nobody else knows the member yet.
  member->requests.store(team->scheduler_state->request_word(member->domain), std::memory_order_relaxed);
  DomainLine& line = team->domain_lines[member->domain];
  DomainLine& chip = team->tells_chips_apart ? line : team->domain_lines[0];
  member->worth = &chip.worth;
  member->urgent = &chip.urgent;
  if (line.first_member < 0) line.first_member = tid;
  line.last_member = tid;
  member->propagates = member->domain > 0 && line.first_member == tid;
}

} // namespace

void team_make_scheduler_state(Team* team) {
  SchedulerSettings settings{config.steal_amount};
  team->scheduler_state = team->scheduler->make(team->shape, settings, memory_permanent);
}

namespace {

Team* make_team(int capacity, const uint16_t* wanted_domain, const Scheduler* scheduler) {
  if (capacity > 1) memory_permanent_commit(sizeof(Team) + static_cast<size_t>(capacity) * sizeof(Member));
  Team* team = new (memory_permanent(sizeof(Team))) Team;
  team->capacity = capacity;
  CHECK(scheduler != nullptr);
  team->scheduler = scheduler;
  shape_team(team, wanted_domain);
  team_make_scheduler_state(team);
  auto domains = static_cast<size_t>(team->shape.domain_count);
  team->domain_lines = static_cast<DomainLine*>(memory_permanent(domains * sizeof(DomainLine)));
  for (size_t domain = 0; domain < domains; ++domain) new (&team->domain_lines[domain]) DomainLine;
  // With a chip of one or two members there is one answer: to the one all steals are far, and the creator's
  // neighbour in the other would probe for it alone. That takes a part of its core, where two threads share one.
  const uint16_t* sizes = team->shape.domain_size;
  team->tells_chips_apart =
      domains > 1 && team->scheduler_state->has_domains() && *std::min_element(sizes, sizes + domains) > 2;
  if (scheduler->private_depth == 0) team->domain_lines[0].worth.hand_over_always(); // it has no domains
  size_t words = static_cast<size_t>(capacity + 63) / 64;
  team->sleepers = static_cast<atomic<uint64_t>*>(memory_permanent(words * sizeof(uint64_t)));
  team->members = static_cast<Member*>(memory_permanent(static_cast<size_t>(capacity) * sizeof(Member)));
  for (int tid = 0; tid < capacity; ++tid) init_member(team, tid);
  arrival_make(team);
  return team;
}

bool members_are_in(const Team* team, const uint16_t* wanted_domain) {
  if (wanted_domain == nullptr) return true; // nothing is ever bound: all teams of a size have one shape
  for (int tid = 0; tid < team->capacity; ++tid)
    if (team->shape.physical_domain[team->members[tid].domain] != wanted_domain[tid]) return false;
  return true;
}

// acquire: pairs with release in team_serve(); the team's memory is ours again.
bool all_have_left(const Team* team) { return team->attached.load(std::memory_order_acquire) == 0; }

// Called with and without recall_lock.
void wait_until_all_have_left(const Team* team) {
  for (Backoff backoff; !all_have_left(team);) backoff.pause_in_place();
}

// `wanted_domain` null: as the topology deals them.
Team* take_team(int capacity, const uint16_t* wanted_domain) {
  {
    std::lock_guard guard(teams_lock);
    for (Team** link = &free_teams; *link != nullptr; link = &(*link)->next_free) {
      Team* team = *link;
      if (team->capacity != capacity || !all_have_left(team) || !members_are_in(team, wanted_domain)) continue;
      *link = team->next_free;
      return team;
    }
  }
  return make_team(capacity, wanted_domain, scheduler_find(config.scheduler));
}

void give_team(Team* team) {
  std::lock_guard guard(teams_lock);
  team->next_free = free_teams;
  free_teams = team;
}

enum class Dismissal : bool { kNotAwaited, kAwaited };

void release_cached(Member* member, Dismissal how);

// All members leave the team, also those that had no part in its last region.
void tell_to_leave(Team* team, Dismissal of_nested) {
  for (int tid = 0; tid < team->capacity; ++tid) release_cached(&team->members[tid], of_nested);
  team->arrivals.counted_for = 0; // prepare_region() counts again
  signal_start(team, 0);
}

// A member of the team may call it too, if it does not wait for itself.
void dismiss(Team* team, Dismissal how) {
  tell_to_leave(team, how);
  if (team->light) light_end_hosted(team, 0);
  if (how == Dismissal::kAwaited) wait_until_all_have_left(team);
  give_team(team);
}

void release_cached(Member* member, Dismissal how) {
  if (member->hot_child != nullptr) dismiss(member->hot_child, how);
  member->hot_child = nullptr;
  if (Team* serial = member->serial_child) {
    release_cached(&serial->members[0], how);
    give_team(serial);
  }
  member->serial_child = nullptr;
}

// The newest kept team of exactly this size: a larger one would keep threads from others.
Team* adopt_team(int size, const TeamPlaces& places) {
  std::lock_guard guard(teams_lock);
  for (Team** link = &kept_teams; *link != nullptr; link = &(*link)->next_free) {
    Team* team = *link;
    if (team->capacity != size || (binding_on && !binding_place_members(team, places, size))) continue;
    *link = team->next_free;
    team->asked = size;
    return team;
  }
  return nullptr;
}

// Takes kept teams with at least `threads` threads, or all, out of their list.
Team* take_kept_teams(int threads) {
  std::lock_guard guard(teams_lock);
  Team* taken = nullptr;
  while (kept_teams != nullptr && threads > 0) {
    Team* team = kept_teams;
    kept_teams = team->next_free;
    team->next_free = taken;
    taken = team;
    threads -= team->capacity - 1;
  }
  return taken;
}

bool threads_are_leaving() {
  std::lock_guard guard(teams_lock);
  for (const Team* team = free_teams; team != nullptr; team = team->next_free)
    if (!all_have_left(team)) return true;
  return false;
}

void wait_for_leavers() {
  for (Backoff backoff; threads_are_leaving();) backoff.pause_in_place();
}

} // namespace

// The member's hot team is from now on one with these `count` threads, which do not know it yet.
static Team* make_hot(Member* parent, int count, Worker* const* workers, const uint16_t* domains, int asked) {
  Team* team = take_team(count + 1, domains);
  team->asked = asked;
  team->light = false;
  team->kernel_threads = count + 1;
  team->attached.store(count, std::memory_order_relaxed); // relaxed: released with each member
  for (int tid = 1; tid <= count; ++tid) {
    Member& member = team->members[tid];
    member.worker = workers[tid - 1];
    counters_first_domain(member.worker, member.physical_domain);
    member.took_part = false;
    // relaxed: written before the last thread left the team.
    member.go_seen = team->domain_lines[member.domain].go.load(std::memory_order_relaxed);
  }
  team->binding.size = 0; // its members were placed for other threads
  return parent->hot_child = team;
}

static void assign_members(Team* team) {
  for (int tid = 1; tid < team->kernel_threads; ++tid) {
    Member& member = team->members[tid];
    // release: pairs with acquire in serve_teams().
    member.worker->thread.assigned_member.store(&member, std::memory_order_release);
  }
  team->members_are_new = team->kernel_threads > 1;
}

Team* team_for_region(Member* parent, int size, const TeamPlaces& places) {
  Team* team = parent->hot_child;
  if (team != nullptr && team->asked >= size && (!team->light || size <= team->kernel_threads)) {
    int members = std::min(size, team->capacity);
    if (!binding_on || binding_place_members(team, places, members)) return team;
  }
  if (team != nullptr) dismiss(team, Dismissal::kAwaited);
  parent->hot_child = adopt_team(size, places);
  if (parent->hot_child != nullptr) return parent->hot_child;
  Scratch<Worker*> taken(std::min(size, kMostWorkers));
  Scratch<uint16_t> wanted(binding_on ? size < kMostWorkers ? size : kMostWorkers : 0);
  Worker** workers = taken.get();
  uint16_t* domains = binding_on ? wanted.get() : nullptr;
  if (workers == nullptr || (binding_on && domains == nullptr)) return nullptr;
  int got = workers_take(size - 1, workers);
  if (got == 0) return nullptr;
  if (binding_on) {
    binding_sort_workers(places, got, workers);
    binding_wanted_domains(places, got + 1, workers, domains);
  }
  team = make_hot(parent, got, workers, domains, size);
  if (binding_on) binding_place_members(team, places, got + 1);
  assign_members(team);
  return team;
}

// The domains that members of a light team should be in: those of their hosts.
static void light_domains(const Member* parent, const TeamPlaces& places, int kernel_threads, int size,
                          Worker** workers, uint16_t* domains) {
  domains[0] = parent->physical_domain;
  for (int host = 1; host < kernel_threads; ++host)
    domains[host] = topology.domain_of_pu != nullptr ? topology.domain_of_pu[host % topology.pu_count] : 0;
  if (binding_on && kernel_threads > 1) binding_wanted_domains(places, kernel_threads, workers, domains);
  for (int tid = kernel_threads; tid < size; ++tid) domains[tid] = domains[tid % kernel_threads];
}

static Team* make_light(Member* parent, int size, int kernel_threads, const TeamPlaces& places) {
  if (parent->hot_child != nullptr) dismiss(parent->hot_child, Dismissal::kAwaited);
  parent->hot_child = nullptr;
  Scratch<Worker*> taken(size);
  Scratch<uint16_t> domains(size);
  Worker** workers = taken.get();
  if (workers == nullptr || domains.get() == nullptr) return nullptr;
  int others = kernel_threads > 1 ? workers_take(kernel_threads - 1, workers) : 0;
  if (binding_on) binding_sort_workers(places, others, workers);
  int got = others + light_take(size - 1 - others, workers + others, team_serve_light);
  if (got == 0) return nullptr;
  light_domains(parent, places, others + 1, got + 1, workers, domains.get());
  Team* team = make_hot(parent, got, workers, domains.get(), size);
  team->kernel_threads = others + 1;
  team->light = got > others;
  // relaxed: the start signal releases it.
  for (int tid = others + 1; tid <= got; ++tid)
    workers[tid - 1]->thread.assigned_member.store(&team->members[tid], std::memory_order_relaxed);
  assign_members(team);
  return team;
}

Team* team_for_light_region(Member* parent, int size, int kernel_threads, const TeamPlaces& places) {
  Team* team = parent->hot_child;
  if (team == nullptr || team->asked < size || team->kernel_threads != kernel_threads ||
      (binding_on && kernel_threads > 1 && !binding_place_members(team, places, kernel_threads)))
    team = make_light(parent, size, kernel_threads, places);
  if (team == nullptr) return nullptr;
  if (!binding_on || team->kernel_threads == 1)
    team->members[0].placement = parent->placement; // nobody is moved
  else
    binding_place_members(team, places, team->kernel_threads);
  for (int tid = team->kernel_threads; tid < team->capacity && binding_on; ++tid)
    team->members[tid].placement = team->members[team->light_host(tid)].placement;
  return team;
}

Team* team_for_serial_region(Member* parent) {
  if (parent->serial_child == nullptr) parent->serial_child = take_team(1, nullptr);
  return parent->serial_child;
}

void team_count_members(Team* team) {
  arrival_count_members(team);
  int used = 1; // the domains in use are those of the smallest numbers (domain_tree.h)
  while (used < team->shape.domain_count && team->arrivals.nodes[used].expected > 0) ++used;
  store_if_new(team->domains_in_use, used);
}

// A thread begins with an implicit task that nobody has encountered.
static Member* begin_alone(Worker* worker, Team* team) {
  Member* member = &team->members[0];
  member->worker = worker;
  team->primary = worker;
  member->implicit_task.flags = kTied | kImplicit;
  member->implicit_task.set_owner(worker->id);
  team_count_members(team);
  worksharing_begin_region(team);
  worksharing_begin_member(member);
  return member;
}

Team* team_make_initial(Worker* worker) {
  Team* team = make_team(1, nullptr, scheduler_find(config.scheduler));
  team->group = team;
  team->icvs.first = icvs_of_settings();
  team->icvs.count.store(1, std::memory_order_relaxed); // relaxed: one thread knows the team
  worker->thread.initial_member = begin_alone(worker, team);
  return team;
}

Member* team_make_for_agent(Worker* worker, const Scheduler* scheduler) {
  Team* team = make_team(2, nullptr, scheduler);
  team->set_size(2);
  return begin_alone(worker, team);
}

void team_renew_initial(Worker* worker) {
  Team* team = worker->thread.initial_member->team;
  Task* task = &worker->thread.initial_member->implicit_task;
  icvs_release(worker, task);
  task->flags &= ~(kIcvMask | kOwnIcvs);
  team->icvs.first = icvs_of_settings();
  team->icvs.count.store(1, std::memory_order_relaxed); // relaxed: one thread knows the team
}

void team_release_cached(Member* member) { release_cached(member, Dismissal::kAwaited); }

// Light teams are not kept: their threads are of this kernel thread, or of one that may end elsewhere.
static void release_light_below(Team* team) {
  for (int tid = 0; tid < team->capacity && config.nested_light; ++tid)
    release_cached(&team->members[tid], Dismissal::kAwaited);
}

// Where threads spin for longer than by default nothing is kept: those of the pool sleep at once.
void team_leave_behind(Member* member) {
  if (Team* team = member->hot_child; team != nullptr && spin_limit_ns() <= policy::kDefaultSpinNs) {
    member->hot_child = nullptr;
    release_light_below(team);
    std::lock_guard guard(teams_lock);
    team->next_free = kept_teams;
    kept_teams = team;
  }
  team_release_cached(member);
}

bool team_recall_kept(int threads) {
  std::lock_guard guard(recall_lock);
  Team* recalled = take_kept_teams(threads);
  for (Team* team = recalled; team != nullptr; team = team->next_free) tell_to_leave(team, Dismissal::kAwaited);
  for (Team *team = recalled, *next; team != nullptr; team = next) {
    next = team->next_free;
    wait_until_all_have_left(team);
    give_team(team);
  }
  if (recalled == nullptr) wait_for_leavers();
  return recalled != nullptr;
}

void team_end_kept() {
  for (Team *team = take_kept_teams(INT_MAX), *next; team != nullptr; team = next) {
    next = team->next_free;
    dismiss(team, Dismissal::kNotAwaited);
  }
}

// The lists may have been caught in the middle of a change. And their deques rely on membarrier(2) if the parent could
// use it, but the child may be unable to (PrivateDeque::reset_after_fork()). So the child makes teams of its own.
void team_cache_reset_after_fork() {
  recall_lock.reset_after_fork();
  teams_lock.reset_after_fork();
  free_teams = kept_teams = nullptr;
}

} // namespace chomp
