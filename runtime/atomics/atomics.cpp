// See atomics.h.
#include "runtime/atomics/atomics.h"

#include <string.h>

#include "runtime/atomics/atomic_update.h"
#include "runtime/base/cacheline.h"
#include "runtime/base/dynamic.h"
#include "runtime/core/events.h"

namespace chomp {

alignas(kCacheLine) constinit Lock atomics_lock;

void atomics_reset_after_fork() { atomics_lock.reset_after_fork(); }

[[gnu::noinline, gnu::cold]] static void announced_begin(const void* site) {
  event_mutex_wait(MutexKind::kAtomic, 0, &atomics_lock, site);
  atomics_lock.lock();
  event_mutex_acquired(MutexKind::kAtomic, &atomics_lock, site);
}

[[gnu::noinline, gnu::cold]] static void announced_end(const void* site) {
  atomics_lock.unlock();
  event_mutex_released(MutexKind::kAtomic, &atomics_lock, site);
}

void atomic_region_begin(const void* site) { announcing() ? announced_begin(site) : atomics_lock.lock(); }

void atomic_region_end(const void* site) { announcing() ? announced_end(site) : atomics_lock.unlock(); }

// ---- Objects of any size --------------------------------------------------------------------------------------------

namespace {

using namespace atomics;

/// Calls f(pointer of the right type), or, for sizes without an instruction, locked() under the lock.
template <class F, class Locked> auto with_word(size_t size, void* object, F f, Locked locked) {
  switch (size) {
  case 1: return f(static_cast<uint8_t*>(object));
  case 2: return f(static_cast<uint16_t*>(object));
  case 4: return f(static_cast<uint32_t*>(object));
  case 8: return f(static_cast<uint64_t*>(object));
  default: break;
  }
  atomics_lock.lock();
  auto result = locked();
  atomics_lock.unlock();
  return result;
}

template <class T> T copy_of(const void* object) {
  T value;
  memcpy(&value, object, sizeof value);
  return value;
}

void load_any(size_t size, void* from, void* to, int) {
  auto word = [&]<class T>(T* x) {
    const T value = atomics::read(x);
    return memcpy(to, &value, sizeof value);
  };
  with_word(size, from, word, [&] { return memcpy(to, from, size); });
}

void store_any(size_t size, void* to, void* from, int) {
  auto word = [&]<class T>(T* x) { return swap(x, copy_of<T>(from)), to; };
  with_word(size, to, word, [&] { return memcpy(to, from, size); });
}

bool compare_exchange_any(size_t size, void* object, void* expected, void* desired, int, int) {
  auto word = [&]<class T>(T* x) {
    const T wanted = copy_of<T>(expected);
    const T before = compare_and_swap(x, wanted, copy_of<T>(desired));
    memcpy(expected, &before, sizeof before);
    return before == wanted;
  };
  return with_word(size, object, word, [&] {
    const bool equal = memcmp(object, expected, size) == 0;
    equal ? memcpy(object, desired, size) : memcpy(expected, object, size);
    return equal;
  });
}

/// libatomic's definition if there is one in the process, else ours. Looked up at the first call.
template <class Function> Function* chosen(Function** choice, const char* name, Function* ours) {
  // relaxed, both: a pointer to code, and every thread that looks it up finds the same one.
  Function* known = __atomic_load_n(choice, __ATOMIC_RELAXED);
  if (known != nullptr) return known;
  known = next_definition<Function>(name);
  if (known == nullptr) known = ours;
  __atomic_store_n(choice, known, __ATOMIC_RELAXED);
  return known;
}

decltype(load_any)* chosen_load = nullptr;
decltype(store_any)* chosen_store = nullptr;
decltype(compare_exchange_any)* chosen_compare_exchange = nullptr;

} // namespace

void atomic_load(size_t size, void* from, void* to, int order) {
  chosen(&chosen_load, "__atomic_load", load_any)(size, from, to, order);
}

void atomic_store(size_t size, void* to, void* from, int order) {
  chosen(&chosen_store, "__atomic_store", store_any)(size, to, from, order);
}

bool atomic_compare_exchange(size_t size, void* object, void* expected, void* desired, int success, int failure) {
  return chosen(&chosen_compare_exchange, "__atomic_compare_exchange", compare_exchange_any)(size, object, expected,
                                                                                             desired, success, failure);
}

} // namespace chomp
