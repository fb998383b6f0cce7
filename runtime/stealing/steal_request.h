// How a member that has nothing to do asks others for tasks. It has three ways, of which it uses one at a time:
//
//   requesting it is counted in the word that the owners of its domain look at; they publish their oldest tasks
//   probe     the same while steals are not worth it: one member of the team asks, for one task
//   request   it waits in a tied task, and must refuse most of what owners publish; so it asks its thieves
//
// ../how_a_task_moves.md, "Asking". Used by Idler and by creators that wait for room.
#pragma once

#include <cstdint>

#include "runtime/base/lease.h"
#include "runtime/core/wait.h"

namespace chomp {

struct Member;
struct Worker;

/// The asking of one member, from the first look around that found nothing to the next task.
class Asker {
public:
  Asker(Worker* worker, Member* member, const Wait& wait) : worker_(worker), member_(member), wait_(wait) {}

  /// Called when a look around has found nothing. `possible`: the team may have tasks for the member.
  void ask(bool possible);
  /// Called when the member is about to sleep, or goes on sleeping. Owners that see its requests wake it.
  void ask_asleep(bool possible);
  /// Called now and then by a member that has found nothing for a while, to show that it still has its CPU.
  void show_presence();
  /// Called when the member has found something, or its wait is over.
  void stop();

  /// Whether the member looks for no tasks in this round, and so leaves them to the prober.
  bool leaves_tasks_to_prober(uint32_t rounds) const;
  /// How long a sleeper that is not requesting must wait until it may probe; 0: it need not wake for that.
  int64_t until_probe_ns() const;

private:
  bool probe(bool asleep);
  void begin_request(bool awake);
  void ask_no_more();
  void withdraw_request();
  bool waits_in_tied_task() const;
  bool requests() const;
  void request();
  int next_thief();

  Worker* worker_;
  Member* member_;
  const Wait& wait_;
  Lease::Hold probe_;
  uint64_t probing_since_ = 0; // by the cycle counter, as are all times here
  bool present_ = false;       // the scheduler may hand it tasks (StealRequest::kPresent)
  bool asleep_ = false;        // the member has slept since it began to probe
  uint64_t requested_at_ = 0;
  uint32_t requests_made_ = 0;
  int next_thief_ = 0; // the index of the thief that gets the next request
};

} // namespace chomp
