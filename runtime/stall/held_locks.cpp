// See held_locks.h. The locks of a worker are in the bucket of its number. If another thread gives a lock back than
// took it (in an untied task), the entry stays until a thread takes that lock again.
#include "runtime/stall/held_locks.h"

#include "runtime/base/cacheline.h"
#include "runtime/base/lock.h"
#include "runtime/core/worker.h"

namespace chomp {
namespace {

constexpr int kBuckets = 64, kKept = 16;

struct Bucket {
  Lock lock;
  HeldLock entries[kKept];
};
CHOMP_LARGE Bucket buckets[kBuckets];

Bucket& bucket_of(int gtid) { return buckets[static_cast<unsigned>(gtid) % kBuckets]; }

/// An entry of the bucket that `fits`, or null.
template <typename Fits> HeldLock* find_locked(Bucket& bucket, Fits fits) {
  for (HeldLock& entry : bucket.entries)
    if (fits(entry)) return &entry;
  return nullptr;
}

void mutex_wait(Worker* worker, MutexKind, uint64_t, const void* object, const void* site) {
  Bucket& bucket = bucket_of(worker->gtid);
  std::lock_guard guard(bucket.lock);
  if (HeldLock* entry = find_locked(bucket, [](HeldLock& one) { return one.object == nullptr; }))
    *entry = {object, reinterpret_cast<uintptr_t>(site), worker->gtid, false};
}

void forget_held(const void* object) {
  for (Bucket& bucket : buckets) {
    std::lock_guard guard(bucket.lock);
    if (HeldLock* entry = find_locked(bucket, [=](HeldLock& one) { return one.object == object && one.held; }))
      *entry = HeldLock();
  }
}

HeldLock* wanted_locked(Bucket& bucket, const Worker* worker) {
  return find_locked(bucket,
                     [=](HeldLock& one) { return one.object != nullptr && one.gtid == worker->gtid && !one.held; });
}

void mutex_acquired(Worker* worker, MutexKind, const void*, const void*) {
  Bucket& bucket = bucket_of(worker->gtid);
  const void* object = nullptr;
  {
    std::lock_guard guard(bucket.lock);
    if (HeldLock* entry = wanted_locked(bucket, worker)) object = entry->object;
  }
  if (object == nullptr) return;
  forget_held(object); // the last owner has it no more, even if we have not seen that
  std::lock_guard guard(bucket.lock);
  if (HeldLock* entry = wanted_locked(bucket, worker)) entry->held = true;
}

void mutex_given_up(Worker* worker) {
  Bucket& bucket = bucket_of(worker->gtid);
  std::lock_guard guard(bucket.lock);
  if (HeldLock* entry = wanted_locked(bucket, worker)) *entry = HeldLock();
}

void mutex_released(Worker* worker, MutexKind, const void* object, const void*) {
  Bucket& bucket = bucket_of(worker->gtid);
  std::lock_guard guard(bucket.lock);
  auto fits = [=](HeldLock& one) { return one.object == object && one.gtid == worker->gtid && one.held; };
  if (HeldLock* entry = find_locked(bucket, fits)) *entry = HeldLock();
}

} // namespace

void held_locks_observe(Observer* observer) {
  observer->mutex_wait = mutex_wait;
  observer->mutex_acquired = mutex_acquired;
  observer->mutex_given_up = mutex_given_up;
  observer->mutex_released = mutex_released;
}

void held_locks_reset_after_fork() {
  for (Bucket& bucket : buckets) bucket.lock.reset_after_fork();
}

bool held_lock_find(const void* object, HeldLock* found) {
  for (Bucket& bucket : buckets) {
    std::lock_guard guard(bucket.lock);
    HeldLock* entry = find_locked(bucket, [=](HeldLock& one) { return one.object == object && one.held; });
    if (entry == nullptr) continue;
    *found = *entry;
    return true;
  }
  return false;
}

} // namespace chomp
