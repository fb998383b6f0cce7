// A scheduler decides where a task waits that has left its creator's private deque, and who takes it next. It is a
// small table of operations on batches. The hot path (runtime/core/private_deque.h) belongs to the runtime, and is the
// same for all. A scheduler that deals (`private_depth` 0) gets every deferred task at once: no task waits in a private
// deque. How to add a scheduler: README.md.
//
// A scheduler sees runtime/base/, runtime/machine/topology.h and a task's queue hook, nothing else. All state is per
// team.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "runtime/base/atomic.h"
#include "runtime/base/cacheline.h"
#include "runtime/base/counter.h"

namespace chomp {

/// A task as part of a queue. The links belong to the scheduler from publish() or deal() until acquire() returns the
/// task.
struct QueueHook {
  QueueHook* next;
  QueueHook* prev;
};

/// Tasks in the order of their creation, oldest first, linked through `next`.
struct TaskBatch {
  QueueHook* oldest = nullptr;
  QueueHook* newest = nullptr;
  unsigned count = 0;
};

/// The tasks that a thread has refused while it waits in a task. The answer for a task stays the same during a wait. So
/// when the thread has looked through a list in vain, only what was put in since then is worth another look. Owner
/// only. The table is small: a list that others displace costs another look.
class RefusedLists {
public:
  /// The number of the thread's present wait. What was noted in another wait does not count.
  uint64_t wait = 0;

  /// How many of a list's newest tasks the thread has not refused yet. `ever_pushed` were ever put into the list.
  uint64_t unseen(const void* list, uint64_t ever_pushed) const {
    for (unsigned probe = 0, at = index_of(list); probe < kProbes; ++probe, at = (at + 1) % kEntries)
      if (entries_[at].list == list && entries_[at].wait == wait) return ever_pushed - entries_[at].ever_pushed;
    return ever_pushed;
  }

  /// Notes that a task was refused for want of an answer: one look follows only so many ancestors.
  void not_sure() { unsure_ = true; }

  /// Called when the thread has looked through the list in vain. If not every answer was known, nothing is noted, and
  /// the next looks of this wait may take longer.
  void refuse_all(const void* list, uint64_t ever_pushed) {
    if (unsure_) {
      unsure_ = false;
      longer_ = longer_looks() + (longer_looks() < kMostLonger);
      longer_in_ = wait;
      return;
    }
    unsigned first = index_of(list), chosen = first;
    for (unsigned probe = 0, at = first; probe < kProbes; ++probe, at = (at + 1) % kEntries) {
      if (entries_[at].list == list) {
        chosen = at;
        break;
      }
      if (entries_[at].wait != wait && entries_[chosen].wait == wait) chosen = at;
    }
    entries_[chosen] = {list, wait, ever_pushed};
  }

  /// How often the limit of a look is doubled, after looks in vain in which not every answer was known.
  unsigned longer_looks() const { return longer_in_ == wait ? longer_ : 0; }

private:
  struct Entry {
    const void* list = nullptr;
    uint64_t wait = 0, ever_pushed = 0;
  };
  static constexpr unsigned kEntries = 32, kProbes = 8, kMostLonger = 6;
  static unsigned index_of(const void* list) {
    return static_cast<unsigned>(reinterpret_cast<uintptr_t>(list) * 0x9e3779b97f4a7c15u >> 59); // 5 bits: kEntries
  }
  Entry entries_[kEntries];
  bool unsure_ = false;
  unsigned longer_ = 0;
  uint64_t longer_in_ = 0;
};

/// What a look does where the member's own domain has no task. While steals between domains are not worth it
/// (runtime/core/granularity.h), a domain goes on without the others.
enum class OtherDomains : uint8_t {
  kAsks,  // it looks at them, and asks them for tasks if they have none on offer
  kLooks, // it looks, but does not ask
  kStays, // it does not look, and withdraws what its domain has asked
};

/// Says whether the worker that acquires may run a task now (the task scheduling constraint, OpenMP 5.2, 12.9), and how
/// deep a task is: how many generations below the initial task, modulo 2^32.
struct Eligible {
  bool (*may_run)(void* context, QueueHook* task);
  uint32_t (*depth_of)(const QueueHook* task);
  void* context;
  uint32_t waiter_depth;           // of the task that waits for others, or in a barrier
  RefusedLists* refused = nullptr; // null: every look is the first
  bool only_descendants = false;   // a tied task waits, so a task that does not descend from it is refused
  bool in_passing = false; // there will be another look: a queue that somebody else has locked may be passed over
  OtherDomains other_domains = OtherDomains::kAsks;

  uint64_t unseen(const void* list, uint64_t ever_pushed) const {
    return refused != nullptr ? refused->unseen(list, ever_pushed) : ever_pushed;
  }
  void refuse_all(const void* list, uint64_t ever_pushed) const {
    if (refused != nullptr) refused->refuse_all(list, ever_pushed);
  }
};

/// What a thread's calls of acquire() and deal() have done, for statistics. Written by that thread only.
struct SchedulerCounts {
  Counter acquired_local;    // tasks acquired from a queue of the member or of its domain, or from one for everybody
  Counter stolen_operations; // times that tasks were taken from another domain's queue, or another member's
  Counter stolen_tasks;      // how many they were
  Counter failed_steals;     // times that a victim was seen to have tasks, and none was got
};

/// What acquire() brings, and what its caller is to do beside.
struct Acquired {
  QueueHook* task = nullptr;   // null: none was seen that the member may run
  bool handed_on = false;      // wake another member: it can see tasks that nobody could see before
  int given_to = -1;           // wake this member: its own queue has got tasks
  bool came_earlier = false;   // measure no steal: the task came here with one that was acquired before
  int emptied_owner = -1;      // ask this member for more: it had nothing public left but what was acquired
  unsigned from_elsewhere = 0; // measure a steal of so many tasks from another domain, `task` among them
  unsigned rescued = 0;        // count so many tasks as revoked: their owner did not look at its queue
};

/// The members of a team and the domains (chips) that they are in.
struct TeamShape {
  int size = 1;                               // members
  int domain_count = 1;                       // domains that have members
  const uint16_t* domain_of_member = nullptr; // [size]
  const uint16_t* domain_size = nullptr;      // [domain_count] members in each
  const uint16_t* physical_domain = nullptr;  // [domain_count] index into topology, for distances
};

/// What a member says of itself to those that may have tasks for it.
enum class StealRequest : uint8_t {
  kNone,       // it looks for no tasks any more
  kRequesting, // it has found none
  kPresent, // it is requesting and awake, so it may be handed tasks directly. It says so again and again: a member that
            // has not said so for long seems to have lost its CPU
};

/// How much one steal of the hierarchical scheduler takes; never more than half of what the victim has.
enum class StealAmount : uint8_t {
  kOne,
  kHalfIdle,  // one for every other requesting member of the thief's domain
  kIdle,      // one for each of them
  kHalfQueue, // whatever there is
};

/// What users may choose of a scheduler.
struct SchedulerSettings {
  StealAmount steal = StealAmount::kIdle; // CHOMP_STEAL
};

inline constexpr atomic<uint32_t> nobody_requests{0};
/// The bit of a domain's request word that says that other domains ask.
inline constexpr uint32_t kRequestedElsewhere = 1u << 31;

/// What the state of each scheduler begins with: the words that members look at after a push, a pop and before each
/// task body. A word is non-zero while somebody is requesting. Each domain has one; or all share one.
struct SchedulerState {
  const atomic<uint32_t>* first_request_word = &nobody_requests;
  size_t bytes_to_next_word = 0;

  /// Whether members of a domain share what they have, and domains steal from one another.
  bool has_domains() const { return bytes_to_next_word != 0; }

  const atomic<uint32_t>* request_word(int domain) const {
    auto* words = reinterpret_cast<const char*>(first_request_word);
    return reinterpret_cast<const atomic<uint32_t>*>(words + static_cast<size_t>(domain) * bytes_to_next_word);
  }
};

/// Where state comes from: zeroed, aligned to a cache line, and never unmapped.
using StateMemory = void* (*)(size_t bytes);

template <class T> T* make_array(StateMemory memory, int count) {
  auto* first = static_cast<T*>(memory(static_cast<size_t>(count) * sizeof(T)));
  for (int at = 0; at < count; ++at) new (first + at) T;
  return first;
}

struct Scheduler {
  static constexpr uint64_t kUnlimited = ~uint64_t{0};
  /// How many tasks a member may keep in its private deque: kUnlimited, or 0: deal() gets all.
  uint64_t private_depth = kUnlimited;
  /// Whether publish() hands tasks directly to members that are present (StealRequest::kPresent).
  bool hands_over = false;

  /// Makes the state of a team. In the child of fork() it is made anew, without tasks.
  SchedulerState* (*make)(const TeamShape&, const SchedulerSettings&, StateMemory);
  /// Makes the tasks of the batch available to others. Takes one lock. May be called by any member, or with the member
  /// number 0 by a thread outside the team (a completed event). Returns whether another member should be woken; not if
  /// members that are awake have got all.
  bool (*publish)(SchedulerState*, int member, TaskBatch);
  /// Returns a task that `member` may run. Eligible::may_run is called while no other can take that task. The member
  /// calls it.
  Acquired (*acquire)(SchedulerState*, int member, const Eligible&, SchedulerCounts&);
  /// The member calls it. A request begins with kRequesting and ends with kNone. Returns whether tasks that had been
  /// handed to the member have become available to others.
  bool (*set_request)(SchedulerState*, int member, StealRequest);
  /// How many tasks `member` should publish now, given that some member is requesting; 0: enough is waiting already.
  unsigned (*wanted)(SchedulerState*, int member);
  /// Whether any published or dealt task waits anywhere in the team. May be stale; exact after a heavy fence.
  bool (*has_tasks)(SchedulerState*);

  /// Null unless the scheduler deals. Called by `member`: puts a task that this member has made where one of the
  /// region's `team_size` members finds it. Returns that member, which is to be woken; or -1: there is no room.
  int (*deal)(SchedulerState*, int member, int team_size, QueueHook* task, SchedulerCounts&) = nullptr;
  /// A member that took one of the tasks that `member` has published. Index 0: the last thief, 1: the one before, …,
  /// each once; -1: no more are known. A hint: descendants of what a thief took are most likely there. The thief may
  /// have no part in this region. Null: never known.
  int (*thief)(SchedulerState*, int member, int index) = nullptr;
  static constexpr int kThieves = 4; // `index` is below
};

/// Requests as one word for the team.
class RequestsOfTeam {
public:
  const atomic<uint32_t>* word() const { return &requesting_; }
  unsigned members() const { return requesting_.load(std::memory_order_relaxed); } // relaxed: an estimate
  void set(StealRequest now) {
    // relaxed: a hint; a worker that parks executes the heavy side of the fence.
    if (now != StealRequest::kPresent)
      requesting_.fetch_add(now == StealRequest::kRequesting ? 1 : ~uint32_t{0}, std::memory_order_relaxed);
  }

private:
  alignas(kCacheLine) atomic<uint32_t> requesting_{0};
};

/// What CHOMP_SCHEDULER calls a scheduler (list.def).
struct SchedulerName {
  const char* name = nullptr;  // null: there is no such scheduler
  const char* alias = nullptr; // null: none
};

/// The scheduler of that name or alias, or null.
const Scheduler* scheduler_find(const char* name);

SchedulerName scheduler_name(const Scheduler*);

/// All schedulers, numbered from 0 in the order of list.def.
SchedulerName scheduler_by_number(int number);

/// Names of all schedulers, then their aliases, for settings and messages.
const char* const* scheduler_names(int* count);

} // namespace chomp
