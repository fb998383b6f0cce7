// Tasks with dependences and detachable tasks that have not finished: for the stall report, which says what holds them
// up. An observer of events.h gathers them; nothing is kept while the watchdog is off.
#pragma once

#include <cstdint>

#include "runtime/core/events.h"

namespace chomp {

struct Task;

struct OpenTask {
  static constexpr int kKept = 4;
  struct Item {
    uintptr_t address;
    uint8_t flags; // of Dependence
  };
  enum State : uint8_t { kWaits, kRuns, kBodyReturned };

  OpenTask* next = nullptr;
  Task* task = nullptr;
  uint64_t order = 0; // tasks made later have a larger one
  const Task* parent = nullptr;
  uint64_t parent_id = 0; // headers are used again, ids are not
  uintptr_t code = 0;
  State state = kWaits;
  int items = 0; // how many items of the depend clause are kept
  Item item[kKept];
};

/// Sets the functions of the observer that gathers them.
void open_tasks_observe(Observer* observer);
/// Called in the child of fork(): the other threads' tasks are gone.
void open_tasks_reset_after_fork();

/// Copies up to `most` of the oldest open tasks, oldest first; returns how many there are.
int open_tasks_copy(OpenTask* copies, int most);

/// The address of a dependence by which `after` waits for `before`, or 0.
uintptr_t open_task_waits_for(const OpenTask& after, const OpenTask& before);

} // namespace chomp
