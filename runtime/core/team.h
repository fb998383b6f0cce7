// A team and its members. Everything that tasks touch is per team: deques, requests, counters. A thread runs only tasks
// of its current team, unless it is a free agent.
//
// A member (Member) is the place of one worker in one team. Teams are cached: the hot team of a member is the one it
// forked last (Member::hot_child), so each nesting level in use has its own. A team has members for `capacity` workers,
// of which the first `size` take part in the current region; the others stay in the team and wait.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/base/cacheline.h"
#include "runtime/base/lease.h"
#include "runtime/core/icv.h"
#include "runtime/core/priority_queue.h"
#include "runtime/core/private_deque.h"
#include "runtime/core/task.h"
#include "runtime/core/termination.h"
#include "runtime/observe/tool_state.h"
#include "runtime/loops/worksharing_state.h"
#include "runtime/core/granularity.h"
#include "runtime/config/places.h"
#include "runtime/machine/microtask.h"
#include "schedulers/scheduler.h"

namespace chomp {

struct Team;
struct Worker;

/// A request word that is never zero: where Member::requests points when tasks were requested of that member.
inline constexpr atomic<uint32_t> requested{1};

/// The worker that serves a member. Where a kept team has a new primary, a member that is late may still read the
/// former one. It then wakes a thread that looks around and sleeps again.
class ServingWorker {
public:
  // relaxed, all: the start signal, or the assignment, releases it to threads that need the present one.
  operator Worker*() const { return worker_.load(std::memory_order_relaxed); } // NOLINT(google-explicit-constructor)
  Worker* operator->() const { return worker_.load(std::memory_order_relaxed); }
  ServingWorker& operator=(Worker* worker) {
    worker_.store(worker, std::memory_order_relaxed); // relaxed: as above
    return *this;
  }

private:
  atomic<Worker*> worker_{nullptr};
};

struct alignas(kCacheLine) Member {
  PrivateDeque deque;

  // A line of its own: others read it again and again while the owner asks for work.
  alignas(kCacheLine) MemberCounts counts;

  // Owner only, but for `requests`: SchedulerState::request_word of its domain; or `requested`, stored by a member that
  // asks its thieves (how_a_task_moves.md).
  alignas(kCacheLine) atomic<const atomic<uint32_t>*> requests{nullptr};
  Team* team = nullptr;
  ServingWorker worker;
  Granularity* worth = nullptr;    // of steals by other members of its chip
  PriorityQueue* urgent = nullptr; // its chip's list of priorities
  int32_t tid = 0;
  uint16_t domain = 0;
  uint16_t physical_domain = 0; // of TeamShape
  bool requesting = false;      // registered with the scheduler (idle.cpp)
  bool deals = false;           // the scheduler gets every deferred task when it is made (Scheduler::deal)
  bool took_part = false;       // in the last region: tasks of it may be left to run
  // What the worker may run (tasks/constraint.md): anything on top of the implicit task, which is suspended at the
  // bottom of the stack, as in a barrier; and whatever its tasks make. A free agent may run what has
  // threadset(omp_pool) only.
  bool runs_anything = false, runs_children = true;
  bool pushed_urgent = false;  // to its chip's list of priorities, since it last found that empty
  bool propagates = false;     // the first member of a domain other than 0: notifies the domains below (domain_tree.h)
  bool alone = false;          // its region has no other member
  bool yields_in_vain = false; // and a taskyield has found that all tasks are in its deque, and that it keeps its CPU
  int32_t number = 0;          // omp_get_thread_num()

  alignas(kCacheLine) Task implicit_task;
  MemberWorksharing worksharing;
  Team* hot_child = nullptr;    // the team this member forked last
  Team* serial_child = nullptr; // the same for serialised regions
  uint64_t go_seen = 0;         // the last start signal (DomainLine::go) that this member has followed
  uint64_t barrier_epoch = 0;   // barriers passed or being passed in this team
  int32_t arrives_at = 0;       // the node of the tree of arrivals in which it is counted (teams/arrival.h)
  int32_t arrives_as = 0;       // which one it is there, in the order of the members' numbers
  ToolMember tool;
  Placement placement; // where this region's thread is to run; written by the primary (binding.h)
};

inline constexpr int kStartArguments = 2;

/// What a member needs to begin a region, beside what seldom changes. It lies in the line of the start signal, which
/// releases it.
struct StartPacket {
  Microtask microtask = nullptr;
  Task* parent = nullptr;                // the encountering task
  uint64_t first_loop = 0;               // number of the region's first loop (loops/worksharing.h)
  int32_t argc = 0;                      // of the microtask
  uint32_t fp_control = 0;               // of the primary (fp_control.h); 0: each thread keeps its own
  void* arguments[kStartArguments] = {}; // or, if there are more, the first points to all of them

  /// Members look at the line, so only changes are stored: the signal alone, where the region is that of last time.
  void become(const StartPacket& next) {
    store_if_new(microtask, next.microtask);
    store_if_new(parent, next.parent);
    store_if_new(first_loop, next.first_loop);
    store_if_new(argc, next.argc);
    store_if_new(fp_control, next.fp_control);
    for (int i = 0; i < kStartArguments; ++i) store_if_new(arguments[i], next.arguments[i]);
  }
};

/// What the members of one domain share in barriers and forks. The first line is written by the thread that notifies
/// the domain (domain_tree.h).
struct DomainLine {
  // The last start signal of which the domain had to be notified: epoch << kGoSizeBits | size; size 0: leave the team.
  // The epoch is that of the last barrier before the region.
  alignas(kCacheLine) atomic<uint64_t> go{0};
  atomic<uint64_t> released{0}; // epoch of the last barrier that opened
  StartPacket packet;
  // Between regions (idle.cpp): how many members sleep until the next start signal, and the word that they sleep on.
  alignas(kCacheLine) atomic<uint32_t> sleeping{0};
  atomic<uint32_t> eventcount{0};              // grows after `go`
  atomic<int> notifiers_cpu{-1};               // where the thread that increased it ran
  atomic<uint32_t> brief_events{0};            // those that sleep briefly (wait/idle.cpp) sleep on it, too
  int32_t first_member = -1, last_member = -1; // members between them may be in other domains
  // The sleeper that looks around for all that sleep in the domain, its number + 1; 0: none (wait/sentinel.h).
  alignas(kCacheLine) atomic<uint32_t> sentinel{0};
  // Of a team that tells chips apart; else the first domain's are for all.
  Granularity worth;                        // of steals within the chip
  alignas(kCacheLine) PriorityQueue urgent; // tasks with priorities that the chip's members have made
  alignas(kCacheLine) Lease urgent_thief;   // one member looks at other chips' lists for all of its chip
};
inline constexpr unsigned kGoSizeBits = 16;
static_assert(offsetof(DomainLine, sleeping) == kCacheLine, "a member begins with one line");

inline constexpr int kMostKeptArguments = 8;

/// What the implicit tasks of a region execute.
struct RegionCall {
  Microtask microtask = nullptr;
  int32_t argc = 0;
  void** argv = nullptr;                                        // kept_arguments, if there are few
  alignas(kCacheLine) void* kept_arguments[kMostKeptArguments]; // others read them if a packet has no room for all
};

inline constexpr int kMostArrivals = 4; // at one node
inline constexpr int kMostEnds = 4;     // words at which the primary looks, at a region's end

/// The tree along which members are counted that arrive at a barrier (teams/arrival.h).
struct ArrivalNode {
  int32_t parent = -1;                      // the node in which its last arrival is counted; -1: this is the root
  int32_t expected = 0;                     // members of the region, and nodes below, that are counted here
  int32_t others = 0;                       // the same at a region's end, where the primary is not counted
  int32_t arrives_as = 0;                   // which one it is in its parent, in the order of the members' numbers
  int32_t first_member[kMostArrivals] = {}; // of each that arrives here
  bool ends = false;                        // at a region's end the primary looks here, and nothing is counted above
};
struct alignas(kCacheLine) ArrivalCount {
  atomic<int32_t> missing{0};        // how many have not arrived yet
  void* partial[kMostArrivals] = {}; // what each of them brings to a reduction
  // Members that wait for these two read no line at which others arrive.
  alignas(kCacheLine) atomic<uint32_t> reductions{0}; // how many have been combined here that no barrier ends
  atomic<uint64_t> ended{0}; // the last region's end at which all who are counted below have arrived
};
struct alignas(kCacheLine) ArrivalTree { // each arrival reads it
  ArrivalNode* nodes = nullptr;          // the first ones are the domains'
  ArrivalCount* counts = nullptr;        // of the nodes; lines of their own, since all write them
  ArrivalCount* reduced = nullptr;       // the same of reductions that no barrier ends
  int32_t ends[kMostEnds] = {};          // the nodes at which the primary looks, at a region's end
  int32_t end_count = 0;
  int32_t node_count = 0;
  int32_t counted_for = 0; // the size of the region that `expected` is for; 0: of none
};

/// What the members' placements were made for (threads/binding.cpp).
struct TeamBinding {
  TeamPlaces places;
  int32_t size = 0;  // with that many threads
  bool show = false; // OMP_DISPLAY_AFFINITY: something has changed
};

/// The blocks of internal control variables (icv.cpp) that tasks of a team have changed. Few teams have any.
struct ChangedIcvs {
  atomic<Icvs*> table[kMostIcvBlocks] = {}; // by index, but for 0
  uint8_t slots[2 * kMostIcvBlocks];        // by hash, the indexes of all blocks; void while TeamIcvs::count is 1
};
struct TeamIcvs {
  Icvs first;                // what the region began with: index 0
  atomic<uint32_t> count{0}; // of the blocks, with the first
  Lock lock;
  atomic<ChangedIcvs*> changed{nullptr};
  int nested_threads[kMaxNestingInLists]; // what Icvs::nested_threads points to after num_threads(list)
};

/// Epochs of the team's barriers (teams/barrier.cpp). They grow; 0 is before the first.
struct TeamBarrier {
  alignas(kCacheLine) atomic<uint32_t> others_missing{
      0}; // zero: the partial results of all are in the primary's (barrier_combine())
  // The epoch at which all members have arrived, and that at which all their tasks have finished, too. If nothing was
  // exported, a barrier changes neither of them, and the end of a region does not change `gathered`.
  alignas(kCacheLine) atomic<uint64_t> gathered{0};
  atomic<uint64_t> completed{0};
  atomic<int64_t> ended_ns{0}; // when the last region that was observed ended
};

/// Tasks that come from outside the team: an external thread has made them ready by fulfilling the event of a detached
/// task, or a free agent has made them. Also tasks that free agents may run, too.
struct TeamInbox {
  atomic<uint32_t> count{0};
  Lock lock;
  TaskBatch tasks;
  // Of free agents, under the lock (threads/free_agents.h), but for agents_find_offered().
  atomic<uint32_t> pool_tasks{0}; // so many of the tasks are for them too
  int32_t agents = 0;             // so many run tasks of the team now
  int32_t most_agents = 0;        // so many may
  // Target tasks, which only helpers run: members do not even see them. Under the lock.
  TaskBatch targets;
  int32_t helpers = 0; // so many run them now
  // Of the last caller of agents_want_tasks(): thread-limit-var, and what is set in its floating-point unit
  // (fp_control.h), or in that of its region's primary.
  int32_t thread_limit = 0;
  uint32_t fp_control = 0;
  bool listed = false;         // among the teams that offer tasks
  Team* next_listed = nullptr; // under the list's lock
};

struct alignas(kCacheLine) Team {
  // Read by members inside regions. The primary writes it between two regions, and only what has changed. So a region
  // like the one before moves no line but those of its signals (store_if_new()).
  int32_t capacity = 1;
  int32_t level = 0;         // how many parallel regions are around, serialised ones too (omp_get_level)
  int32_t active_level = 0;  // those with more than one thread
  Member* members = nullptr; // [capacity]
  ServingWorker primary;     // members[0].worker, whose line the primary writes
  TeamBinding binding;
  const Scheduler* scheduler = nullptr;
  SchedulerState* scheduler_state = nullptr;
  TeamShape shape;
  DomainLine* domain_lines = nullptr; // [shape.domain_count]
  ArrivalTree arrivals;
  bool tells_chips_apart = false; // it has several, each with three members or more, and so has its scheduler
  int32_t domains_in_use = 1;
  int32_t asked = 1;            // threads that were wanted when the team was made; the system may have given fewer
  bool members_are_new = false; // assigned, and woken by the first start signal (start_signal.cpp)
  bool light = false;           // members from `kernel_threads` on share that of light_host() (wait/light_team.h)
  int32_t kernel_threads = 1;
  Member* parent_member = nullptr;  // the primary's member in the enclosing team; null in an initial team
  Team* group = nullptr;            // the team whose initial task began the contention group (OpenMP 5.2, 1.2.2)
  Team* served = nullptr;           // of a free agent's own team: whose tasks it runs (teams/free_agent.cpp); else null
  bool helps = false;               // and the agent is a helper, which runs target tasks
  int32_t group_share = 0;          // threads of this region counted in group->group_threads, beside the primary
  atomic<int32_t> running_share{0}; // threads of this region that are counted as running (threads/running_threads.h)
  bool cancellable = false;
  // teams construct on the host
  int32_t team_number = 0, league_size = 1;

  TeamIcvs icvs;

  // The primary's alone: the others have the start packet.
  alignas(kCacheLine) uint64_t first_loop = 0; // number of the region's first loop (loops/worksharing.h)
  uint32_t fp_control = 0;                     // when the region began (fp_control.h); 0: each thread keeps its own
  RegionCall call;
  uint32_t ends_seen = 0; // a bit for each of ArrivalTree::ends that has the region's end
  // Set where the runtime has chosen the region's size (teams/region_size.h); else as initialised here.
  bool is_adjusted = false;
  int32_t budget_share = 0;                // threads taken out of the budget (threads/thread_budget.h)
  struct RegionSite* timed_site = nullptr; // which learns from how long the region takes; null: none
  uint64_t timed_since = 0;                // by the cycle counter

  TeamBarrier barrier;
  atomic<uint32_t> cancelled{0}; // kind of construct being cancelled (cancel.cpp)

  // Sleeping members, one bit each (idle.cpp).
  alignas(kCacheLine) atomic<uint64_t>* sleepers = nullptr; // [(capacity + 63) / 64]
  atomic<int32_t> attached{0};                              // pool threads that serve this team

  FarWorth far; // of steals between chips, if it tells them apart
  alignas(kCacheLine) Lease
      forced_steal_lease; // one member looks after owners that seem stuck (stealing/forced_steal.h)

  alignas(kCacheLine) TeamInbox inbox;
  alignas(kCacheLine) atomic<class AffinityMap*> affinity_map{
      nullptr}; // of teams with several domains (task_affinity.cpp)
  TeamCounts counts;

  // Of the contention group that begins here, while it has a limit (region.cpp): its threads, and kOneAgent for each
  // free agent.
  atomic<int64_t> group_threads{1};
  static constexpr int64_t kOneAgent = int64_t{1} << 32;

  TeamWorksharing worksharing;
  uint32_t forgot = 0;                                // how often it forgot its tasks, in children of fork()
  struct ReductionCopies* region_reduction = nullptr; // constructs with reduction(task, …) in progress: a list
  Team* next_free = nullptr;
  ToolRegion tool;
  // relaxed: for ompt_get_state() of threads that still wait in the last barrier of a region, whenever they see it.
  atomic<bool> tool_region_over{false};

  // Whether a task with a priority was ever made here.
  bool has_urgent() const { return has_urgent_.load(std::memory_order_relaxed); } // relaxed: looked at again
  void note_urgent() { store_if_new(has_urgent_, true); }

  // relaxed, all: the primary writes them before a region, and the start signal releases them. Threads that are still
  // idle after the last region may read either value, and look again when they see the signal.
  int32_t size() const { return size_.load(std::memory_order_relaxed); }
  void set_size(int32_t size) { store_if_new(size_, size); }
  int32_t total_threads() const { return total_threads_.load(std::memory_order_relaxed); }
  void set_total_threads(int32_t threads) { store_if_new(total_threads_, threads); }
  bool may_spin() const { return may_spin_.load(std::memory_order_relaxed); }
  bool waits_briefly() const { return light || may_spin(); } // looks a while for what is soon there
  void set_may_spin(bool may) { store_if_new(may_spin_, may); }
  // Once a region of the team had more threads than there are CPUs, for ever: starts and sleeps between regions come
  // often, and each fences its own CPU (runtime/wait/README.md, "Between regions").
  bool was_oversubscribed() const { return was_oversubscribed_.load(std::memory_order_relaxed); }
  void note_oversubscribed() { store_if_new(was_oversubscribed_, true); }
  bool yields_soon() const { return yields_soon_.load(std::memory_order_relaxed); }
  void set_yields_soon(bool do_yield) { store_if_new(yields_soon_, do_yield); }
  bool observed() const { return observed_.load(std::memory_order_relaxed); } // the region's tasks are (events.h)
  void set_observed(bool observed) { store_if_new(observed_, observed); }
  bool serial() const { return size() == 1; }
  bool is_light(int32_t tid) const { return light && tid >= kernel_threads; }
  int32_t light_host(int32_t tid) const { return tid % kernel_threads; }

private:
  atomic<int32_t> size_{1};
  atomic<int32_t> total_threads_{1}; // estimate: size times the sizes of the enclosing teams
  atomic<bool> may_spin_{true};      // total_threads fit on the CPUs
  atomic<bool> was_oversubscribed_{false};
  // There is a CPU for each thread of the region, but threads that have no part in it are awake. So a member that waits
  // yields early, since the thread that it waits for may have no CPU.
  atomic<bool> yields_soon_{false};
  atomic<bool> observed_{false};
  atomic<bool> has_urgent_{false};
};

/// The team whose tasks the member runs: its own, or that which a free agent serves.
inline Team* bound_team(Team* team) { return CHOMP_UNLIKELY(team->served != nullptr) ? team->served : team; }
inline Team* bound_team(const Member* member) { return bound_team(member->team); }

/// How many copies a task reduction needs that the member begins, and which copy is the member's. A free agent has the
/// last copy: it is offered no task of another agent's reduction.
inline int32_t copies_for(const Member* member) {
  const Team* team = member->team;
  return CHOMP_UNLIKELY(team->served != nullptr) ? team->served->size() + 1 : team->size();
}
inline int32_t copy_of(const Member* member) {
  const Team* team = member->team;
  return CHOMP_UNLIKELY(team->served != nullptr) ? team->served->size() : member->tid;
}

/// Counts tasks that others will see or wait for, before they can do so. Termination needs to know of no other tasks.
inline void member_count_exported(Member* member, uint64_t tasks) {
  Team* team = member->team;
  member->yields_in_vain = false;
  if (CHOMP_UNLIKELY(team->served != nullptr))
    return team->served->counts.export_outside(tasks); // a free agent's own count stays zero
  team->counts.note_exported(member->domain);
  member->counts.add_exported(tasks);
}

/// MemberCounts::complete_pending() of the member.
inline bool member_complete_pending(Member* member) {
  return member->counts.complete_pending(member->deque, member->team->counts, member->domain);
}

/// A task that has run here, and is completed elsewhere or not at all, may have left something in this deque: one more
/// exported task stands for that.
inline void member_count_leftovers(Member* member) {
  member_count_exported(member, 1);
  member->counts.add_pending();
}

/// Where the program's code of the region begins. Of GCC's code only observers know.
inline uintptr_t code_of(const Team* team) {
  return reinterpret_cast<uintptr_t>(team->tool.body != nullptr ? const_cast<void*>(team->tool.body)
                                                                : reinterpret_cast<void*>(team->call.microtask));
}

} // namespace chomp
