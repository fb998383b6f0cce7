// See memkind.h.
#include "runtime/base/memkind.h"

#include "runtime/base/atomic.h"
#include "runtime/base/dynamic.h"
#include "runtime/base/lock.h"

namespace chomp {
namespace {

using Kind = void*; // memkind_t: a pointer, found in a variable of the library

struct Memkind {
  int (*check_available)(Kind) = nullptr; // 0: yes
  void* (*allocate)(Kind, size_t) = nullptr;
  void (*free)(Kind, void*) = nullptr;
  Kind kinds[3] = {}; // by MemoryKind; null: not here
};

Lock load_lock;
atomic<bool> loaded{false};
Memkind memkind; // under the lock until `loaded`, constant afterwards

template <typename Function> bool find(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(find_symbol(library, name));
  return *function != nullptr;
}

Kind find_kind(const Memkind& memkind, void* library, const char* name) {
  auto variable = static_cast<Kind*>(find_symbol(library, name));
  return variable != nullptr && memkind.check_available(*variable) == 0 ? *variable : nullptr;
}

Memkind load() {
  Memkind found;
  void* library = open_library("libmemkind.so.0");
  if (library == nullptr || !find(library, "memkind_check_available", &found.check_available) ||
      !find(library, "memkind_malloc", &found.allocate) || !find(library, "memkind_free", &found.free))
    return found;
  found.kinds[static_cast<int>(MemoryKind::kHighBandwidth)] = find_kind(found, library, "MEMKIND_HBW_PREFERRED");
  found.kinds[static_cast<int>(MemoryKind::kLargeCapacity)] = find_kind(found, library, "MEMKIND_DAX_KMEM_PREFERRED");
  return found;
}

Kind kind_of(MemoryKind kind) {
  if (kind == MemoryKind::kPlain) return nullptr;
  // acquire: pairs with release below: the table is complete.
  if (!loaded.load(std::memory_order_acquire)) {
    Memkind found = load(); // of several threads each finds the same
    std::lock_guard guard(load_lock);
    // relaxed: the lock orders it.
    if (!loaded.load(std::memory_order_relaxed)) {
      memkind = found;
      loaded.store(true, std::memory_order_release); // release: pairs with acquire above
    }
  }
  return memkind.kinds[static_cast<int>(kind)];
}

} // namespace

bool memory_kind_available(MemoryKind kind) { return kind_of(kind) != nullptr; }

void memory_kind_reset_after_fork() { load_lock.reset_after_fork(); }

void* memory_kind_allocate(MemoryKind kind, size_t bytes) { return memkind.allocate(kind_of(kind), bytes); }

void memory_kind_free(MemoryKind kind, void* block) { memkind.free(kind_of(kind), block); }

} // namespace chomp
