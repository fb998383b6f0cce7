// See binding.h. The place list is made in place_list.cpp, at start-up.
#include "runtime/threads/binding.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/check.h"
#include "runtime/base/log.h"
#include "runtime/base/policy.h"
#include "runtime/core/icv.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/machine/topology.h"
#include "runtime/sync/waiting.h"
#include "runtime/threads/affinity.h"
#include "runtime/threads/place_list.h"

namespace chomp {

constinit bool binding_on = false;

namespace {

constinit MachinePlaces machine;
constinit uint16_t* domain_of_cpu = nullptr; // [kMaxCpus]
constinit bool warned_of_refusal = false;

int16_t place_by_number(const Worker* worker) {
  return static_cast<int16_t>((int64_t{worker->gtid} + machine.offset) % machine.places.count());
}

Placement whole_list(int16_t place) { return {place, 0, static_cast<uint16_t>(machine.places.count())}; }

Placement placement_in(const TeamPlaces& team, int size, int tid, const Worker* worker) {
  switch (team.policy) {
  case ProcBind::kFalse: return whole_list(kNotBound);
  case ProcBind::kByThread:
    if (team.balanced) return whole_list(machine.balanced_place(size, tid));
    return tid == 0 ? team.primary : whole_list(place_by_number(worker));
  default: return placement_of(team.policy, team.primary, size, tid);
  }
}

/// The thread that serves member `tid`; the primary decides and takes member 0.
const Worker* worker_of(const Team* team, int tid) { return tid == 0 ? nullptr : team->members[tid].worker; }

/// Counts the members of each place. If a place spans domains, its members go to the domains of its CPUs in turn.
class DomainDealer {
public:
  explicit DomainDealer(uint16_t* members_of_place) : members_of_place_(members_of_place) {
    memset(members_of_place, 0, sizeof(uint16_t) * static_cast<size_t>(machine.places.count()));
  }
  uint16_t next(int tid, int16_t place) {
    if (topology.domain_count == 1) return 0;
    if (place < 0 || domain_of_cpu == nullptr) return topology.domain_of_pu[tid % topology.pu_count];
    int nth = members_of_place_[place]++ % machine.places.size(place);
    return domain_of_cpu[machine.places.cpus(place)[nth]];
  }

private:
  uint16_t* members_of_place_;
};
#define CHOMP_PLACE_COUNTERS                                                                                           \
  static_cast<uint16_t*>(__builtin_alloca(sizeof(uint16_t) * static_cast<size_t>(machine.places.count() + 1)))

bool is_initial(const Member* member) { return member->team->parent_member == nullptr; }

/// The placement of the worker's current member; an initial thread gets one.
Placement placement_of_member(Worker* worker) {
  Member* member = worker->member;
  if (member->placement.place >= 0 || !is_initial(member)) return member->placement;
  Placement first = whole_list(place_by_number(worker));
  if (!config.affinity.kmp.reset) member->placement = first;
  return first;
}

} // namespace

void binding_start() {
  machine.build(config.affinity);
  binding_on = machine.bind;
}

void binding_find_domains() {
  if (!binding_on || topology.domain_count == 1) return;
  domain_of_cpu = static_cast<uint16_t*>(map_pages(sizeof(uint16_t) * kMaxCpus));
  if (domain_of_cpu == nullptr) return;
  if (!topology.synthetic) {
    for (int pu = 0; pu < topology.pu_count; ++pu) domain_of_cpu[topology.cpu_of_pu[pu]] = topology.domain_of_pu[pu];
    return;
  }
  int pu = 0; // a synthetic machine: its PUs stand for the real CPUs, in turn
  for (int cpu = 0; cpu < kMaxCpus; ++cpu)
    if (machine.available.has(cpu)) domain_of_cpu[cpu] = topology.domain_of_pu[pu++ % topology.pu_count];
}

void binding_reset_after_fork(Worker* worker) {
  if (!binding_on) return;
  binding_on = false;
  machine.unbind();
  if (worker == nullptr) return;
  for (Member* member = worker->member; member != nullptr; member = member->team->parent_member)
    member->placement = Placement();
  if (worker->thread.bound_place == kOwnMask || worker->thread.bound_place == kNotBound)
    return; // the runtime has not set this mask
  write_affinity(machine.initial);
  worker->thread.bound_place = kNotBound;
}

TeamPlaces binding_of_region(Worker* worker, int pushed) {
  if (machine.confine) return {ProcBind::kPrimary, false, whole_list(0)};
  ProcBind policy = icvs(worker).proc_bind;
  if (policy == ProcBind::kFalse) return {};
  if (pushed >= static_cast<int>(ProcBind::kPrimary)) policy = static_cast<ProcBind>(pushed);
  TeamPlaces places{policy, false, placement_of_member(worker)};
  if (places.primary.place < 0) return {}; // an enclosing region is not bound
  places.balanced = policy == ProcBind::kByThread && machine.balanced && is_initial(worker->member);
  return places;
}

bool binding_place_members(Team* team, const TeamPlaces& places, int size) {
  if (team->binding.size == size && team->binding.places == places) return true;
  team->binding.size = 0; // 0 until all members are placed
  DomainDealer dealer(CHOMP_PLACE_COUNTERS);
  for (int tid = 0; tid < size; ++tid) {
    Member& member = team->members[tid];
    member.placement = placement_in(places, size, tid, worker_of(team, tid));
    if (size > 1 && dealer.next(tid, member.placement.place) != team->shape.physical_domain[member.domain])
      return false;
  }
  team->binding.places = places;
  team->binding.size = size;
  return true;
}

void binding_wanted_domains(const TeamPlaces& places, int size, Worker* const* workers, uint16_t* domains) {
  DomainDealer dealer(CHOMP_PLACE_COUNTERS);
  for (int tid = 0; tid < size; ++tid)
    domains[tid] = dealer.next(tid, placement_in(places, size, tid, tid > 0 ? workers[tid - 1] : nullptr).place);
}

void binding_sort_workers(const TeamPlaces& places, int count, Worker** workers) {
  if (places.policy != ProcBind::kByThread) return;
  for (int i = 1; i < count; ++i) { // nearly sorted: new threads come in order
    Worker* worker = workers[i];
    int at = i;
    for (; at > 0 && workers[at - 1]->gtid > worker->gtid; --at) workers[at] = workers[at - 1];
    workers[at] = worker;
  }
}

void binding_follow(Worker* worker, int16_t place) {
  if (!binding_on && place >= 0) { // a forked child; the member's team was placed in the parent
    worker->member->placement = Placement();
    return;
  }
  CpuMask mask;
  if (place >= 0)
    mask = machine.places.mask(place);
  else if (place == kNotBound && worker->thread.bound_place == kMakersMask)
    mask = machine.initial;
  else
    return;
  worker->thread.bound_place = place; // even if the system refuses: it is not asked again before the next move
  if (!write_affinity(mask)) {
    if (!warned_of_refusal) warn(120, "Cannot set thread affinity mask: %s.", strerror(errno));
    warned_of_refusal = true;
    return;
  }
  if (!config.affinity.kmp.verbose || place < 0) return;
  char text[kMaskText];
  affinity_mask_text(mask, text, sizeof text);
  inform(254, "%s: pid %d tid %d thread %d bound to OS proc set %s",
         config.proc_bind[0] == ProcBind::kByThread || config.proc_bind_count == 0 ? "KMP_AFFINITY" : "OMP_PROC_BIND",
         getpid(), thread_id(), worker->gtid, text);
}

// Until then, by the cycle counter, no thread moves. relaxed, always: a hint.
static constinit atomic<uint64_t> crowded_until{0};

static bool is_crowded() {
  uint64_t until = crowded_until.load(std::memory_order_relaxed);
  return until != 0 && until > cycle_counter();
}

// Where many others want each CPU, a thread waits for its turn at each wake, unless its waker, which then sleeps,
// leaves it the CPU. So threads that are made there may begin on their maker's, and stay until it is known what moves
// cost. A thread of the program looks; those that help to make threads do as it does.
static bool look_whether_crowded(const Worker* maker) {
  int running = maker->thread.is_root ? runnable_threads() : 0;
  if (running > 2 * topology.allowed_cpus && running > 2 * online_cpus()) // the second number is another file
    crowded_until.store(cycle_counter() + policy::kCostlyFirstCycles, std::memory_order_relaxed);
  return is_crowded();
}

void binding_leave_wakers_cpu(Worker* worker) {
  if (binding_on || worker->thread.is_root || worker->thread.bound_place != kNotBound || machine.disabled) return;
  if (CHOMP_UNLIKELY(is_crowded())) return;
  uint64_t began = cycle_counter();
  leave_cpu(worker->wait.wakers_cpu.load(std::memory_order_relaxed)); // relaxed: a hint
  note_move(&worker->wait.cpu_offers, began);
}

int binding_of_new_threads(const Worker* maker, CpuMask* mask) {
  if (binding_on || maker->thread.bound_place != kNotBound || machine.disabled || !read_affinity(mask)) return -1;
  int here = current_cpu();
  if (here < 0 || !mask->has(here) || mask->count() < 2 || look_whether_crowded(maker)) return -1;
  mask->clear(here);
  return here;
}

Placement binding_of_league_team(Worker* worker, int number, int teams) {
  TeamPlaces places = binding_of_region(worker, config.affinity.teams_bind);
  if (icvs(worker).proc_bind == ProcBind::kByThread) return places.primary; // the league is one thread
  return placement_in(places, teams, number, worker);
}

void binding_end_outermost(Worker* worker) {
  if (!config.affinity.kmp.reset || worker->thread.bound_place < 0) return;
  write_affinity(machine.initial);
  worker->thread.bound_place = kNotBound;
}

int binding_place_count() { return machine.disabled ? 0 : machine.places.count(); }

int binding_place_cpus(int place, int* cpus) {
  if (place < 0 || place >= binding_place_count()) return 0;
  int count = machine.places.size(place);
  for (int i = 0; cpus != nullptr && i < count; ++i) cpus[i] = machine.places.cpus(place)[i];
  return count;
}

Placement binding_ask(Worker* worker) {
  if (machine.disabled) return {};
  if (worker->thread.bound_place == kOwnMask) return whole_list(kNotBound);
  if (!binding_on) return whole_list(0); // the only place is the process's mask
  Member* member = worker->member;
  if (!is_initial(member) || config.affinity.kmp.reset)
    return member->placement.count > 0 ? member->placement : whole_list(kNotBound);
  Placement now = machine.confine                              ? whole_list(0)
                  : icvs(worker).proc_bind == ProcBind::kFalse ? Placement()
                                                               : placement_of_member(worker);
  if (now.place >= 0 && now.place != worker->thread.bound_place) binding_follow(worker, now.place);
  return now.count > 0 ? now : whole_list(kNotBound);
}

int binding_policy(const Worker* worker) {
  ProcBind policy = icvs(worker).proc_bind;
  return static_cast<int>(policy == ProcBind::kByThread ? ProcBind::kTrue : policy);
}

bool binding_capable() { return !machine.disabled; }

// A rank's share limits where the runtime puts threads. A program may put them wherever the process may run.
const CpuMask& binding_available() { return config.local_ranks > 1 ? machine.initial : machine.available; }

void binding_mask_changed(Worker* worker, bool own) {
  worker->thread.bound_place = own ? kOwnMask : kNotBound;
  if (!own) return;
  icv_change(worker, [](Icvs& icvs, const void*) { icvs.proc_bind = ProcBind::kFalse; }, nullptr);
}

} // namespace chomp
