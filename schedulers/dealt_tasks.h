// Tasks that are dealt when they are made, to queues that only their owners take from: what lifo.cpp, fifo.cpp,
// nemesis.cpp and xqueue.cpp have in common. Members deal their tasks to all members of the region in turn; an owner
// takes from its own queue. No member is ever requesting, since there is nothing private to be shared.
//
// An owner may wait in a task that keeps it from running what it finds (the scheduling constraint), or be busy for
// long. Two rules keep a task from waiting for an owner that waits, in whatever way, for that task:
//
//   - If an owner finds tasks that it may not run, it hands them on to one list, `common`, from which all members take.
//   - A member that finds nothing watches the others' queues. If one has tasks and its owner has not looked for
//     kOwnerAbsentNs, the member empties that queue into `common`. The time is so long that the policy stays what it
//     is: dealing, and no balancing later. Such an owner counts as absent until it looks: perhaps it waits, in
//     `ordered` or for a lock, for the very member that deals to it, and no further task is to wait that long.
//
// Proof that this suffices: protocols.md, "Queues that only their owners take from".
//
// `Queues` has all queues of a team:
//   void init(int members, StateMemory)
//   bool push(int producer, int owner, QueueHook*)         by the producer. False: no room
//   QueueHook* pop(int owner, const Eligible&, TaskBatch* refused)   by the owner: a task that may run; or null, and
//                                                          then nothing is left. Others go to `refused`
//   TaskBatch take_all(int owner)                          by another member. Empty if the owner is taking some
//   bool has_tasks(int owner), has_tasks()                 of one owner, of all. May be stale
//   bool kRedirects                                        a full queue means: true, "the next one"; false, "no room"
#pragma once

#include "runtime/base/os_linux.h"
#include "runtime/base/policy.h"
#include "schedulers/queues/locked_lifo.h"
#include "schedulers/scheduler.h"

namespace chomp {

using policy::kMostDealt;

inline void append_task(TaskBatch* batch, QueueHook* task) {
  task->next = nullptr;
  task->prev = batch->newest;
  (batch->newest != nullptr ? batch->newest->next : batch->oldest) = task;
  batch->newest = task;
  ++batch->count;
}

template <class Queues> class DealtTasks : public SchedulerState {
public:
  static SchedulerState* make(const TeamShape& shape, const SchedulerSettings&, StateMemory memory) {
    auto* tasks = make_array<DealtTasks>(memory, 1);
    tasks->init(shape, memory);
    return tasks;
  }

  void init(const TeamShape& shape, StateMemory memory) {
    members_ = shape.size;
    per_member_ = make_array<PerMember>(memory, shape.size);
    for (int member = 0; member < shape.size; ++member) {
      per_member_[member].watched = member;
      // The primary deals to its neighbour first, all others to the one behind theirs. If each began with its
      // neighbour, a successor of the primary's first task would go to the thread that has the primary's second one.
      // These two tasks, which nothing orders, would always run on one thread, and a race detector could not see a race
      // between them.
      per_member_[member].next_owner = member == 0 ? 0 : (member + 1) % shape.size;
    }
    queues.init(shape.size, memory);
  }

  static DealtTasks& of(SchedulerState* state) { return *static_cast<DealtTasks*>(state); }

  static bool publish(SchedulerState* state, int, TaskBatch batch) {
    of(state).common_.push(batch);
    return true;
  }

  static Acquired acquire(SchedulerState* state, int member, const Eligible& eligible, SchedulerCounts& counts) {
    DealtTasks& tasks = of(state);
    tasks.per_member_[member].looks.add();
    TaskBatch refused;
    Acquired acquired{.task = tasks.queues.pop(member, eligible, &refused)};
    if (refused.count > 0) tasks.common_.push(refused);
    if (acquired.task == nullptr) acquired.task = tasks.common_.steal_one(eligible);
    if (acquired.task == nullptr) acquired.rescued = tasks.rescue(member);
    if (acquired.rescued > 0) acquired.task = tasks.common_.steal_one(eligible);
    acquired.handed_on = refused.count > 0 || acquired.rescued > 0;
    if (acquired.task != nullptr) counts.acquired_local.add();
    return acquired;
  }

  static int deal(SchedulerState* state, int member, int team_size, QueueHook* task, SchedulerCounts&) {
    DealtTasks& tasks = of(state);
    if (!tasks.has_room()) return -1;
    PerMember& own = tasks.per_member_[member];
    for (int left = Queues::kRedirects ? team_size : 1; left > 0; --left) {
      int owner = ++own.next_owner < team_size ? own.next_owner : own.next_owner = 0;
      if (tasks.queues.push(member, owner, task)) return owner;
    }
    return -1;
  }

  static bool set_request(SchedulerState*, int, StealRequest) { return false; }
  static unsigned wanted(SchedulerState*, int) { return 0; }
  static bool has_tasks(SchedulerState* state) { return of(state).common_.size() > 0 || of(state).queues.has_tasks(); }

  /// Whether tasks may be dealt. Tasks handed on count, or there would be no bound.
  bool has_room() const { return common_.size() < kMostDealt; }

  Queues queues;

private:
  static constexpr int64_t kOwnerAbsentNs = policy::kQuietPauseNs;
  static constexpr uint64_t kBetweenRescues = 64 * policy::kThiefPause; // cycles: a small part of it, and many looks
  static constexpr int kOwnersPerCall = 4 * policy::kLooksInPassing;

  struct alignas(kCacheLine) PerMember {
    Counter looks;                    // at its own queue
    atomic<uint64_t> absent_since{0}; // its `looks` when rescuers found it absent, plus one
    int next_owner = 0;               // its next task goes to the owner behind this one
    int watched = 0;                  // the owner that this member watches as a rescuer; itself: none
    uint64_t looks_seen = 0;          // the `looks` of that owner at since_ns
    int64_t since_ns = 0;
    uint64_t rescued_at = 0; // when the member, as a rescuer, last watched, by the cycle counter
  };

  // Each call watches one owner with tasks, and passes over a few without. So all idle members together soon watch all
  // owners. So does one member that calls again and again while the others sleep. Returns how many tasks went to
  // `common_`.
  unsigned rescue(int member) {
    PerMember& own = per_member_[member];
    if (cycle_counter() - own.rescued_at < kBetweenRescues) return 0;
    own.rescued_at = cycle_counter();
    int64_t now = monotonic_ns();
    uint64_t looks = per_member_[own.watched].looks.value();
    bool stuck = own.watched != member && looks == own.looks_seen && queues.has_tasks(own.watched);
    // relaxed, both: hints. After a stale one we wait, or take what the owner is just about to find.
    atomic<uint64_t>& absent_since = per_member_[own.watched].absent_since;
    bool absent = absent_since.load(std::memory_order_relaxed) == looks + 1;
    if (stuck && !absent && now - own.since_ns < kOwnerAbsentNs) return 0;
    TaskBatch batch;
    if (stuck) batch = queues.take_all(own.watched);
    if (stuck && !absent) absent_since.store(looks + 1, std::memory_order_relaxed);
    if (batch.count > 0) common_.push(batch);
    for (int step = 0; step < kOwnersPerCall; ++step) {
      if (++own.watched >= members_) own.watched = 0;
      if (own.watched != member && queues.has_tasks(own.watched)) break;
    }
    own.looks_seen = per_member_[own.watched].looks.value();
    own.since_ns = now;
    return batch.count;
  }

  LockedLifo common_;
  int members_ = 1;
  PerMember* per_member_ = nullptr; // [members_]
};

/// One queue for each member, with tasks of any producer.
template <class Queue> class QueuePerOwner {
public:
  static constexpr bool kRedirects = false;

  void init(int members, StateMemory memory) {
    members_ = members;
    queues_ = make_array<Queue>(memory, members);
  }

  bool push(int, int owner, QueueHook* task) { return queues_[owner].push(task); }
  QueueHook* pop(int owner, const Eligible& eligible, TaskBatch* refused) {
    return queues_[owner].pop(eligible, refused);
  }
  TaskBatch take_all(int owner) { return queues_[owner].take_all(); }
  bool has_tasks(int owner) const { return queues_[owner].size() > 0; }
  bool has_tasks() const {
    for (int owner = 0; owner < members_; ++owner)
      if (has_tasks(owner)) return true;
    return false;
  }

private:
  alignas(kCacheLine) int members_ = 1;
  Queue* queues_ = nullptr; // [members_]
};

/// A list under a lock, from which `take_one` takes.
template <QueueHook* (LockedLifo::*take_one)(const Eligible&)> class BoundedList : LockedLifo {
public:
  using LockedLifo::size;
  using LockedLifo::take_all;

  bool push(QueueHook* task) {
    if (size() >= kMostDealt) return false;
    LockedLifo::push(TaskBatch{task, task, 1});
    return true;
  }
  QueueHook* pop(const Eligible& eligible, TaskBatch* refused) {
    QueueHook* task = (this->*take_one)(eligible);
    if (task == nullptr) *refused = take_all();
    return task;
  }
};

/// The table of a scheduler that only chooses the kind of queues.
template <class Queues> constexpr Scheduler dealing_scheduler() {
  using Tasks = DealtTasks<Queues>;
  return {
      .private_depth = 0,
      .make = Tasks::make,
      .publish = Tasks::publish,
      .acquire = Tasks::acquire,
      .set_request = Tasks::set_request,
      .wanted = Tasks::wanted,
      .has_tasks = Tasks::has_tasks,
      .deal = Tasks::deal,
  };
}

} // namespace chomp
