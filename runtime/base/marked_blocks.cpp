// A hash table with open addressing and linear probing, at most half full. When an entry is removed, entries from
// behind move into the gap, so that no mark has to stay there.
//
// The child of a fork() may find a change half done, also that of a _Fork(), for which no handler runs. So a table is
// published whole, by one store, and an entry that moves stands in both slots before it leaves the old one. The child
// removes the second copy. The stores are atomic so that the compiler keeps their order. Proof: README.md.
#include "runtime/base/marked_blocks.h"

#include <cstddef>
#include <cstdint>
#include <stdlib.h>

#include "runtime/base/atomic.h"
#include "runtime/base/lock.h"
#include "runtime/base/log.h"

namespace chomp {
namespace {

constexpr size_t kFirstSlots = 256;

struct Table {
  size_t count;           // of the slots; a power of two
  atomic<void*> slots[1]; // really `count`; null: free
};

Lock marked_lock;
atomic<Table*> table; // null: no block was ever marked
size_t marked;

// relaxed, all loads here: under the lock, or in a child that has one thread.
Table* current() { return table.load(std::memory_order_relaxed); }
void* entry(const Table* in, size_t slot) { return in->slots[slot].load(std::memory_order_relaxed); }

// release: pairs with the fork(): a child that sees this store sees those before it.
void set_entry(Table* in, size_t slot, void* block) { in->slots[slot].store(block, std::memory_order_release); }

size_t home_of(const Table* in, const void* block) {
  constexpr uint64_t kGolden = 0x9e3779b97f4a7c15; // 2^64 divided by the golden ratio: spreads neighbours
  return reinterpret_cast<uintptr_t>(block) * kGolden >> 20 & (in->count - 1);
}

size_t next(const Table* in, size_t slot) { return (slot + 1) & (in->count - 1); }

/// The slot of the block, or the free one where it belongs.
size_t find_locked(const Table* in, const void* block) {
  size_t slot = home_of(in, block);
  while (entry(in, slot) != nullptr && entry(in, slot) != block) slot = next(in, slot);
  return slot;
}

void grow_locked() {
  Table* old = current();
  const size_t count = old != nullptr ? 2 * old->count : kFirstSlots;
  const size_t bytes = sizeof(Table) + count * sizeof(atomic<void*>);
  auto* larger = static_cast<Table*>(calloc(1, bytes));
  if (larger == nullptr) fatal("out of memory: %zu bytes for a table of allocations", bytes);
  larger->count = count;
  for (size_t i = 0; old != nullptr && i < old->count; ++i)
    if (void* block = entry(old, i)) set_entry(larger, find_locked(larger, block), block);
  table.store(larger, std::memory_order_release); // release: pairs with the fork(), as above
  free(old);
}

void remove_locked(Table* in, size_t slot) {
  for (size_t from = next(in, slot); entry(in, from) != nullptr; from = next(in, from)) {
    // The entry may move into the gap unless its own slot lies behind the gap.
    const size_t distance = (from - home_of(in, entry(in, from))) & (in->count - 1);
    if (distance < ((from - slot) & (in->count - 1))) continue;
    set_entry(in, slot, entry(in, from));
    slot = from;
  }
  set_entry(in, slot, nullptr);
}

} // namespace

void mark_block(void* block) {
  std::lock_guard guard(marked_lock);
  if (current() == nullptr || 2 * marked >= current()->count) grow_locked();
  const size_t slot = find_locked(current(), block);
  marked += entry(current(), slot) == nullptr;
  set_entry(current(), slot, block);
}

bool unmark_block(void* block) {
  std::lock_guard guard(marked_lock);
  if (block == nullptr || current() == nullptr) return false;
  const size_t slot = find_locked(current(), block);
  if (entry(current(), slot) == nullptr) return false;
  remove_locked(current(), slot);
  --marked;
  return true;
}

void marked_blocks_reset_after_fork() {
  marked_lock.reset_after_fork();
  Table* in = current();
  if (in == nullptr) return;
  for (size_t slot = 0; slot < in->count; ++slot)
    if (entry(in, slot) != nullptr && find_locked(in, entry(in, slot)) != slot) {
      remove_locked(in, slot);
      break; // there is one at most
    }
  marked = 0;
  for (size_t slot = 0; slot < in->count; ++slot) marked += entry(in, slot) != nullptr;
}

} // namespace chomp
