// Mutual exclusion as OpenMP has it: critical sections, simple and nestable locks (OpenMP 5.2, 15.2 and 18.9). Called
// from any thread, known to the runtime or not.
//
// All of them are a ProgramLock: one word, zero when free. A simple lock and the name of a critical section keep the
// word inside the program's own object (its first four bytes: GCC's omp_lock_t has no more), so a zeroed object is
// free, and neither needs memory or an owner. A nestable lock is owned by a task and counts, which does not fit into
// the program's one word: that word points to a record.
#pragma once

#include <cstdint>

#include "runtime/sync/program_lock.h"

namespace chomp {

struct Task;

/// The lock inside the name of a critical section (32 bytes, zeroed by the compiler) or inside an omp_lock_t.
inline ProgramLock* lock_in(void* object) { return static_cast<ProgramLock*>(object); }

/// The part of omp_sync_hint_t that matters (OpenMP 5.2, 15.1): contended (2), unless it also says uncontended (1).
inline ProgramLock::Hint lock_hint(uint64_t hint) {
  return (hint & 3) == 2 ? ProgramLock::Hint::kContended : ProgramLock::Hint::kNone;
}

/// The lock of critical sections without a name, for code that brings no object for it (GCC's).
extern constinit ProgramLock unnamed_critical;

struct NestLock {
  explicit NestLock(ProgramLock::Hint hint) : lock(hint) {}

  ProgramLock lock;
  uint32_t count = 0; // owner only
  // The task that holds it; null: nobody. A task compares it with itself only.
  atomic<const Task*> owner{nullptr};
};

NestLock* nest_lock_make(ProgramLock::Hint hint);
void nest_lock_destroy(NestLock* lock);
/// Returns the nesting count after locking.
int nest_lock_set(NestLock* lock);
/// The same without waiting; 0 if another task owns it.
int nest_lock_test(NestLock* lock);
/// Returns the nesting count that is left.
int nest_lock_unset(NestLock* lock);

} // namespace chomp
