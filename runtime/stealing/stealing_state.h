// What a worker knows of tasks that were handed over: what that is worth (steal_timer.h), and what it has
// published. Owner only.
#pragma once

#include <cstdint>

#include "schedulers/scheduler.h"

namespace chomp {

struct StealingState {
  uint64_t idle_cycles = 0; // in work_loop(), without a task
  uint32_t timed_acquisitions = 0;
  bool task_came_earlier = false; // the task that find_work() returned had come here with another one
  unsigned from_elsewhere = 0;    // so many tasks came with it from another chip, itself among them
  uint16_t unmeasured = 0;        // steals since one was measured
  uint64_t end_cycles = 0;        // spent at ends of tasks that end_moves_lines(), while some are timed
  uint32_t published_flags = 0;   // Task::flags of the task that was published last
  SchedulerCounts counts;
};

} // namespace chomp
