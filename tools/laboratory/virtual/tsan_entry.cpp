// What the compiler calls at each access to memory in code built with -fsanitize=thread: the names of ThreadSanitizer's
// run-time library, which is not linked. While no run is explored, each does what it says and nothing else.
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include "tools/laboratory/virtual/machine.h"

using namespace virtual_machine;

#define HERE __builtin_return_address(0)
#define EXPORT extern "C" __attribute__((visibility("default")))
using Wide = unsigned __int128;

// Outside runs every operation is sequentially consistent, whatever the caller asks for.
template <typename T> static T real_load(const T* word) {
  return __atomic_load_n(word, __ATOMIC_SEQ_CST); // pairs with the caller's partner
}
template <typename T> static void real_store(T* word, T value) {
  __atomic_store_n(word, value, __ATOMIC_SEQ_CST); // pairs with the caller's partner
}
template <typename T> static bool real_compare_exchange(T* word, T* expected, T desired) {
  // seq_cst, both: pairs with the caller's partner
  return __atomic_compare_exchange_n(word, expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
static void real_fence() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST); // pairs with the caller's partner
}

// A weak compare-exchange of GCC's code. Clang's calls for them are those of strong ones.
static bool fails_for_no_reason(const void* pc) {
  return for_no_reason("compare_exchange_weak() may fail for no reason", pc);
}

// Atomic operations of 1 to 8 bytes. Orders come as in <stdatomic.h>.
#define UPDATE(bits, name, kind, builtin)                                                                              \
  EXPORT uint##bits##_t __tsan_atomic##bits##_##name(uint##bits##_t* word, uint##bits##_t value, int order) {          \
    if (!active) return builtin(word, value, __ATOMIC_SEQ_CST);                                                        \
    return static_cast<uint##bits##_t>(atomic_update(word, bits / 8, Update::kind, value, order, HERE));               \
  }
#define OPERATIONS(bits)                                                                                               \
  EXPORT uint##bits##_t __tsan_atomic##bits##_load(const uint##bits##_t* word, int order) {                            \
    if (!active) return real_load(word);                                                                               \
    return static_cast<uint##bits##_t>(atomic_load(word, bits / 8, order, HERE));                                      \
  }                                                                                                                    \
  EXPORT void __tsan_atomic##bits##_store(uint##bits##_t* word, uint##bits##_t value, int order) {                     \
    if (!active) return real_store(word, value);                                                                       \
    atomic_store(word, bits / 8, value, order, HERE);                                                                  \
  }                                                                                                                    \
  UPDATE(bits, exchange, kExchange, __atomic_exchange_n)                                                               \
  UPDATE(bits, fetch_add, kAdd, __atomic_fetch_add)                                                                    \
  UPDATE(bits, fetch_sub, kSub, __atomic_fetch_sub)                                                                    \
  UPDATE(bits, fetch_and, kAnd, __atomic_fetch_and)                                                                    \
  UPDATE(bits, fetch_or, kOr, __atomic_fetch_or)                                                                       \
  UPDATE(bits, fetch_xor, kXor, __atomic_fetch_xor)                                                                    \
  UPDATE(bits, fetch_nand, kNand, __atomic_fetch_nand)                                                                 \
  EXPORT int __tsan_atomic##bits##_compare_exchange_strong(uint##bits##_t* word, uint##bits##_t* expected,             \
                                                           uint##bits##_t desired, int order, int failure) {           \
    if (!active) return real_compare_exchange(word, expected, desired);                                                \
    auto was = static_cast<uint##bits##_t>(                                                                            \
        atomic_compare_exchange(word, bits / 8, *expected, desired, order, failure, false, HERE));                     \
    if (was == *expected) return 1;                                                                                    \
    *expected = was;                                                                                                   \
    return 0;                                                                                                          \
  }                                                                                                                    \
  EXPORT int __tsan_atomic##bits##_compare_exchange_weak(uint##bits##_t* word, uint##bits##_t* expected,               \
                                                         uint##bits##_t desired, int order, int failure) {             \
    if (active && fails_for_no_reason(HERE)) {                                                                         \
      *expected = static_cast<uint##bits##_t>(atomic_load(word, bits / 8, failure, HERE));                             \
      return 0;                                                                                                        \
    }                                                                                                                  \
    return __tsan_atomic##bits##_compare_exchange_strong(word, expected, desired, order, failure);                     \
  }                                                                                                                    \
  EXPORT uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(uint##bits##_t* word, uint##bits##_t expected,      \
                                                                   uint##bits##_t desired, int order, int failure) {   \
    __tsan_atomic##bits##_compare_exchange_strong(word, &expected, desired, order, failure);                           \
    return expected;                                                                                                   \
  }
OPERATIONS(8)
OPERATIONS(16)
OPERATIONS(32)
OPERATIONS(64)

// 16 bytes: one at a time, with no old values.
EXPORT Wide __tsan_atomic128_load(const Wide* word, int order) {
  if (!active) return *word;
  return atomic_wide(const_cast<Wide*>(word), order, HERE, nullptr, nullptr);
}
EXPORT void __tsan_atomic128_store(Wide* word, Wide value, int order) {
  auto put = [](Wide, void* argument) { return *static_cast<Wide*>(argument); };
  if (active)
    atomic_wide(word, order, HERE, put, &value);
  else
    *word = value;
}
EXPORT int __tsan_atomic128_compare_exchange_strong(Wide* word, Wide* expected, Wide desired, int order, int) {
  struct Pair {
    Wide expected, desired;
  } pair{*expected, desired};
  auto put = [](Wide old, void* argument) {
    auto* both = static_cast<Pair*>(argument);
    return old == both->expected ? both->desired : old;
  };
  Wide was;
  if (active) {
    was = atomic_wide(word, order, HERE, put, &pair);
  } else {
    was = *word;
    *word = put(was, &pair);
  }
  bool same = was == *expected;
  if (!same) *expected = was;
  return same;
}

EXPORT void __tsan_atomic_thread_fence(int order) {
  if (!active) return real_fence();
  fence(order, HERE);
}
EXPORT void __tsan_atomic_signal_fence(int) {}

// Plain accesses.
#define PLAIN(bytes)                                                                                                   \
  EXPORT void __tsan_read##bytes(void* at) {                                                                           \
    if (active && settings.races) plain_access(at, bytes, false, HERE);                                                \
  }                                                                                                                    \
  EXPORT void __tsan_write##bytes(void* at) {                                                                          \
    if (active && settings.races) plain_access(at, bytes, true, HERE);                                                 \
  }                                                                                                                    \
  EXPORT void __tsan_read_write##bytes(void* at) {                                                                     \
    if (active && settings.races) plain_access(at, bytes, true, HERE);                                                 \
  }                                                                                                                    \
  EXPORT void __tsan_unaligned_read##bytes(void* at) {                                                                 \
    if (active && settings.races) plain_access(at, bytes, false, HERE);                                                \
  }                                                                                                                    \
  EXPORT void __tsan_unaligned_write##bytes(void* at) {                                                                \
    if (active && settings.races) plain_access(at, bytes, true, HERE);                                                 \
  }                                                                                                                    \
  EXPORT void __tsan_unaligned_read_write##bytes(void* at) {                                                           \
    if (active && settings.races) plain_access(at, bytes, true, HERE);                                                 \
  }
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

// Volatile accesses of libraries that are compiled to tell them apart (-tsan-distinguish-volatile). Other runtimes wait
// for each other with them, so in scaled runs others get their turn as at an atomic access; else they are no races.
static void volatile_access(const void* at, Access access, const void* pc) {
  if (!active) return;
  // relaxed: no more is promised
  if (scaling()) return charge_atomic(at, access, __ATOMIC_RELAXED, pc);
  point(pc, "volatile access", at, access == Access::kLoad ? Touch::kRead : Touch::kWrite);
}
#define VOLATILE(bytes)                                                                                                \
  EXPORT void __tsan_volatile_read##bytes(void* at) { volatile_access(at, Access::kLoad, HERE); }                      \
  EXPORT void __tsan_volatile_write##bytes(void* at) { volatile_access(at, Access::kStore, HERE); }                    \
  EXPORT void __tsan_unaligned_volatile_read##bytes(void* at) { volatile_access(at, Access::kLoad, HERE); }            \
  EXPORT void __tsan_unaligned_volatile_write##bytes(void* at) { volatile_access(at, Access::kStore, HERE); }
VOLATILE(1)
VOLATILE(2)
VOLATILE(4)
VOLATILE(8)
VOLATILE(16)

EXPORT void __tsan_read_range(void* at, size_t bytes) {
  if (active && settings.races) plain_access(at, bytes, false, HERE);
}
EXPORT void __tsan_write_range(void* at, size_t bytes) {
  if (active && settings.races) plain_access(at, bytes, true, HERE);
}
EXPORT void* __tsan_memcpy(void* to, const void* from, size_t bytes) {
  if (active && settings.races) {
    plain_access(from, bytes, false, HERE);
    plain_access(to, bytes, true, HERE);
  }
  return memcpy(to, from, bytes);
}
EXPORT void* __tsan_memmove(void* to, const void* from, size_t bytes) {
  if (active && settings.races) {
    plain_access(from, bytes, false, HERE);
    plain_access(to, bytes, true, HERE);
  }
  return memmove(to, from, bytes);
}
EXPORT void* __tsan_memset(void* to, int value, size_t bytes) {
  if (active && settings.races) plain_access(to, bytes, true, HERE);
  return memset(to, value, bytes);
}

// Whether code is the executable's own.
static bool in_program(const void* pc) {
  static uintptr_t begin = 0, end = 0;
  if (end == 0) {
    auto* headers = reinterpret_cast<const ElfW(Phdr)*>(getauxval(AT_PHDR));
    const unsigned long count = getauxval(AT_PHNUM);
    uintptr_t base = 0; // where address 0 of the file lies
    for (unsigned long i = 0; i < count; ++i)
      if (headers[i].p_type == PT_PHDR) base = reinterpret_cast<uintptr_t>(headers) - headers[i].p_vaddr;
    for (unsigned long i = 0; i < count; ++i) {
      if (headers[i].p_type != PT_LOAD || (headers[i].p_flags & PF_X) == 0) continue;
      begin = base + headers[i].p_vaddr;
      end = begin + headers[i].p_memsz;
    }
  }
  auto at = reinterpret_cast<uintptr_t>(pc);
  return begin <= at && at < end;
}

// Programs are compiled with a call at each basic block too (-fsanitize-coverage): their own work takes time. So are
// other runtimes (tools/laboratory/scale/peers.py).
EXPORT void __sanitizer_cov_trace_pc() {
  if (!active || !scaling()) return;
  if (!in_program(HERE)) return spend(costs.library_block);
  ++events.blocks;
  spend(costs.block);
}

EXPORT void __tsan_init() {}
EXPORT void __tsan_vptr_update(void**, void*) {}
EXPORT void __tsan_vptr_read(void**) {}

// What the runtime's own headers call in the virtual build (runtime/base/os_linux.h).
EXPORT void chomp_virtual_pause() {
  if (!active) return;
  ++events.pauses;
  current->time.paused_at_ps = current->time.clock_ps;
  yield_point(HERE, "pause", scaling() ? costs.pause / 1000 : 400);
}
// What the runtime's free lists say about its memory (runtime/base/freed_memory.h).
EXPORT void chomp_virtual_freed(const void* memory, size_t bytes) {
  if (active && settings.races) memory_freed(memory, bytes, HERE);
}
EXPORT void chomp_virtual_in_use(const void* memory, size_t bytes) {
  if (active && settings.races) memory_in_use(memory, bytes, HERE);
}
EXPORT void chomp_virtual_fetch(const void* address) {
  if (active && scaling()) charge_plain(address, 1, true, HERE);
}
// Of several threads so many get something (runtime/loops/claim.h).
EXPORT void chomp_virtual_claim(const void* object, unsigned left) {
  if (active && settings.strategy == Strategy::kOrders) point(HERE, "claim", object, Touch::kClaim, left);
}
EXPORT void chomp_virtual_claim_next(const void* counter, uint64_t all) {
  if (!active || settings.strategy != Strategy::kOrders) return;
  uint64_t taken;
  memcpy(&taken, counter, sizeof taken);
  uint64_t left = taken < all ? all - taken : 0;
  point(HERE, "claim", counter, Touch::kClaim, left < UINT32_MAX ? static_cast<unsigned>(left) : UINT32_MAX);
}
EXPORT int chomp_virtual_share(uint64_t last, uint64_t part, uint64_t parts, uint64_t* first, uint64_t* beyond) {
  return active && choose_share != nullptr && choose_share(last, part, parts, first, beyond);
}
// The same counter for runtimes that wait until it has moved: reading it takes time.
EXPORT uint64_t chomp_virtual_counter() {
  if (!active) return __builtin_ia32_rdtsc();
  if (scaling()) {
    spend(costs.counter);
    let_earlier_run();
  } else {
    virtual_ns += 8;
  }
  return static_cast<uint64_t>(now_ns()) * 3;
}
EXPORT uint64_t chomp_virtual_cycles() { return active ? static_cast<uint64_t>(now_ns()) * 3 : __builtin_ia32_rdtsc(); }
