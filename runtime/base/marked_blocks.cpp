// A hash table with open addressing and linear probing, at most half full. When an entry is removed, entries from
// behind move into the gap, so that no mark has to stay there.
#include "runtime/base/marked_blocks.h"

#include <cstddef>
#include <cstdint>
#include <stdlib.h>

#include "runtime/base/lock.h"
#include "runtime/base/log.h"

namespace chomp {
namespace {

constexpr size_t kFirstSlots = 256;

Lock marked_lock;
void** slots;      // null: free
size_t slot_count; // a power of two, or 0
size_t marked;

size_t home_of(const void* block) {
  constexpr uint64_t kGolden = 0x9e3779b97f4a7c15; // 2^64 divided by the golden ratio: spreads neighbours
  return reinterpret_cast<uintptr_t>(block) * kGolden >> 20 & (slot_count - 1);
}

size_t next(size_t slot) { return (slot + 1) & (slot_count - 1); }

/// The slot of the block, or the free one where it belongs.
size_t find_locked(const void* block) {
  size_t slot = home_of(block);
  while (slots[slot] != nullptr && slots[slot] != block) slot = next(slot);
  return slot;
}

void grow_locked() {
  void** old = slots;
  const size_t old_count = slot_count;
  slot_count = old_count != 0 ? 2 * old_count : kFirstSlots;
  slots = static_cast<void**>(calloc(slot_count, sizeof *slots));
  if (slots == nullptr) fatal("out of memory: %zu bytes for a table of allocations", slot_count * sizeof *slots);
  for (size_t i = 0; i < old_count; ++i)
    if (old[i] != nullptr) slots[find_locked(old[i])] = old[i];
  free(old);
}

void remove_locked(size_t slot) {
  --marked;
  for (size_t from = next(slot); slots[from] != nullptr; from = next(from)) {
    // The entry may move into the gap unless its own slot lies behind the gap.
    const size_t distance = (from - home_of(slots[from])) & (slot_count - 1);
    if (distance < ((from - slot) & (slot_count - 1))) continue;
    slots[slot] = slots[from];
    slot = from;
  }
  slots[slot] = nullptr;
}

} // namespace

void mark_block(void* block) {
  LockGuard guard(marked_lock);
  if (2 * marked >= slot_count) grow_locked();
  const size_t slot = find_locked(block);
  marked += slots[slot] == nullptr;
  slots[slot] = block;
}

bool unmark_block(void* block) {
  LockGuard guard(marked_lock);
  if (block == nullptr || slot_count == 0) return false;
  const size_t slot = find_locked(block);
  if (slots[slot] == nullptr) return false;
  remove_locked(slot);
  return true;
}

void marked_blocks_reset_after_fork() { marked_lock.reset_after_fork(); }

} // namespace chomp
