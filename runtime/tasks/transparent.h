// Transparent tasks (OpenMP 6.0, 17.9.6): their children's dependences meet those of tasks outside. Done by
// dependences/dependence_release.cpp; here is what the files of tasks/ call. A transparent task is kHasAffinity, so
// that other tasks need no look of their own. More: runtime/dependences/README.md, "Transparent tasks".
#pragma once

#include "runtime/core/task.h"

namespace chomp {

inline bool is_transparent(const Task* task) { return task->is(kHasAffinity) && task->extra->transparent; }

/// Whether the current task may wait for others than its children and what belongs to its groups.
inline bool waits_beyond_children(const Task* task) {
  return task->extra != nullptr && (task->extra->transparent || task->extra->transparent_children);
}

/// The new task of the current one will import dependences and export them. A graph with such a task is not replayed.
void transparent_make(Worker* worker, Task* task);

/// The task is about to be spawned: its children will wait for those children that the current task has made so far.
void transparent_import(Worker* worker, Task* task);

/// The task has finished but for its children: what depends on it will depend on these, too. `may_run` as in Releaser.
void transparent_export(Worker* worker, Team* team, bool may_run, Task* task);

/// Whether a waiter that waits beyond its children may wait for a queued task, which then does not wait for the waiter.
/// Only transparent tasks wait for more than their descendants: for what was made before them.
bool transparent_waits_for(const Task* waiter, const Task* task);

/// A taskloop without deferred tasks: the children of its tasks import from nothing, so the current task waits first.
void transparent_wait(Worker* worker);

} // namespace chomp
