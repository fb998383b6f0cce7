// What a thread waits for: an argument of the work loop (wait/work_loop.h) and of the observers' events (events.h).
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"

namespace chomp {

struct Task;
struct Taskgroup;

enum class WaitFor : uint8_t {
  kChildren,  // of the current task
  kTaskgroup, // the current task's group
  kWord,      // a word has a value
  kTime,      // a moment of monotonic_ns()
  kTeamTasks, // all tasks of a team of one
  kBarrier,   // the barrier of that epoch opens
  kJoin,      // primary: the region's last barrier completes
  kGo,        // pool thread: the next start signal of the team
  kSpawned,   // the thread of the spawned tasks: the next one (teams/spawned_tasks.cpp)
};

struct Wait {
  WaitFor what;
  uint64_t epoch = 0; // of the barrier; the value of the word; the moment
  Task* task = nullptr;
  Taskgroup* group = nullptr;
  atomic<uint32_t>* word = nullptr;
  bool alone = false;          // the thread takes nothing from others meanwhile
  bool begins_nothing = false; // nor anything that it has made itself: this is no scheduling point
};

/// Whether it is the implicit task that waits, in a barrier: no task is suspended below.
inline bool at_bottom(const Wait& wait) {
  return wait.what == WaitFor::kTeamTasks || wait.what == WaitFor::kBarrier || wait.what == WaitFor::kJoin ||
         wait.what == WaitFor::kGo || wait.what == WaitFor::kSpawned;
}

} // namespace chomp
