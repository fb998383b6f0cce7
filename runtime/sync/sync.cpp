// Nestable locks, and the lock of critical sections without a name. The rest of sync.h is inline.
#include "runtime/sync/sync.h"

#include <new>

#include "runtime/core/memory.h"
#include "runtime/core/worker.h"

namespace chomp {

constinit ProgramLock unnamed_critical;

NestLock* nest_lock_make(ProgramLock::Hint hint) {
  return new (object_allocate(this_worker(), sizeof(NestLock))) NestLock(hint);
}

void nest_lock_destroy(NestLock* lock) {
  if (lock != nullptr) object_free(this_worker(), lock, sizeof(NestLock));
}

/// Whether the current task owns the lock already. Nobody but the task itself stores or removes its own address.
static bool owned_by(const NestLock* lock, const Task* self) {
  return lock->owner.load(std::memory_order_relaxed) == self; // relaxed: equal only to this task's own store
}

static int first_owned(NestLock* lock, const Task* self) {
  lock->owner.store(self, std::memory_order_relaxed); // relaxed: others only learn that they are not the owner
  lock->count = 1;
  return 1;
}

/// The lock is held, or chomp does not know the thread yet. Called last, so that nest_lock_set() needs no frame.
[[gnu::noinline, gnu::cold]] static int nest_lock_set_slow(NestLock* lock) {
  const Task* self = this_worker()->current;
  lock->lock.lock();
  return first_owned(lock, self);
}

int nest_lock_set(NestLock* lock) {
  const Worker* worker = tls_worker;
  if (CHOMP_UNLIKELY(worker == nullptr)) return nest_lock_set_slow(lock);
  if (owned_by(lock, worker->current)) return static_cast<int>(++lock->count);
  if (CHOMP_UNLIKELY(!lock->lock.take())) return nest_lock_set_slow(lock);
  return first_owned(lock, worker->current);
}

int nest_lock_test(NestLock* lock) {
  const Task* self = this_worker()->current;
  if (owned_by(lock, self)) return static_cast<int>(++lock->count);
  return lock->lock.try_lock() ? first_owned(lock, self) : 0;
}

int nest_lock_unset(NestLock* lock) {
  if (--lock->count > 0) return static_cast<int>(lock->count);
  lock->owner.store(nullptr, std::memory_order_relaxed); // relaxed: before unlock(), which orders it
  lock->lock.unlock();
  return 0;
}

} // namespace chomp
