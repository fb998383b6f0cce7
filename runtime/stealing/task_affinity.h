// affinity(…) of a task (OpenMP 5.2, 12.5.1), a hint: "this task uses that data". A team with members in several
// domains remembers which member ran the last task that named an address. A task that names it again waits in that
// member's domain, whose caches or memory are likely to have the data. In a team within one domain the clause costs one
// look.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/core/worker.h"

namespace chomp {

struct Member;

/// One item of the clause, as the compiler passes it (kmp_task_affinity_info_t).
struct AffinityItem {
  uintptr_t address;
  size_t bytes;
  uint64_t unused;
};
static_assert(sizeof(AffinityItem) == 24);

/// Which member used an address last: a small table in which addresses that collide displace one another.
class AffinityMap {
public:
  /// Addresses in one cache line have one key; never 0.
  static uint32_t key_of(uintptr_t address) {
    constexpr uint64_t kGolden = 0x9e3779b97f4a7c15; // Fibonacci hashing: the upper bits are good ones
    return static_cast<uint32_t>((address / 64 * kGolden) >> 32) | 1;
  }

  void remember(uint32_t key, int32_t tid) {
    // relaxed: one word, and a hint.
    slot(key).store(uint64_t{key} << 32 | static_cast<uint32_t>(tid), std::memory_order_relaxed);
  }
  /// The member's number, or -1.
  int32_t recall(uint32_t key) {
    uint64_t entry = slot(key).load(std::memory_order_relaxed); // relaxed: as above
    return entry >> 32 == key ? static_cast<int32_t>(entry) : -1;
  }

private:
  static constexpr unsigned kSlotBits = 10;
  atomic<uint64_t>& slot(uint32_t key) { return slots_[key >> (32 - kSlotBits)]; }
  atomic<uint64_t> slots_[1 << kSlotBits] = {};
};

/// Notes the clause of a task that has been allocated and not yet spawned. Only the largest item counts.
void task_note_affinity(Worker* worker, Task* task, int32_t count, const AffinityItem* items);

/// The task is one of a taskloop, whose pattern may have the clause.
void task_take_affinity(Task* task, const Task* pattern);

/// A member of another domain, the one in which the task should wait; null if there is none.
Member* affinity_target(Member* member, const Task* task);

/// Remembers that the task has run here.
void affinity_remember(Member* member, const Task* task);

} // namespace chomp
