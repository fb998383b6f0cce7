// What the machine asks of a model of memory (machine.h), answered for programs: atomics, fences, locks and threads of
// libc order strands as C11 and POSIX say.
#include <string.h>

#include "tools/laboratory/virtual/machine.h"
#include "tools/laboratory/virtual/table.h"
#include "tools/shipped/explore/strand.h"

extern "C" void* __libc_stack_end; // of libc: where the main thread's stack began

// Whether a relaxed store goes on with the release sequence of its thread: programs in C, and in C++ before 2020,
// define it anew (templates.h).
extern "C" __attribute__((weak, visibility("default"))) char chomp_explore_stores_go_on;
char chomp_explore_stores_go_on = 0;

namespace explore {
namespace {

virtual_machine::Table<Handover, &Handover::key> table; // clocks of addresses

uint64_t table_key(uint64_t object, uint64_t kind) { return (object ^ kind << 56) | 1; }

} // namespace

Handover& handover(uint64_t object, uint64_t kind) { return table.at(table_key(object, kind)); }

namespace {

enum HandoverKind : uint64_t { kAtomicObject = 1, kLibcObject = 2 };
enum Order { kRelaxed, kConsume, kAcquire, kRelease, kAcqRel, kSeqCst };
bool acquires(int order) { return order == kConsume || order == kAcquire || order >= kAcqRel; }
bool releases(int order) { return order >= kRelease; }

uint64_t key_of(const void* object) { return reinterpret_cast<uint64_t>(object) << 1; }
Handover& atomic_object(const void* object) { return handover(key_of(object), kAtomicObject); }
Handover& libc_object(const void* object) { return handover(key_of(object), kLibcObject); }

} // namespace

void forget_old_values(uintptr_t address) {
  if (Handover* object = table.find(table_key(uint64_t{address} << 1, kAtomicObject))) object->values = nullptr;
}

namespace {

// ---- Memory in one order? -------------------------------------------------------------------------------------------

// Which strands have used which atomic objects, as a graph. Where it has no circle, what each strand sees fits one
// order of all operations, whatever their memory orders allow (Shasha, Snir 1988); so it does where all are seq_cst.
struct Joined { // a strand or an object: of which part of the graph
  uint64_t key;
  uint32_t into; // index + 1; 0: it stands for its part
};
constexpr uint32_t kJoined = 1 << 13, kEdges = 1 << 14;
Joined joined[kJoined];
uint64_t edges[kEdges];

uint32_t part_of(uint64_t key) {
  uint32_t at = static_cast<uint32_t>((key * 0x9e3779b97f4a7c15) >> 51), looked = 0;
  for (; joined[at].key != key; at = (at + 1) % kJoined) {
    if (++looked == kJoined) return kJoined;
    if (joined[at].key != 0) continue;
    joined[at].key = key;
    break;
  }
  while (joined[at].into != 0) at = joined[at].into - 1;
  return at;
}

// False: it was known.
bool add_edge(uint64_t edge) {
  auto at = static_cast<uint32_t>((edge * 0x9e3779b97f4a7c15) >> 50);
  for (uint32_t i = 0; i < kEdges; ++i, at = (at + 1) % kEdges) {
    if (edges[at] == edge) return false;
    if (edges[at] != 0) continue;
    edges[at] = edge;
    return true;
  }
  return false;
}

void note_order_of_memory(const void* object, int order) {
  static bool has_circle = false, has_weak = false;
  if (virtual_machine::note_not_all == nullptr || (has_circle && has_weak)) return;
  has_weak = has_weak || order != kSeqCst;
  uint64_t strand = uint64_t{running()->id} << 1 | 1, at = reinterpret_cast<uint64_t>(object) << 1;
  if (!has_circle && add_edge(strand * 0xd1342543de82ef95 ^ at)) {
    uint32_t a = part_of(strand), b = part_of(at);
    has_circle = a == b || a == kJoined || b == kJoined;
    if (!has_circle) joined[a].into = b + 1;
  }
  if (has_circle && has_weak)
    virtual_machine::not_all("threads may see atomics that are not seq_cst in other orders than one");
}

void know(Clock handed, int order) {
  Strand* strand = running();
  if (determinacy) return;
  acquires(order) ? acquire(strand, handed) : strand->pending.join(handed);
}
void read_atomic(const void* object, int order) { know(atomic_object(object).clock, order); }

uint64_t load_value(const void* object, unsigned size, uint64_t newest, int order, const void* pc) {
  Loaded loaded = load_of(atomic_object(object), newest, size, order == kSeqCst, pc);
  know(loaded.handed, order);
  return loaded.value;
}

// `before`: as the object was.
void note_change(const void* object, unsigned size, Store before, uint64_t value, int order) {
  note_store(atomic_object(object), before, value, size, order == kSeqCst);
  if (order == kSeqCst) fence_of_all(running());
}

// Returns what it was before the current strand's next epoch.
Store write_atomic(const void* object, int order, bool update, uint64_t value) {
  Strand* strand = running();
  Handover& own = atomic_object(object);
  Store before{value, strand->epoch, own.clock};
  bool goes_on = update || (own.holder == strand && chomp_explore_stores_go_on != 0); // with the release sequence
  Clock handed = goes_on ? own.clock : Clock();
  if (!update) own.holder = nullptr;
  if (own.holder == nullptr && (releases(order) || strand->has_release_fence || goes_on)) own.holder = strand;
  if (releases(order))
    handed.join(release(strand));
  else if (strand->has_release_fence)
    handed.join(strand->release_fence);
  own.clock = handed;
  return before;
}

uint64_t raw_load(const void* address, unsigned size) {
  uint64_t value = 0;
  memcpy(&value, address, size);
  return value;
}
Change change_by(virtual_machine::Update update) {
  using virtual_machine::Update;
  switch (update) {
  case Update::kAdd:
  case Update::kSub: return Change::kAdds;
  case Update::kAnd: return Change::kAnds;
  case Update::kOr: return Change::kOrs;
  case Update::kXor: return Change::kXors;
  default: return Change::kAnything;
  }
}
void raw_store(void* address, unsigned size, uint64_t value) { memcpy(address, &value, size); }

// A strand that reads atomics again and again, and changes none, may wait for another one, which gets a turn at times.
uint32_t looks[virtual_machine::kMaxFibers];
void has_looked(const void* pc) {
  constexpr uint32_t kPatience = 100;
  constexpr int64_t kLookNs = 3;
  if (++looks[virtual_machine::current->id] % kPatience == 0 &&
      virtual_machine::settings.strategy != virtual_machine::Strategy::kOrders)
    virtual_machine::yield_point(pc, "load", kLookNs);
}

} // namespace
} // namespace explore

namespace virtual_machine {

using namespace explore;

uint64_t atomic_load(const void* address, unsigned size, int order, const void* pc) {
  note_order_of_memory(address, order);
  point(pc, "load", address, Touch::kRead, size);
  use_memory(address, size, Use::kAtomicRead, pc);
  uint64_t value = load_value(address, size, raw_load(address, size), order, pc);
  has_looked(pc);
  return value;
}

void atomic_store(void* address, unsigned size, uint64_t value, int order, const void* pc) {
  looks[current->id] = 0;
  note_order_of_memory(address, order);
  point(pc, "store", address, Touch::kWrite, size);
  use_memory(address, size, Use::kAtomicWrite, pc);
  uint64_t old = raw_load(address, size);
  Store before = write_atomic(address, order, false, old);
  if (old != value) object_changed(address);
  raw_store(address, size, value);
  note_change(address, size, before, value, order);
}

uint64_t atomic_update(void* address, unsigned size, Update update, uint64_t operand, int order, const void* pc) {
  looks[current->id] = 0;
  note_order_of_memory(address, order);
  point(pc, "update", address, Touch::kWrite, size);
  use_memory(address, size, Use::kAtomicWrite, pc, change_by(update));
  read_atomic(address, order);
  uint64_t old = raw_load(address, size);
  Store before = write_atomic(address, order, true, old);
  raw_store(address, size, updated(update, old, operand));
  uint64_t value = raw_load(address, size);
  if (value != old) object_changed(address);
  note_change(address, size, before, value, order);
  return old;
}

uint64_t atomic_compare_exchange(void* address, unsigned size, uint64_t expected, uint64_t desired, int order,
                                 int failure_order, bool, const void* pc) {
  note_order_of_memory(address, order);
  point(pc, "compare_exchange", address, Touch::kWrite, size);
  uint64_t old = raw_load(address, size);
  bool same = old == expected;
  use_memory(address, size, same ? Use::kAtomicWrite : Use::kAtomicRead, pc);
  if (!same) {
    load_of(atomic_object(address), old, size, true, pc); // it finds the newest value
    read_atomic(address, failure_order);
    has_looked(pc);
    return old;
  }
  read_atomic(address, order);
  Store before = write_atomic(address, order, true, old);
  raw_store(address, size, desired);
  if (old != desired) object_changed(address);
  note_change(address, size, before, desired, order);
  return old;
}

unsigned __int128 atomic_wide(void* address, int, const void* pc, unsigned __int128 (*change)(unsigned __int128, void*),
                              void* argument) {
  point(pc, "wide", address, Touch::kWrite, 16);
  use_memory(address, sizeof(unsigned __int128), change != nullptr ? Use::kAtomicWrite : Use::kAtomicRead, pc);
  read_atomic(address, kSeqCst);
  write_atomic(address, kSeqCst, true, 0);
  auto* word = static_cast<unsigned __int128*>(address);
  unsigned __int128 old = *word;
  if (change != nullptr) *word = change(old, argument);
  if (*word != old) object_changed(address);
  return old;
}

void fence(int order, const void* pc) {
  point(pc, "fence");
  Strand* strand = running();
  if (acquires(order)) {
    acquire(strand, strand->pending);
    strand->pending = explore::Clock();
  }
  if (releases(order)) {
    strand->release_fence = release(strand);
    strand->has_release_fence = true;
  }
  if (order == kSeqCst) fence_of_all(strand);
}

void membarrier_all(const void* pc) { point(pc, "membarrier"); } // of the runtime, whose memory nobody looks at
void tick() {}
void forget_stores(const void*, size_t) {}

void release_to(const void* object) {
  explore::Clock handed = release(running());
  libc_object(object).clock.join(handed);
}
void lock_changed(const void* object) { object_changed(object); }
void acquire_from(const void* object) { acquire(running(), libc_object(object).clock); }

// Also of a thread that is being made, whose first function is known then.
void learn(Fiber* fiber, const Fiber& from) {
  if (fiber->start != nullptr && whose(reinterpret_cast<const void*>(fiber->start)) != Whose::kRuntime)
    program_has_threads = true;
  acquire(running_on(*fiber), release(running_on(from)));
}

void forget_memory(const void* address, size_t bytes, const void* pc) {
  use_memory(address, bytes, Use::kFree, pc);
  constexpr size_t kMapped = 128 << 10;         // the allocator gives so large a block back to the system
  if (bytes >= kMapped) forget(address, bytes); // else it is gone until the allocator hands it out again
}
void plain_access(const void* address, size_t bytes, bool write, const void* pc) {
  if (current->elsewhere) return;
  auto frame = reinterpret_cast<uintptr_t>(__builtin_frame_address(0)); // below all that the caller has on its stack
  Strand* strand = running();
  if (frame < strand->lowest) strand->lowest = frame;
  auto at = reinterpret_cast<uintptr_t>(address);
  bool on_stack = at >= frame && at < reinterpret_cast<uintptr_t>(__libc_stack_end); // its life may end before a task's
  if (settings.strategy != Strategy::kOrders && !on_stack && is_alone(strand)) {
    step(pc, write ? "write" : "read");
    last_progress = report->steps;
    if (write) last_change = report->steps;
    return;
  }
  point(pc, write ? "write" : "read");
  if (write) last_change = report->steps, note_write(address, bytes);
  use_memory(address, bytes, write ? Use::kWrite : Use::kRead, pc);
}
void thread_is_over() {
  forget_stack(running());
  forget_thread_data();
}
void new_stack(const void*, size_t) {} // thread_is_over() has forgotten its last owner
void memory_freed(const void*, size_t, const void*) {}
void memory_in_use(const void* address, size_t bytes, const void*) { forget(address, bytes); }

} // namespace virtual_machine
