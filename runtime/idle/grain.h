// Grain feedback: tasks shorter than their hand-over are not handed over. A thief times what it acquires, with all that
// descends from it and stays with the thief, and what the acquisition takes. The members of a domain share the two
// means (HandOvers). While the work is not worth it, the idle members of the domain are not hungry, so owners hand over
// nothing and do not even take a slow path; but now and then one of them probes. Called by work_loop() and Idler.
// runtime/idle/README.md, "Grain feedback".
#pragma once

#include <cstdint>

#include "runtime/base/os_linux.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"

namespace chomp {

inline HandOvers& hand_overs_of(const Member* member) { return member->team->domain_lines[member->domain].hand_overs; }

/// Whether what was handed over of late was worth it.
bool hand_overs_pay(const HandOvers& hand_overs);

/// Whether that was worth it no more than a few times over.
bool hand_overs_in_doubt(const HandOvers& hand_overs);

/// How long `count` tasks like those that others have run of late take them at most, in cycles.
uint64_t short_tasks_take(const HandOvers& hand_overs, int64_t count);
/// Tasks of others have taken so long, which is longer than that.
void hand_over_took(HandOvers& hand_overs, uint64_t cycles);

/// Somebody does not get on with tasks that others wait for: until it is known better, hand-overs are worth it.
void hand_over_is_wanted(HandOvers& hand_overs);

/// Although they do not, one member of a domain now and then has its turn to see whether they would by now, until it
/// calls one of the functions below.
bool hand_over_takes_turn(HandOvers& hand_overs);
/// Whether the turn is one to probe: the member is hungry until it has got a task. The more probes in a row have not
/// been worth it, the fewer.
bool hand_over_probe_is_due(HandOvers& hand_overs);
void hand_over_probed(HandOvers& hand_overs);
/// Whether a member of the domain has its turn, or probes.
inline bool hand_over_probes(const HandOvers& hand_overs) {
  return hand_overs.probed_at.load(std::memory_order_relaxed) == HandOvers::kProbing; // relaxed: a hint
}
/// The member does not probe this time.
void hand_over_turn_ends(HandOvers& hand_overs);

/// Times one acquisition after the other, in one work loop.
class HandOverTimer {
public:
  /// The loop looks for tasks that others have made: what it acquired before has ended.
  void looks(Worker* worker, const Member* member) {
    if (acquired_at_ != 0) end(worker, member);
    looked_at_ = cycle_counter();
  }
  /// The look has brought nothing, and the loop may sleep: how long it takes to acquire what comes is not known.
  void paused() { looked_at_ = 0; }
  /// The look has brought a task that another worker has made, which is run now.
  void acquired(Worker* worker) {
    ++worker->timed_acquisitions;
    acquired_at_ = cycle_counter();
    idle_before_ = worker->idle_cycles;
    released_before_ = worker->released;
    release_cycles_before_ = worker->release_cycles;
  }
  /// The loop runs a task of its own deque. What was acquired may have successors without end, so it is timed in parts.
  void goes_on(Worker* worker, const Member* member) {
    if (CHOMP_UNLIKELY(acquired_at_ != 0) && worker->released - released_before_ >= kMostInPart)
      part_ends(worker, member);
  }
  /// The loop ends.
  void ends(Worker* worker, const Member* member) {
    if (acquired_at_ != 0) end(worker, member);
  }

private:
  static constexpr uint64_t kMostInPart = 64; // tasks

  void end(Worker* worker, const Member* member);
  void part_ends(Worker* worker, const Member* member);

  uint64_t looked_at_ = 0;   // 0: nobody knows
  uint64_t acquired_at_ = 0; // 0: nothing is timed
  uint64_t idle_before_ = 0; // Worker::idle_cycles then: waits on top of the task are no work
  uint64_t released_before_ = 0;
  uint64_t release_cycles_before_ = 0;
};

} // namespace chomp
