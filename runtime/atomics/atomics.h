// Atomic regions, and atomics on objects of any size. Any thread may call these.
#pragma once

#include <cstddef>

#include "runtime/base/lock.h"

namespace chomp {

/// The lock of atomic updates that no instruction does, and of atomic regions.
extern constinit Lock atomics_lock;

/// Called in the child of fork(): atomic updates of threads that do not exist any more are over.
void atomics_reset_after_fork();

/// GCC brackets its long double and complex updates with these. `site` is where the program calls.
void atomic_region_begin(const void* site);
void atomic_region_end(const void* site);

// Clang, and so Intel's compiler, calls these for `atomic` on objects that no instruction serves (double complex). They
// are libatomic's, but Intel's programs find them in libiomp5, and link no libatomic. If libatomic is in the process,
// it gets the calls: its other functions (__atomic_exchange …) must take the same locks. Every order is treated as the
// strongest.
void atomic_load(size_t size, void* from, void* to, int order);
void atomic_store(size_t size, void* to, void* from, int order);
bool atomic_compare_exchange(size_t size, void* object, void* expected, void* desired, int success, int failure);

} // namespace chomp
