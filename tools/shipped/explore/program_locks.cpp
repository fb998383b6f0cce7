// Locks and threads of libc that only programs use, so that the virtual machine does not have them: locks of readers
// and writers, spin locks, waits with a deadline on a clock, functions that run once, and C11's. One thread runs at a
// time, so each tries, and sleeps until another one lets go. The names are those that are asked for in glibc.
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

#include "tools/laboratory/virtual/machine.h"
#include "tools/shipped/explore/calls.h"
#include "tools/shipped/explore/strand.h"

using namespace virtual_machine;

extern "C" void* __libc_malloc(size_t);
extern "C" void __libc_free(void*);

namespace {

constexpr uint32_t kLetsGo = 1, kPosts = 8; // what wakes: the machine's own numbers for mutexes, semaphores
constexpr int64_t kForever = -1, kPause = 1000;

/// Tries until it can be had, or the deadline has passed. `touch` without one: kNone, if orders are not tried.
template <typename Try>
int take(const void* object, uint32_t bits, int64_t deadline, const char* call, const void* pc, Touch touch,
         Try attempt) {
  if (deadline != kForever || touch == Touch::kNone) {
    char why[80];
    snprintf(why, sizeof why, "it calls %s(), whose orders are not tried", call);
    not_all(why);
    touch = Touch::kNone;
  }
  point(pc, call, object, touch);
  for (;;) {
    int error = attempt();
    if (error != EBUSY) return error;
    if (!block(object, bits, deadline)) return ETIMEDOUT;
  }
}

int take_semaphore(sem_t* semaphore, int64_t deadline, const char* call, const void* pc) {
  NEXT(sem_trywait);
  int error = take(semaphore, kPosts, deadline, call, pc, Touch::kTake, [=] {
    return next(semaphore) == 0 ? 0 : errno == EAGAIN ? EBUSY : errno;
  });
  if (error == 0) acquire_from(semaphore);
  return error;
}

int as_errno(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

// ---- Readers and writers: a reader comes after the last writer, a writer after everybody ----------------------------

const void* readers_of(const pthread_rwlock_t* lock) {
  return reinterpret_cast<const char*>(lock) + 1;
} // what they hand over

int try_to_read(pthread_rwlock_t* lock) {
  static auto next = reinterpret_cast<int (*)(pthread_rwlock_t*)>(dlsym(RTLD_NEXT, "pthread_rwlock_tryrdlock"));
  return next(lock);
}

int try_to_write(pthread_rwlock_t* lock) {
  static auto next = reinterpret_cast<int (*)(pthread_rwlock_t*)>(dlsym(RTLD_NEXT, "pthread_rwlock_trywrlock"));
  return next(lock);
}

int reads(pthread_rwlock_t* lock, int error) {
  if (error == 0) acquire_from(lock);
  return error;
}

int writes(pthread_rwlock_t* lock, int error) {
  if (error == 0) acquire_from(lock), acquire_from(readers_of(lock));
  return error;
}

int read_lock(pthread_rwlock_t* lock, int64_t deadline, const char* call, const void* pc) {
  return reads(lock, take(lock, kLetsGo, deadline, call, pc, Touch::kNone, [=] { return try_to_read(lock); }));
}

int write_lock(pthread_rwlock_t* lock, int64_t deadline, const char* call, const void* pc) {
  return writes(lock, take(lock, kLetsGo, deadline, call, pc, Touch::kNone, [=] { return try_to_write(lock); }));
}

} // namespace

#define RWLOCK(name, take_it)                                                                                          \
  EXPORT int name(pthread_rwlock_t* lock) {                                                                            \
    NEXT(name);                                                                                                        \
    return active ? take_it(lock, kForever, #name, HERE) : next(lock);                                                 \
  }
#define TRY_RWLOCK(name, order, attempt)                                                                               \
  EXPORT int name(pthread_rwlock_t* lock) {                                                                            \
    if (!active) return attempt(lock);                                                                                 \
    not_all("it tests locks of readers and writers");                                                                  \
    point(HERE, #name);                                                                                                \
    return order(lock, attempt(lock));                                                                                 \
  }
#define TIMED_RWLOCK(name, take_it)                                                                                    \
  EXPORT int name(pthread_rwlock_t* lock, const timespec* until) {                                                     \
    NEXT(name);                                                                                                        \
    return active ? take_it(lock, deadline_on(CLOCK_REALTIME, until), #name, HERE) : next(lock, until);                \
  }
#define CLOCK_RWLOCK(name, take_it)                                                                                    \
  EXPORT int name(pthread_rwlock_t* lock, clockid_t clock, const timespec* until) {                                    \
    NEXT(name);                                                                                                        \
    return active ? take_it(lock, deadline_on(clock, until), #name, HERE) : next(lock, clock, until);                  \
  }
RWLOCK(pthread_rwlock_rdlock, read_lock)
RWLOCK(pthread_rwlock_wrlock, write_lock)
TRY_RWLOCK(pthread_rwlock_tryrdlock, reads, try_to_read)
TRY_RWLOCK(pthread_rwlock_trywrlock, writes, try_to_write)
TIMED_RWLOCK(pthread_rwlock_timedrdlock, read_lock)
TIMED_RWLOCK(pthread_rwlock_timedwrlock, write_lock)
CLOCK_RWLOCK(pthread_rwlock_clockrdlock, read_lock)
CLOCK_RWLOCK(pthread_rwlock_clockwrlock, write_lock)

EXPORT int pthread_rwlock_unlock(pthread_rwlock_t* lock) {
  NEXT(pthread_rwlock_unlock);
  if (!active) return next(lock);
  bool has_readers = try_to_read(lock) == 0; // else the caller wrote
  if (has_readers) next(lock);
  release_to(has_readers ? readers_of(lock) : lock);
  int error = next(lock);
  wake(lock, kMaxFibers, kLetsGo);
  point(HERE, "pthread_rwlock_unlock");
  return error;
}

// ---- Mutexes, conditions, semaphores with a deadline; spin locks ----------------------------------------------------

EXPORT int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* until) {
  NEXT(pthread_mutex_timedlock);
  return active ? lock_until(mutex, deadline_on(CLOCK_REALTIME, until), "pthread_mutex_timedlock", HERE)
                : next(mutex, until);
}
EXPORT int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* until) {
  NEXT(pthread_mutex_clocklock);
  return active ? lock_until(mutex, deadline_on(clock, until), "pthread_mutex_clocklock", HERE)
                : next(mutex, clock, until);
}
EXPORT int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                  const timespec* until) {
  NEXT(pthread_cond_clockwait);
  if (!active) return next(condition, mutex, clock, until);
  return wait_for_condition(condition, mutex, deadline_on(clock, until), "pthread_cond_clockwait", HERE);
}
EXPORT int sem_timedwait(sem_t* semaphore, const timespec* until) {
  NEXT(sem_timedwait);
  if (!active) return next(semaphore, until);
  return as_errno(take_semaphore(semaphore, deadline_on(CLOCK_REALTIME, until), "sem_timedwait", HERE));
}
EXPORT int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until) {
  NEXT(sem_clockwait);
  if (!active) return next(semaphore, clock, until);
  return as_errno(take_semaphore(semaphore, deadline_on(clock, until), "sem_clockwait", HERE));
}

EXPORT int pthread_spin_trylock(pthread_spinlock_t* lock) {
  NEXT(pthread_spin_trylock);
  if (active) not_all("it calls pthread_spin_trylock(), whose orders are not tried");
  int error = next(lock);
  if (active && error == 0) acquire_from(const_cast<const int*>(lock));
  return error;
}
EXPORT int pthread_spin_lock(pthread_spinlock_t* lock) {
  NEXT(pthread_spin_lock);
  if (!active) return next(lock);
  auto* word = const_cast<const int*>(lock);
  return take(word, kLetsGo, kForever, "pthread_spin_lock", HERE, Touch::kNone,
              [=] { return pthread_spin_trylock(lock); });
}
EXPORT int pthread_spin_unlock(pthread_spinlock_t* lock) {
  NEXT(pthread_spin_unlock);
  if (!active) return next(lock);
  auto* word = const_cast<const int*>(lock);
  release_to(word);
  int error = next(lock);
  wake(word, 1, kLetsGo);
  point(HERE, "pthread_spin_unlock");
  return error;
}

// ---- OpenMP's: giving one back is a step where somebody tests it ----------------------------------------------------

#define UNSET(name)                                                                                                    \
  EXPORT void name(void* lock) {                                                                                       \
    static auto next = reinterpret_cast<void (*)(void*)>(dlsym(RTLD_NEXT, #name));                                     \
    if (active && settings.strategy == Strategy::kOrders) point(HERE, #name, lock, Touch::kRelease);                   \
    next(lock);                                                                                                        \
  }
UNSET(omp_unset_lock)
UNSET(omp_unset_nest_lock)
UNSET(omp_unset_lock_)
UNSET(omp_unset_nest_lock_)

// ---- Functions that run once ----------------------------------------------------------------------------------------

// glibc's word has this bit while the function runs, and the other one after it (fixed by its ABI).
enum { kRuns = 1, kHasRun = 2 };
static int once(pthread_once_t* word, void (*function)(), const char* call, const void* pc) {
  static auto next = reinterpret_cast<decltype(&pthread_once)>(dlsym(RTLD_NEXT, "pthread_once"));
  if (!active || !explore::is_of_program(pc)) return next(word, function);
  point(pc, call, word, Touch::kUse);
  while ((*const_cast<volatile pthread_once_t*>(word) & kRuns) != 0) yield_point(pc, call, kPause);
  bool is_first = (*word & kHasRun) == 0;
  int error = next(word, function);
  if (is_first) release_to(word);
  acquire_from(word);
  return error;
}
EXPORT int pthread_once(pthread_once_t* word, void (*function)()) { return once(word, function, "pthread_once", HERE); }
EXPORT void call_once(pthread_once_t* word, void (*function)()) { once(word, function, "call_once", HERE); }

// ---- C11: glibc's own, whose mutexes, conditions and threads are those of POSIX -------------------------------------

namespace {

enum { kSuccess, kBusy, kError, kNoMemory, kTimedOut }; // thrd_success and its like

int as_thrd(int error) {
  switch (error) {
  case 0: return kSuccess;
  case EBUSY: return kBusy;
  case ENOMEM:
  case EAGAIN: return kNoMemory;
  case ETIMEDOUT: return kTimedOut;
  default: return kError;
  }
}

struct Start {
  int (*function)(void*);
  void* argument;
};

void* start_thread(void* given) {
  Start start = *static_cast<Start*>(given);
  __libc_free(given);
  return reinterpret_cast<void*>(static_cast<intptr_t>(start.function(start.argument)));
}

} // namespace

EXPORT int mtx_lock(pthread_mutex_t* mutex) {
  NEXT(mtx_lock);
  return active ? as_thrd(lock_until(mutex, kForever, "mtx_lock", HERE)) : next(mutex);
}
EXPORT int mtx_trylock(pthread_mutex_t* mutex) {
  NEXT(mtx_trylock);
  if (!active) return next(mutex);
  point(HERE, "mtx_trylock", mutex, Touch::kTest);
  return as_thrd(try_lock(mutex));
}
EXPORT int mtx_timedlock(pthread_mutex_t* mutex, const timespec* until) {
  NEXT(mtx_timedlock);
  return active ? as_thrd(lock_until(mutex, deadline_on(CLOCK_REALTIME, until), "mtx_timedlock", HERE))
                : next(mutex, until);
}
EXPORT int mtx_unlock(pthread_mutex_t* mutex) { return as_thrd(pthread_mutex_unlock(mutex)); }
EXPORT int cnd_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  NEXT(cnd_wait);
  return active ? as_thrd(wait_for_condition(condition, mutex, kForever, "cnd_wait", HERE)) : next(condition, mutex);
}
EXPORT int cnd_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* until) {
  NEXT(cnd_timedwait);
  if (!active) return next(condition, mutex, until);
  return as_thrd(wait_for_condition(condition, mutex, deadline_on(CLOCK_REALTIME, until), "cnd_timedwait", HERE));
}
EXPORT int cnd_signal(pthread_cond_t* condition) { return as_thrd(pthread_cond_signal(condition)); }
EXPORT int cnd_broadcast(pthread_cond_t* condition) { return as_thrd(pthread_cond_broadcast(condition)); }

EXPORT int thrd_create(pthread_t* thread, int (*function)(void*), void* argument) {
  NEXT(thrd_create);
  if (!active) return next(thread, function, argument);
  auto* start = static_cast<Start*>(__libc_malloc(sizeof(Start)));
  if (start == nullptr) return kNoMemory;
  *start = {function, argument};
  int error = pthread_create(thread, nullptr, start_thread, start);
  if (error != 0) __libc_free(start);
  return as_thrd(error);
}
EXPORT int thrd_join(pthread_t thread, int* result) {
  void* given = nullptr;
  int error = pthread_join(thread, &given);
  if (error == 0 && result != nullptr) *result = static_cast<int>(reinterpret_cast<intptr_t>(given));
  return as_thrd(error);
}
EXPORT int thrd_detach(pthread_t thread) { return as_thrd(pthread_detach(thread)); }
EXPORT void thrd_yield() { sched_yield(); }
EXPORT int thrd_sleep(const timespec* time, timespec* left) {
  int error = nanosleep(time, left);
  return error == 0 ? 0 : errno == EINTR ? -1 : -2;
}
