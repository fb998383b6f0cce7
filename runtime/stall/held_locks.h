// Which worker has which lock of the program, and where the worker took it: for the stall report. An observer of
// events.h keeps the table; nothing is kept while the watchdog is off.
#pragma once

#include <cstdint>

#include "runtime/core/events.h"

namespace chomp {

struct HeldLock {
  const void* object = nullptr; // the program's lock; null: the entry is free
  uintptr_t site = 0;           // where the program's call returns
  int gtid = 0;
  bool held = false; // else the worker wants it
};

/// Sets the functions of the observer that keeps the table.
void held_locks_observe(Observer* observer);
void held_locks_reset_after_fork();

/// Finds the thread that has the lock. False if that is not known, since the table was full, or the lock was taken
/// before there was a region.
bool held_lock_find(const void* object, HeldLock* found);

} // namespace chomp
