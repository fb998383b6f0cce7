// How a team knows that all its tasks have finished: the one place where tasks are counted for that. Most tasks run on
// the worker that made them, and are counted nowhere. An exported task has left its creator's deque, or waits
// elsewhere.
//
//   sum of exported = sum of completed, and all members have arrived: all tasks have finished
//
// Invariant: a task is exported before anybody can see it, or see it gone; it is completed when it has finished and so
// has all that it left in the deque where it ran. So a new kind of task has to be exported (task_count_exported()), and
// completed at its end (task_count_completed()). Proof: runtime/teams/barriers.md, "Termination".
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/core/private_deque.h"

namespace chomp {

struct Team;

/// What threads outside the team count, and which members have counted anything.
class TeamCounts {
public:
  /// Whether a member has exported a task in this region, since the last barrier that had to wait for some. relaxed: a
  /// hint; or a member that has seen all arrive has seen what they had stored before.
  bool has_exported() const { return (who_.load(std::memory_order_relaxed) & kExported) != 0; }
  /// Called by a member of the domain before it counts exported tasks, or completed ones.
  void note_exported(int domain) { note(kExported | bit_of(domain)); }
  void note_completed(int domain) { note(bit_of(domain)); }
  /// The bits of the domains whose members have counted something in this region. relaxed: as in note().
  uint64_t domains() const { return who_.load(std::memory_order_relaxed); }
  /// More than 32 domains share bits.
  static uint64_t bit_of(int domain) { return kExported << (1 + domain % 32); }
  /// All exported tasks have finished, and no member goes on until the caller says so, which releases this.
  void note_all_completed() { who_.fetch_and(~kExported, std::memory_order_relaxed); } // relaxed: as said
  /// By free agents. relaxed: what makes the tasks visible releases it, and it is read after all that were completed.
  void export_outside(uint64_t tasks) { exported_.fetch_add(tasks, std::memory_order_relaxed); }
  /// By free agents and external threads. The team may be gone afterwards; its memory is not.
  void complete_outside(uint64_t tasks) {
    completed_.fetch_add(tasks, std::memory_order_release); // release: pairs with acquire in team_tasks_finished()
  }
  /// Called by the primary before a region.
  void reset() {
    store_if_new(completed_, uint64_t{0});
    store_if_new(exported_, uint64_t{0});
    store_if_new(who_, uint64_t{0});
  }
  void forget_after_fork(int domain) {
    note_exported(domain);                         // of tasks on its stack that others have exported
    exported_.store(0, std::memory_order_relaxed); // relaxed, both: one thread exists
    completed_.store(0, std::memory_order_relaxed);
  }

private:
  friend bool team_tasks_finished(const Team* team);

  static constexpr uint64_t kExported = 1;
  // relaxed, both: what makes the counted tasks visible, or counts them as completed, releases this, too.
  void note(uint64_t bits) {
    if ((who_.load(std::memory_order_relaxed) & bits) != bits) who_.fetch_or(bits, std::memory_order_relaxed);
  }

  atomic<uint64_t> completed_{0};
  atomic<uint64_t> exported_{0};
  atomic<uint64_t> who_{0}; // kExported, and the domains' bits
};

/// What one member counts: it alone writes. relaxed, but where something else is said: there is a single writer.
class MemberCounts {
public:
  /// What makes the tasks visible releases it, and the counter is read after every `completed`.
  void add_exported(uint64_t tasks) {
    exported_.store(exported_.load(std::memory_order_relaxed) + tasks, std::memory_order_relaxed);
  }
  /// An exported task has run here, and may have left something in the deque.
  void add_pending() { ++pending_; }
  /// Called at the bottom of the member's stack. If the deque is empty, what is pending is completed; returns whether
  /// anything was.
  bool complete_pending(const PrivateDeque& deque, TeamCounts& team, int domain) {
    // holds_above() acquires: a member that sees this as completed sees what a thief has counted.
    if (pending_ == 0 || deque.holds_above(0)) return false;
    team.note_completed(domain);
    // release: pairs with acquire in team_tasks_finished().
    completed_.store(completed_.load(std::memory_order_relaxed) + take_pending(), std::memory_order_release);
    return true;
  }
  uint64_t take_pending() {
    uint64_t pending = pending_;
    pending_ = 0;
    return pending;
  }
  /// Called before a region: the last region's tasks have all finished. The members' counts balance only together.
  void reset() {
    exported_.store(0, std::memory_order_relaxed);
    completed_.store(0, std::memory_order_relaxed);
    pending_ = 0;
  }
  /// Of all exported tasks only those that lie on the one thread's stack are left.
  void forget_after_fork(uint64_t on_stack) {
    exported_.store(completed_.load(std::memory_order_relaxed) + pending_ + on_stack, std::memory_order_relaxed);
  }

private:
  friend bool team_tasks_finished(const Team* team);

  atomic<uint64_t> exported_{0};  // tasks that this member brought out of private deques
  atomic<uint64_t> completed_{0}; // such tasks that ran here, and all that they left here
  uint64_t pending_ = 0;          // those that ran here and may have left something here
};

/// Whether all tasks of the team have finished, given that all members have arrived.
bool team_tasks_finished(const Team* team);

} // namespace chomp
