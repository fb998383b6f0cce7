// Being idle: hunger, spinning, parking, waking. The sleep/wake protocol and its proof: runtime/idle/README.md,
// "Parking".
#pragma once

#include <cstdint>

#include "runtime/core/counters.h"
#include "runtime/idle/work_loop.h"

namespace chomp {

struct HandOvers;
struct Member;
struct Team;
struct Worker;

/// One spell of idleness in the work loop: from the first look around that found nothing to the next task.
class Idler {
public:
  Idler(Worker* worker, Member* member, const Wait& wait) : worker_(worker), member_(member), wait_(wait) {}
  ~Idler() { found_work(); }

  /// Called when nothing was found: becomes hungry, spins a little, revokes tasks of a private deque, or parks.
  /// `possible` is false when the team can have no task (between regions). May return a task that was found while going
  /// to sleep.
  Task* step(bool possible);

  /// Whether the member does not look for tasks this time: they are for another one, which probes.
  bool leaves_tasks() const;

  /// Called instead of step() by a member that goes on soon whatever happens: becomes hungry, and does not sleep.
  void linger();

  /// Whether a member that finds nothing is to sum for the barrier, though it has completed nothing.
  bool sums_for_barrier() const;

  /// Called when something was found, or the wait is over: the member is no longer hungry.
  void found_work();

private:
  void become_hungry();
  void clear_hungry();
  bool may_be_hungry();
  bool requests_instead();
  int taker_to_ask();
  bool waits_in_tied_task() const;
  void decide_hunger(bool possible);
  bool owner_seems_stuck(HandOvers& hand_overs) const;
  bool urgent_tasks_are_left(HandOvers& hand_overs) const;
  bool scouts(int64_t now_ns);
  void scouts_no_more();
  void take_from_the_stuck(int32_t looks);
  void revoke_from_someone(int32_t looks);
  void watch_someone(int32_t looks, int64_t now_ns);
  Task* park();
  void sleep_between_regions();
  bool hunger_is_propagated() const;
  bool must_give_way(bool possible) const;
  bool sleeps_briefly(bool possible) const;
  bool leaves_wakers_cpu(bool possible) const;
  static bool fence_before_sleep(bool brief);
  Task* sleep();
  Task* sleep_in_crowd();
  Task* watch();
  void publish_own_tasks();
  void decide_hunger_in_crowd();
  Task* last_look();
  void pass_wake_on(Task*& task);
  int64_t timed_wait_ns() const;
  void note_idle(int64_t now_ns);
  void show_wait() const;
  void end_idle();

  Worker* worker_;
  Member* member_;
  const Wait& wait_;
  bool probing_ = false;    // hungry although hand-overs are not worth it (grain.h)
  uint64_t idle_since_ = 0; // by the cycle counter; 0: not idle
  // Tasks are requested, by the cycle counter: since when, and when last; 0: not yet.
  uint64_t requesting_since_ = 0, requested_at_ = 0;
  int next_taker_ = 0; // of which they are requested next
  uint32_t rounds_ = 0;
  int64_t began_ns_ = 0;
  IdleSpell idle_;    // for statistics
  bool told_ = false; // observers know of the spell
  // The sleep in progress: others know of the hunger; the heavy fence was passed.
  bool propagated_ = false, fenced_ = false;
  // The victim watched for being stuck in a long task, and what its deque looked like.
  int32_t watched_ = -1;
  uint64_t watched_activity_ = 0;
  int64_t watched_since_ns_ = 0;
  int32_t looked_at_ = -1;        // the last member whose deque was looked at
  int64_t scouting_since_ns_ = 0; // looks for stuck owners for its domain; 0: does not
  // More threads than CPUs (watch.h).
  bool watching_ = false;
  int64_t pause_ns_ = 0;       // of the watcher, until it looks around
  uint32_t looks_in_vain_ = 0; // of the watcher, with tasks waiting that it may not run
};

/// Wakes one sleeping member of the team's current region for published work. Contains the light side of the fence.
void idle_wake_one(Team* team);

/// A start signal has been stored for the domain: wakes its members that sleep between regions, with one system call,
/// and those that went to sleep in the last region. Contains the light side of the fence.
void idle_wake_for_start(Team* team, int domain);

/// A barrier has been opened for the domain: wakes its members that sleep. Contains the light side of the fence.
void idle_wake_domain(Team* team, int domain);

} // namespace chomp
