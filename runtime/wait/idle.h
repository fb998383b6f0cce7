// Being idle: looking around, spinning, parking. The sleep/wake protocol and its proof: runtime/wait/README.md,
// "Parking". How the member asks for tasks meanwhile: runtime/stealing/steal_request.h.
#pragma once

#include <cstdint>

#include "runtime/core/counters.h"
#include "runtime/stealing/steal_request.h"
#include "runtime/stealing/forced_steal.h"
#include "runtime/sync/waiting.h"
#include "runtime/wait/work_loop.h"

namespace chomp {

struct Member;
struct Team;
struct Worker;

/// One spell of idleness in the work loop: from the first look around that found nothing to the next task.
class Idler {
public:
  Idler(Worker* worker, Member* member, const Wait& wait)
      : worker_(worker), member_(member), wait_(wait), asker_(worker, member, wait), forced_steal_(member, wait),
        waiting_(offers_of(worker)) {}
  ~Idler() { found_work(); }

  /// Called when nothing was found: asks for tasks, spins a little, steals by force, or parks. `possible` is false when
  /// the team can have no task (between regions). May return a task, which the member found when it was about to sleep.
  Task* step(bool possible);

  /// See Asker::leaves_tasks_to_prober().
  bool leaves_tasks_to_prober() const { return asker_.leaves_tasks_to_prober(waiting_.rounds()); }

  /// Asks for tasks, and does not sleep. Called instead of step() by a member that soon goes on in any case. Returns
  /// how often it was called in a row.
  uint32_t ask_and_pause();

  /// Whether the member, which found nothing, is to sum for the barrier, though it has completed nothing.
  bool sums_for_barrier() const;

  /// Called when something was found, or the wait is over: the member asks no more.
  void found_work();

private:
  Task* park();
  void sleep_between_regions();
  static CpuOffers* offers_of(Worker* worker);
  bool rests_light(bool possible);
  CpuDemand demand(bool possible) const;
  bool sleeps_briefly(bool possible) const;
  bool leaves_wakers_cpu(bool possible) const;
  static bool fence_before_sleep(bool brief);
  bool sleeps_with_domain() const;
  bool sleep_until_woken(int64_t timeout_ns);
  uint32_t fully_parked() const;
  bool end_brief_sleep();
  Task* sleep();
  int64_t sentinel_timeout_ns();
  Task* look_out();
  void ask_asleep(int32_t going);
  void publish_own_tasks();
  Task* last_look();
  void pass_wake_on(Task*& task);
  void note_idle(int64_t now_ns);
  void show_wait() const;
  void end_idle();

  Worker* worker_;
  Member* member_;
  const Wait& wait_;
  Asker asker_;
  ForcedSteal forced_steal_;
  uint64_t idle_since_ = 0; // by the cycle counter; 0: not idle
  Waiting waiting_;
  IdleSpell idle_;         // for statistics
  bool announced_ = false; // observers have been notified of the spell
  bool fenced_ = false;    // the sleep in progress has passed the heavy fence
  uint32_t parked_ = 0;    // WaitState::parked in that sleep
  uint32_t events_ = 0;    // DomainLine::brief_events before the last look
  // The member looks around for all that sleep in its domain (sentinel.h).
  bool sentinel_ = false;
  int64_t pause_ns_ = 0;       // until it looks around again
  uint32_t looks_in_vain_ = 0; // in a row, while tasks wait that it may not run
};

} // namespace chomp
