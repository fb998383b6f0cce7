// Locks: omp_* for programs, __kmpc_* for compilers. The program's object is one word; runtime/sync/sync.h says what it
// holds. There is one kind of lock; a hint chooses how threads wait for it.
#include <new>

#include "abi/abi.h"
#include "abi/omp_c_api.h"
#include "runtime/observe/announced.h"
#include "runtime/sync/sync.h"

using chomp::announcing;
using chomp::lock_hint;
using chomp::lock_in;
using chomp::MutexKind;
using chomp::NestLock;
using namespace chomp::abi;

namespace {

// Writes four bytes: GCC's omp_lock_t has no more. Registers the thread, since a tool is attached before the first
// lock, as in libomp.
void simple_init(void** lock, uint64_t hint = 0) {
  chomp::this_worker();
  new (lock) chomp::ProgramLock(lock_hint(hint));
}
void nest_init(void** lock, uint64_t hint = 0) { *lock = chomp::nest_lock_make(lock_hint(hint)); }
NestLock* nest(void** lock) { return static_cast<NestLock*>(*lock); }
void nest_destroy(void** lock) {
  chomp::nest_lock_destroy(nest(lock));
  *lock = nullptr;
}

} // namespace

CHOMP_EXPORT void omp_init_lock(void** lock) {
  simple_init(lock);
  if (announcing()) event_lock_init(MutexKind::kLock, 0, lock, __builtin_return_address(0));
}
CHOMP_EXPORT void omp_init_lock_with_hint(void** lock, int hint) {
  simple_init(lock, static_cast<unsigned>(hint));
  if (announcing()) event_lock_init(MutexKind::kLock, static_cast<unsigned>(hint), lock, __builtin_return_address(0));
}
CHOMP_EXPORT void omp_destroy_lock(void** lock) {
  if (announcing()) event_lock_destroy(MutexKind::kLock, lock, __builtin_return_address(0));
}
CHOMP_EXPORT void omp_set_lock(void** lock) {
  if (announcing()) return announced_lock(MutexKind::kLock, lock, 0, __builtin_return_address(0));
  lock_in(lock)->lock();
}
CHOMP_EXPORT void omp_unset_lock(void** lock) {
  if (announcing()) return announced_unlock(MutexKind::kLock, lock, __builtin_return_address(0));
  lock_in(lock)->unlock();
}
CHOMP_EXPORT int omp_test_lock(void** lock) {
  if (announcing()) return announced_try_lock(lock, __builtin_return_address(0));
  return lock_in(lock)->try_lock();
}

CHOMP_EXPORT void omp_init_nest_lock(void** lock) {
  nest_init(lock);
  if (announcing()) event_lock_init(MutexKind::kNestLock, 0, lock, __builtin_return_address(0));
}
CHOMP_EXPORT void omp_init_nest_lock_with_hint(void** lock, int hint) {
  nest_init(lock, static_cast<unsigned>(hint));
  if (announcing())
    event_lock_init(MutexKind::kNestLock, static_cast<unsigned>(hint), lock, __builtin_return_address(0));
}
CHOMP_EXPORT void omp_destroy_nest_lock(void** lock) {
  if (announcing()) event_lock_destroy(MutexKind::kNestLock, lock, __builtin_return_address(0));
  nest_destroy(lock);
}
CHOMP_EXPORT void omp_set_nest_lock(void** lock) {
  if (announcing()) return announced_nest_set(lock, __builtin_return_address(0));
  chomp::nest_lock_set(nest(lock));
}
CHOMP_EXPORT void omp_unset_nest_lock(void** lock) {
  if (announcing()) return announced_nest_unset(lock, __builtin_return_address(0));
  chomp::nest_lock_unset(nest(lock));
}
CHOMP_EXPORT int omp_test_nest_lock(void** lock) {
  if (announcing()) return announced_nest_test(lock, __builtin_return_address(0));
  return chomp::nest_lock_test(nest(lock));
}

CHOMP_EXPORT void __kmpc_init_lock(Location*, int32_t, void** lock) {
  simple_init(lock);
  if (announcing()) event_lock_init(MutexKind::kLock, 0, lock, __builtin_return_address(0));
}
CHOMP_EXPORT void __kmpc_init_lock_with_hint(Location*, int32_t, void** lock, uintptr_t hint) {
  simple_init(lock, hint);
  if (announcing()) event_lock_init(MutexKind::kLock, hint, lock, __builtin_return_address(0));
}
CHOMP_EXPORT void __kmpc_destroy_lock(Location*, int32_t, void** lock) {
  if (announcing()) event_lock_destroy(MutexKind::kLock, lock, __builtin_return_address(0));
}
CHOMP_EXPORT void __kmpc_set_lock(Location*, int32_t, void** lock) {
  if (announcing()) return announced_lock(MutexKind::kLock, lock, 0, __builtin_return_address(0));
  lock_in(lock)->lock();
}
CHOMP_EXPORT void __kmpc_unset_lock(Location*, int32_t, void** lock) {
  if (announcing()) return announced_unlock(MutexKind::kLock, lock, __builtin_return_address(0));
  lock_in(lock)->unlock();
}
CHOMP_EXPORT int __kmpc_test_lock(Location*, int32_t, void** lock) {
  if (announcing()) return announced_try_lock(lock, __builtin_return_address(0));
  return lock_in(lock)->try_lock();
}

CHOMP_EXPORT void __kmpc_init_nest_lock(Location*, int32_t, void** lock) {
  nest_init(lock);
  if (announcing()) event_lock_init(MutexKind::kNestLock, 0, lock, __builtin_return_address(0));
}
CHOMP_EXPORT void __kmpc_init_nest_lock_with_hint(Location*, int32_t, void** lock, uintptr_t hint) {
  nest_init(lock, hint);
  if (announcing()) event_lock_init(MutexKind::kNestLock, hint, lock, __builtin_return_address(0));
}
CHOMP_EXPORT void __kmpc_destroy_nest_lock(Location*, int32_t, void** lock) {
  if (announcing()) event_lock_destroy(MutexKind::kNestLock, lock, __builtin_return_address(0));
  nest_destroy(lock);
}
CHOMP_EXPORT void __kmpc_set_nest_lock(Location*, int32_t, void** lock) {
  if (announcing()) return announced_nest_set(lock, __builtin_return_address(0));
  chomp::nest_lock_set(nest(lock));
}
CHOMP_EXPORT void __kmpc_unset_nest_lock(Location*, int32_t, void** lock) {
  if (announcing()) return announced_nest_unset(lock, __builtin_return_address(0));
  chomp::nest_lock_unset(nest(lock));
}
CHOMP_EXPORT int __kmpc_test_nest_lock(Location*, int32_t, void** lock) {
  if (announcing()) return announced_nest_test(lock, __builtin_return_address(0));
  return chomp::nest_lock_test(nest(lock));
}
