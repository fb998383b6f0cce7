// Measures what steals are worth (core/granularity.h), where they happen: in the thief's work loop.
// ../how_a_task_moves.md, "Granularity control".
#pragma once

#include <cstdint>

#include "runtime/base/os_linux.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"

namespace chomp {

/// Times one acquisition after the other, in one work loop.
class StealTimer {
public:
  /// The loop looks for tasks that others have made. The task that it acquired before has ended.
  void looks(Worker* worker, const Member* member) {
    if (acquired_at_ != 0) end(worker, member);
    looked_at_ = cycle_counter();
    asked_ = member->requesting;
  }
  /// The look has brought nothing, and the loop may sleep. So the cost of the next acquisition is not known.
  void paused() { looked_at_ = 0; }
  /// The look has brought a task that another worker has made, which is run now.
  void acquired(Worker* worker);
  /// The loop runs a task of its own deque. The acquired task may release successors without end, so they are timed in
  /// parts.
  void goes_on(Worker* worker, const Member* member) {
    if (__builtin_expect(acquired_at_ != 0, 0)) end_part_if_long(worker, member);
  }
  /// The loop ends.
  void ends(Worker* worker, const Member* member) {
    if (acquired_at_ != 0) end(worker, member);
  }

private:
  void end(Worker* worker, const Member* member);
  void end_part_if_long(Worker* worker, const Member* member);

  uint64_t looked_at_ = 0;   // 0: not known
  bool asked_ = false;       // the member was requesting then
  uint64_t acquired_at_ = 0; // 0: no task is timed
  uint64_t idle_before_ = 0; // StealingState::idle_cycles then: waits on top of the task are no work
  uint64_t released_before_ = 0;
  uint64_t published_before_ = 0;
  uint64_t end_cycles_before_ = 0;
  unsigned from_elsewhere_ = 0; // StealingState::from_elsewhere of the task
};

} // namespace chomp
