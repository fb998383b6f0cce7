// Locks: omp_* for programs, __kmpc_* for compilers. The program's object is one word; runtime/sync/sync.h says what it
// holds. There is one kind of lock; a hint chooses how threads wait for it.
#include "abi/abi.h"
#include "abi/omp_c_api.h"
#include "runtime/observe/announced.h"

using namespace chomp;
using chomp::abi::Location;

#define SITE __builtin_return_address(0)

#define ROUTINE(Return, name, Function, ...)                                                                           \
  CHOMP_EXPORT Return omp_##name(void** lock) { return Function(lock __VA_OPT__(, ) __VA_ARGS__); }                    \
  CHOMP_EXPORT Return __kmpc_##name(Location*, int32_t, void** lock) {                                                 \
    return Function(lock __VA_OPT__(, ) __VA_ARGS__);                                                                  \
  }

#define INIT(name, Function)                                                                                           \
  CHOMP_EXPORT void omp_##name(void** lock) { Function(lock, 0, SITE); }                                               \
  CHOMP_EXPORT void omp_##name##_with_hint(void** lock, int hint) {                                                    \
    Function(lock, static_cast<unsigned>(hint), SITE);                                                                 \
  }                                                                                                                    \
  CHOMP_EXPORT void __kmpc_##name(Location*, int32_t, void** lock) { Function(lock, 0, SITE); }                        \
  CHOMP_EXPORT void __kmpc_##name##_with_hint(Location*, int32_t, void** lock, uintptr_t hint) {                       \
    Function(lock, hint, SITE);                                                                                        \
  }

// omp_init_lock, omp_init_lock_with_hint, __kmpc_init_lock, __kmpc_init_lock_with_hint; and of the others each
// omp_…_lock and __kmpc_…_lock, omp_…_nest_lock and __kmpc_…_nest_lock
INIT(init_lock, simple_lock_init)
ROUTINE(void, destroy_lock, simple_lock_destroy, SITE)
ROUTINE(void, set_lock, simple_lock_set, SITE)
ROUTINE(void, unset_lock, simple_lock_unset)
ROUTINE(int, test_lock, simple_lock_test, SITE)
INIT(init_nest_lock, nest_lock_init)
ROUTINE(void, destroy_nest_lock, nest_lock_destroy, SITE)
ROUTINE(void, set_nest_lock, nest_lock_set, SITE)
ROUTINE(void, unset_nest_lock, nest_lock_unset, SITE)
ROUTINE(int, test_nest_lock, nest_lock_test, SITE)
