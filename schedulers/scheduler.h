// A scheduler decides where a task waits that has left its creator's private deque, and who takes it next. It is a
// small table of operations on batches. The hot path (runtime/core/private_deque.h) belongs to the runtime, and is the
// same for all. A scheduler that deals (`private_depth` 0) gets every deferred task at once: no task waits in a private
// deque. How to add a scheduler: README.md.
//
// Called by: runtime/share/publish.cpp, runtime/wait/work_loop.cpp and runtime/wait/idle.cpp. A scheduler sees
// runtime/base/, runtime/machine/topology.h and a task's queue hook, nothing else. All state is per team; the runtime
// zeroes it, aligned to a cache line, before init().
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/base/atomic.h"
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

/// What acquire() brings.
struct Acquired {
  QueueHook* task = nullptr; // null: none was seen that the member may run
  bool handed_on = false;    // tasks have become visible to others, so another member should be woken
  int given_to = -1;         // a member whose own queue got some
  bool had = false;          // the task came to the member earlier, with another one
  int emptied_owner = -1;    // a member whose queue, or whose gift, has lost its last task to another, if known
};

/// The members of a team and the domains (chips) that they are in.
struct TeamShape {
  int size = 1;                               // members
  int domain_count = 1;                       // domains that have members
  const uint16_t* domain_of_member = nullptr; // [size]
  const uint16_t* domain_size = nullptr;      // [domain_count] members in each
  const uint16_t* physical_domain = nullptr;  // [domain_count] index into topology, for distances
};

/// What has come to a member that accepted gifts.
enum class Gifts : uint8_t {
  kNone,
  kAcquired, // by the member
  kOnOffer,  // for all: it came too late
};

/// How much one steal of the hierarchical scheduler takes; never more than half of what the victim has.
enum class StealAmount : uint8_t {
  kOne,
  kHalfIdle,  // one for every other hungry member of the thief's domain
  kIdle,      // one for each of them
  kHalfQueue, // whatever there is
};

/// What users may choose of a scheduler.
struct SchedulerSettings {
  StealAmount steal = StealAmount::kIdle; // CHOMP_STEAL
};

struct Scheduler {
  /// How many tasks a member may keep in its private deque: kUnlimited, or 0: deal() gets all.
  uint64_t private_depth = kUnlimited;

  /// Bytes of state for a team of this shape.
  size_t (*state_size)(const TeamShape&);
  void (*init)(void* state, const TeamShape&, const SchedulerSettings&);
  /// Makes the tasks of the batch available to others. Takes one lock. May be called by any member, or with the member
  /// number 0 by a thread outside the team (a completed event).
  void (*publish)(void* state, int member, TaskBatch);
  /// Returns a task that `member` may run. Eligible::may_run is called while no other can take that task. The member
  /// calls it.
  Acquired (*acquire)(void* state, int member, const Eligible&, SchedulerCounts&);
  /// The word that `member` looks at after a push, a pop and before each task body: non-zero when some member is
  /// hungry.
  const atomic<uint32_t>* (*hunger_word)(void* state, int member);
  /// `member` begins or ends being hungry. Calls alternate.
  void (*set_hungry)(void* state, int member, bool hungry);
  /// This and the next three are null unless the scheduler gives. Hands tasks of the batch directly to hungry members
  /// that accept gifts; returns what is left, for publish(). The next acquire() of such a member returns its gift.
  TaskBatch (*give)(void* state, int member, TaskBatch) = nullptr;
  /// Called when a hungry member that is awake begins to accept gifts.
  void (*accept_gifts)(void* state, int member) = nullptr;
  /// Called again and again while the member accepts gifts. A member that has not called for long seems to have lost
  /// its CPU, and gets no gift.
  void (*go_on_accepting)(void* state, int member) = nullptr;
  /// Called when the member stops accepting. A gift that has come, and was not acquired, is put on offer. If any gift
  /// has come since accept_gifts(), the member no longer counts as hungry, and set_hungry() is not called.
  Gifts (*refuse_gifts)(void* state, int member) = nullptr;
  /// Called in the child of fork(): no other member of the team is left, or holds a lock. Null: nothing to do.
  void (*reset_after_fork)(void* state) = nullptr;
  /// A member that took one of the tasks that `member` has published. Index 0: the last taker, 1: the one before, …,
  /// each once; -1: no more are known. A hint: descendants of what a taker took are most likely there. The taker may
  /// have no part in this region. Null: never known.
  int (*taker)(void* state, int member, int index) = nullptr;
  static constexpr int kTakers = 4; // `index` is below
  /// How many tasks `member` should publish now, given that some member is hungry; 0: enough is waiting already.
  unsigned (*wanted)(void* state, int member);
  /// Whether any published or dealt task waits anywhere in the team. May be stale; exact after a heavy fence.
  bool (*has_tasks)(void* state);

  /// Null unless the scheduler deals. Called by `member`: puts a task that this member has made where one of the
  /// region's `team_size` members finds it. Returns that member, which is to be woken; or -1: there is no room.
  int (*deal)(void* state, int member, int team_size, QueueHook* task, SchedulerCounts&) = nullptr;
  /// Null unless the scheduler has queues that only their owners take from. Idle members call it from time to time. It
  /// makes tasks available to all if their owner has not looked for long. Returns how many.
  unsigned (*rescue)(void* state, int member) = nullptr;

  static constexpr uint64_t kUnlimited = ~uint64_t{0};
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
