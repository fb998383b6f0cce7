// C11's memory. Memory itself holds the newest store of each object; a cell keeps the few before it, each with the
// thread that made it and with what a reader that acquires learns. A load may return any store that coherence and
// happens-before allow. The order of modification is the order of execution, so stores never overtake each other in it;
// no load returns a store that is still to come. See README.md.
#include <string.h>

#include "tools/laboratory/virtual/machine.h"
#include "tools/laboratory/virtual/table.h"

namespace virtual_machine {
namespace {

constexpr int kHistory = 4;
enum Order { kRelaxed, kConsume, kAcquire, kRelease, kAcqRel, kSeqCst };
bool acquires(int order) { return order == kConsume || order == kAcquire || order >= kAcqRel; }
bool releases(int order) { return order >= kRelease; }

struct Store {
  uint64_t value;
  int by;
  uint32_t when;   // the storing thread's own time; 0: before everything
  uint32_t sc;     // number in the order of sequentially consistent operations; 0: not one
  bool hands_over; // `knowledge` holds what an acquire learns
  uint32_t* seen;  // per thread: its time when it first read this store or a newer one
  Knowledge* knowledge;
};

struct Cell {
  uintptr_t address;
  unsigned size;
  int count; // stores kept, the newest last
  Store stores[kHistory];
};

Table<Cell, &Cell::address> cells;
Knowledge fences; // what sequentially consistent fences have seen (`happened` only)
uint32_t sc_count = 0;

void join(Clock& into, const Clock& from) {
  for (int i = 0; i < width; ++i)
    if (into.of[i] < from.of[i]) into.of[i] = from.of[i];
}

void join(Knowledge& into, const Knowledge& from) {
  join(into.happened, from.happened);
  join(into.visible, from.visible);
}

void copy(Knowledge& into, const Knowledge& from) {
  memcpy(into.happened.of, from.happened.of, static_cast<size_t>(width) * sizeof(uint32_t));
  memcpy(into.visible.of, from.visible.of, static_cast<size_t>(width) * sizeof(uint32_t));
  memset(into.happened.of + width, 0, sizeof into.happened.of - static_cast<size_t>(width) * sizeof(uint32_t));
  memset(into.visible.of + width, 0, sizeof into.visible.of - static_cast<size_t>(width) * sizeof(uint32_t));
}

uint64_t raw_load(const void* address, unsigned size) {
  switch (size) {
  case 1: return *static_cast<const volatile uint8_t*>(address);
  case 2: return *static_cast<const volatile uint16_t*>(address);
  case 4: return *static_cast<const volatile uint32_t*>(address);
  default: return *static_cast<const volatile uint64_t*>(address);
  }
}

void raw_store(void* address, unsigned size, uint64_t value) {
  switch (size) {
  case 1: *static_cast<volatile uint8_t*>(address) = static_cast<uint8_t>(value); break;
  case 2: *static_cast<volatile uint16_t*>(address) = static_cast<uint16_t>(value); break;
  case 4: *static_cast<volatile uint32_t*>(address) = static_cast<uint32_t>(value); break;
  default: *static_cast<volatile uint64_t*>(address) = value; break;
  }
}

uint64_t cut(uint64_t value, unsigned size) { return size >= 8 ? value : value & ((uint64_t{1} << (size * 8)) - 1); }

void reset(Cell* cell, uint64_t value) {
  Store& store = cell->stores[0];
  uint32_t* seen = store.seen;
  Knowledge* knowledge = store.knowledge;
  store = Store{};
  store.value = value;
  store.seen = seen;
  store.knowledge = knowledge;
  if (seen != nullptr) memset(seen, 0, kMaxExplored * sizeof(uint32_t));
  cell->count = 1;
}

Cell* cell_of(const void* address, unsigned size) {
  Cell* cell = &cells.at(reinterpret_cast<uintptr_t>(address));
  uint64_t value = raw_load(address, size);
  // Memory that holds something else was written by a plain store, or by code that the machine does not see.
  if (cell->count == 0 || cell->size != size || cell->stores[cell->count - 1].value != value) {
    cell->size = size;
    reset(cell, value);
  }
  return cell;
}

uint32_t my_time() { return current->now.happened.of[current->id]; }

} // namespace

void clock_read(const void*) {}
void thread_is_over() {}
const void* place_in_program(const void* pc) { return pc; }
void takes_chance(const char*, const void*) {}
void lock_changed(const void*) {}
void memory_made(void*, size_t, const void*) {}

void tick() {
  if (scaling()) return;
  uint32_t& time = current->now.happened.of[current->id];
  current->now.visible.of[current->id] = ++time;
}

void learn(Fiber* fiber, const Fiber& from) {
  if (!scaling()) join(fiber->now, from.now);
}

namespace {

void mark_seen(Store& store) {
  if (store.when == 0) return; // everybody sees it anyway
  if (store.seen == nullptr) store.seen = static_cast<uint32_t*>(permanent(kMaxExplored * sizeof(uint32_t)));
  if (store.seen[current->id] == 0) {
    tick();
    store.seen[current->id] = my_time();
  }
}

// The current fiber may not read a store that is older than this one.
bool is_floor(const Store& store, bool sc_load) {
  if (store.when == 0) return true;
  const Fiber& self = *current;
  if (store.when <= self.now.visible.of[store.by]) return true;
  if (sc_load && (store.sc != 0 || store.when <= fences.happened.of[store.by])) return true;
  if (store.sc != 0 && store.sc < self.sc_fence) return true;
  if (store.seen != nullptr)
    for (int i = 0; i < width; ++i)
      if (store.seen[i] != 0 && store.seen[i] <= self.now.happened.of[i]) return true;
  return false;
}

int oldest_readable(Cell* cell, bool sc_load) {
  int index = cell->count - 1;
  while (index > 0 && !is_floor(cell->stores[index], sc_load)) --index;
  return index;
}

void synchronize(const Store& store, int order) {
  if (!store.hands_over) return;
  if (acquires(order)) {
    join(current->now, *store.knowledge);
  } else {
    if (!current->has_pending) current->pending = Knowledge{};
    current->has_pending = true;
    join(current->pending, *store.knowledge);
  }
}

Store& push_store(Cell* cell, uint64_t value, int order, bool update) {
  Store recycled{};
  if (cell->count == kHistory) {
    recycled = cell->stores[0];
    memmove(&cell->stores[0], &cell->stores[1], sizeof(Store) * (kHistory - 1));
    --cell->count;
  } else {
    recycled.seen = cell->stores[cell->count].seen;
    recycled.knowledge = cell->stores[cell->count].knowledge;
  }
  const Store* before = update ? &cell->stores[cell->count - 1] : nullptr;
  Store& store = cell->stores[cell->count++];
  store = Store{};
  store.seen = recycled.seen;
  store.knowledge = recycled.knowledge;
  if (store.seen != nullptr) memset(store.seen, 0, kMaxExplored * sizeof(uint32_t));
  store.value = value;
  store.by = current->id;
  tick();
  store.when = my_time();
  if (order == kSeqCst) store.sc = ++sc_count;
  const Knowledge* released = releases(order)              ? &current->now
                              : current->has_release_fence ? &current->release_fence
                                                           : nullptr;
  bool sequence = before != nullptr && before->hands_over; // an update goes on with the release sequence
  store.hands_over = released != nullptr || sequence;
  if (store.hands_over) {
    if (store.knowledge == nullptr) store.knowledge = static_cast<Knowledge*>(permanent(sizeof(Knowledge)));
    if (released != nullptr)
      copy(*store.knowledge, *released);
    else
      *store.knowledge = Knowledge{};
    if (sequence) join(*store.knowledge, *before->knowledge);
  }
  tick();
  return store;
}

} // namespace

uint64_t atomic_load(const void* address, unsigned size, int order, const void* pc) {
  if (scaling()) {
    charge_atomic(address, Access::kLoad, order, pc);
    return raw_load(address, size);
  }
  point(pc, "load");
  order = order_at(order, pc);
  check_atomic_access(address, size, pc);
  uint64_t value;
  Cell* cell = cell_of(address, size);
  int index = cell->count - 1;
  if (settings.weak && index > 0) {
    int oldest = oldest_readable(cell, order == kSeqCst);
    if (oldest < index) index -= static_cast<int>(choose_stale(static_cast<uint32_t>(index - oldest + 1)));
  }
  Store& store = cell->stores[index];
  value = store.value;
  bool old = index != cell->count - 1;
  mark_seen(store);
  synchronize(store, order);
  if (settings.trace) trace(old ? "load of an old value" : "load", address, size, value, order, pc);
  return value;
}

void atomic_store(void* address, unsigned size, uint64_t value, int order, const void* pc) {
  value = cut(value, size);
  if (scaling()) {
    charge_atomic(address, Access::kStore, order, pc);
    return raw_store(address, size, value);
  }
  point(pc, "store");
  order = order_at(order, pc);
  check_atomic_access(address, size, pc);
  Cell* cell = cell_of(address, size);
  push_store(cell, value, order, false);
  raw_store(address, size, value);
  if (settings.trace) trace("store", address, size, value, order, pc);
}

uint64_t atomic_update(void* address, unsigned size, Update update, uint64_t operand, int order, const void* pc) {
  if (scaling()) {
    charge_atomic(address, Access::kUpdate, order, pc);
    uint64_t old = raw_load(address, size);
    raw_store(address, size, updated(update, old, operand));
    return old;
  }
  point(pc, "update");
  order = order_at(order, pc);
  check_atomic_access(address, size, pc);
  Cell* cell = cell_of(address, size);
  Store& newest = cell->stores[cell->count - 1];
  uint64_t old = newest.value, value = cut(updated(update, old, operand), size);
  mark_seen(newest);
  synchronize(newest, order);
  push_store(cell, value, order, true);
  raw_store(address, size, value);
  if (settings.trace) {
    trace("update: old", address, size, old, order, pc);
    trace("update: new", address, size, value, order, pc);
  }
  return old;
}

uint64_t atomic_compare_exchange(void* address, unsigned size, uint64_t expected, uint64_t desired, int order,
                                 int failure_order, bool weak, const void* pc) {
  if (scaling()) {
    charge_atomic(address, Access::kUpdate, order, pc);
    uint64_t old = raw_load(address, size);
    if (old == expected) raw_store(address, size, desired);
    return old;
  }
  point(pc, "compare_exchange");
  order = order_at(order, pc);
  check_atomic_access(address, size, pc);
  failure_order = order_at(failure_order, pc);
  Cell* cell = cell_of(address, size);
  int index = cell->count - 1;
  if (settings.weak && index > 0) {
    int oldest = oldest_readable(cell, failure_order == kSeqCst);
    if (oldest < index) index -= static_cast<int>(choose_stale(static_cast<uint32_t>(index - oldest + 1)));
    if (cell->stores[index].value == expected) index = cell->count - 1; // only a failure is a load
  }
  Store& store = cell->stores[index];
  uint64_t old = store.value;
  mark_seen(store);
  if (old != expected) {
    synchronize(store, failure_order);
    if (settings.trace) trace("compare_exchange fails", address, size, old, failure_order, pc);
    return old;
  }
  synchronize(store, order);
  desired = cut(desired, size);
  push_store(cell, desired, order, true);
  raw_store(address, size, desired);
  if (settings.trace) trace("compare_exchange stores", address, size, desired, order, pc);
  return old;
}

unsigned __int128 atomic_wide(void* address, int order, const void* pc,
                              unsigned __int128 (*change)(unsigned __int128, void*), void* argument) {
  if (scaling())
    charge_atomic(address, Access::kUpdate, order, pc);
  else
    point(pc, "wide");
  acquire_from(address);
  auto* word = static_cast<unsigned __int128*>(address);
  unsigned __int128 old = *word;
  if (change != nullptr) *word = change(old, argument);
  release_to(address);
  return old;
}

void fence(int order, const void* pc) {
  if (scaling()) {
    if (order == kSeqCst) charge_fence(); // on x86-64 the others are nothing
    return;
  }
  point(pc, "fence");
  order = order_at(order, pc);
  Fiber& self = *current;
  if (acquires(order) && self.has_pending) {
    join(self.now, self.pending);
    self.has_pending = false;
  }
  if (order == kSeqCst) {
    join(fences.happened, self.now.happened);
    join(self.now.visible, fences.happened);
    self.sc_fence = ++sc_count;
  }
  if (releases(order)) {
    copy(self.release_fence, self.now);
    self.has_release_fence = true;
    tick();
  }
  if (settings.trace) trace("fence", nullptr, 0, 0, order, pc);
}

// Every thread executes a full fence between the call and the return.
void membarrier_all(const void* pc) {
  if (scaling()) {
    interrupt_running();
    return let_earlier_run();
  }
  point(pc, "membarrier");
  for (int i = 0; i < width; ++i) join(fences.happened, fibers[i].now.happened);
  ++sc_count;
  for (int i = 0; i < width; ++i) {
    Fiber& fiber = fibers[i];
    if (fiber.state == State::kUnused || fiber.state == State::kFinished) continue;
    if (fiber.has_pending) join(fiber.now, fiber.pending);
    fiber.has_pending = false;
    join(fiber.now.visible, fences.happened);
    fiber.sc_fence = sc_count;
    copy(fiber.release_fence, fiber.now);
    fiber.has_release_fence = true;
    uint32_t& time = fiber.now.happened.of[fiber.id];
    fiber.now.visible.of[fiber.id] = ++time;
  }
  if (settings.trace) trace("membarrier", nullptr, 0, 0, kSeqCst, pc);
}

namespace {

struct LockCell {
  uintptr_t address;
  Knowledge knowledge;
};
Table<LockCell, &LockCell::address> lock_cells;

Knowledge& handed_over(const void* lock) { return lock_cells.at(reinterpret_cast<uintptr_t>(lock)).knowledge; }

} // namespace

void release_to(const void* object) {
  if (scaling()) return;
  join(handed_over(object), current->now);
  tick();
}

void acquire_from(const void* object) {
  if (!scaling()) join(current->now, handed_over(object));
}

void forget_stores(const void* address, size_t bytes) {
  auto low = reinterpret_cast<uintptr_t>(address);
  // Atomic objects are aligned to their size.
  for (uintptr_t at = low; at < low + bytes; at += (at & 3) == 0 ? 4 : 1)
    if (Cell* cell = cells.find(at)) cell->count = 0;
}

} // namespace virtual_machine
