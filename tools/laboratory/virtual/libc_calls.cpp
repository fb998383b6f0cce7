// The calls of libc that block, tell time or make threads, for the runtime and the program alike: the machine's library
// is loaded first, so that its names are the ones in force. While no run is explored, each calls libc's own.
#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <limits.h>
#include <malloc.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "tools/laboratory/virtual/machine.h"

using namespace virtual_machine;

extern "C" void* __libc_malloc(size_t);
extern "C" void* __libc_calloc(size_t, size_t);
extern "C" void __libc_free(void*);
extern "C" void* __libc_realloc(void*, size_t);

#define HERE __builtin_return_address(0)
#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

template <typename Function> Function* libc(Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}
#define LIBC(name)                                                                                                     \
  ([] {                                                                                                                \
    static decltype(&::name) function = nullptr;                                                                       \
    if (function == nullptr) function = libc(static_cast<decltype(&::name)>(nullptr), #name);                          \
    return function;                                                                                                   \
  }())

constexpr int64_t kSecond = 1'000'000'000;
constexpr uint32_t kAllBits = ~uint32_t{0};

int64_t in_ns(const timespec& time) { return time.tv_sec * kSecond + time.tv_nsec; }

timespec as_timespec(int64_t ns) { return {ns / kSecond, ns % kSecond}; }

bool fault(uint32_t one_of) {
  return settings.faults && settings.strategy != Strategy::kExhaustive && random_below(one_of) == 0;
}

long virtual_futex(uint32_t* word, int operation, uint32_t value, const timespec* timeout, uint32_t bits,
                   const void* pc) {
  if (scaling()) spend(costs.system_call);
  point(pc, "futex");
  int command = operation & FUTEX_CMD_MASK;
  if (command == FUTEX_WAKE || command == FUTEX_WAKE_BITSET) {
    int count = static_cast<int>(value);
    ++events.wakes;
    int woken = wake(word, count, command == FUTEX_WAKE ? kAllBits : bits);
    if (settings.trace) trace("futex wake", word, 4, static_cast<uint64_t>(woken), -1, pc);
    return woken;
  }
  if (command != FUTEX_WAIT && command != FUTEX_WAIT_BITSET) fail("futex operation %d is not known here", command);
  if (settings.trace) trace("futex wait", word, 4, value, -1, pc);
  if (*word != value) {
    errno = EAGAIN;
    return -1;
  }
  if (scaling()) spend(costs.sleep);
  if (fault(16)) { // it wakes for no reason
    yield_point(pc, "spurious wake", 1000);
    errno = EINTR;
    return -1;
  }
  current->last_pc = place_in_program(pc);
  int64_t deadline = -1;
  if (timeout != nullptr)
    deadline = command == FUTEX_WAIT ? now_ns() + in_ns(*timeout) : deadline_on(CLOCK_MONOTONIC, timeout);
  if (block(word, command == FUTEX_WAIT ? kAllBits : bits, deadline)) return 0;
  errno = ETIMEDOUT;
  return -1;
}

pthread_key_t end_key;

// The last of the destructors of thread-local data: libc calls them in rounds while there is something to destroy.
void thread_ends(void* rounds) {
  if (!active) return;
  auto round = reinterpret_cast<uintptr_t>(rounds);
  if (round < PTHREAD_DESTRUCTOR_ITERATIONS) {
    pthread_setspecific(end_key, reinterpret_cast<void*>(round + 1));
  } else {
    if (current != &fibers[0]) thread_is_over();
    finish_fiber();
  }
}

Fiber* fiber_of(pthread_t thread) {
  for (int i = 0; i < width; ++i)
    if (fibers[i].state != State::kUnused && !fibers[i].joined && pthread_equal(fibers[i].thread, thread))
      return &fibers[i];
  return nullptr;
}

// libc gives a new thread the stack, with the thread-local data above it, of one that has been joined.
void forget_last_owner() {
  constexpr uintptr_t kUsed = 64 * 1024; // small programs
  auto low = reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) - kUsed,
       end = static_cast<uintptr_t>(pthread_self());
  new_stack(reinterpret_cast<void*>(low), end - low);
}

void* thread_main(void* argument) {
  auto* fiber = static_cast<Fiber*>(argument);
  run_first(fiber);
  forget_last_owner();
  follow_end_of_thread();
  return fiber->start(fiber->argument);
}

} // namespace

int64_t virtual_machine::deadline_on(clockid_t clock, const timespec* until) {
  if (until == nullptr) return -1;
  int64_t ns = in_ns(*until) - (clock == CLOCK_REALTIME ? settings.realtime_offset : 0);
  return ns < 0 ? 0 : ns;
}

void virtual_machine::follow_end_of_thread() {
  static bool made = false;
  if (!made) made = pthread_key_create(&end_key, thread_ends) == 0;
  if (!made) fail("no key of thread-local data is left");
  pthread_setspecific(end_key, reinterpret_cast<void*>(1));
}

// --- Threads -------------------------------------------------------------------------------------------------------

// In every eighth run the system has no threads left now and then. Programs hardly expect that, so only the runtime is
// refused.
static bool refuses_thread(const void* caller) {
  static int refuses = -1; // of the whole run
  if (refuses < 0) refuses = fault(8);
  Dl_info info{};
  return refuses == 1 && fault(2) && dladdr(caller, &info) != 0 && info.dli_fname != nullptr &&
         strstr(info.dli_fname, "/libomp") != nullptr;
}

EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument) {
  if (!active) return LIBC(pthread_create)(thread, attributes, start, argument);
  point(HERE, "pthread_create");
  if (refuses_thread(HERE)) {
    if (settings.trace) trace("refuses a thread", nullptr, 0, 0, -1, HERE);
    return EAGAIN;
  }
  Fiber* fiber = new_fiber();
  if (fiber == nullptr) {
    if (limits_come_early != nullptr && limits_come_early(HERE)) // it would say that it is the program's fault
      fail("too long: a run has more threads than can be explored, 160");
    return EAGAIN;
  }
  fiber->start = start;
  fiber->argument = argument;
  // Every thread can be waited for: a detached one is let go when it has ended.
  pthread_attr_t own;
  int detached = PTHREAD_CREATE_JOINABLE;
  if (attributes != nullptr) {
    own = *attributes;
    pthread_attr_getdetachstate(&own, &detached);
    pthread_attr_setdetachstate(&own, PTHREAD_CREATE_JOINABLE);
  }
  int error = LIBC(pthread_create)(&fiber->thread, attributes != nullptr ? &own : nullptr, thread_main, fiber);
  if (error != 0) {
    fiber->state = State::kFinished;
    fiber->joined = true;
    return error;
  }
  await_parked(fiber);
  fiber->detached = detached == PTHREAD_CREATE_DETACHED;
  learn(fiber, *current);
  tick();
  if (settings.trace) trace("creates thread", nullptr, 0, static_cast<uint64_t>(fiber->id), -1, HERE);
  *thread = fiber->thread;
  point(HERE, "thread made");
  return 0;
}

static void heap_takes_time() {
  if (active && scaling()) spend(costs.heap);
}
EXPORT void* malloc(size_t bytes) {
  heap_takes_time();
  void* made = __libc_malloc(bytes);
  if (active) memory_made(made, bytes, HERE);
  return made;
}
EXPORT void* calloc(size_t count, size_t each) {
  heap_takes_time();
  void* made = __libc_calloc(count, each);
  if (active) memory_made(made, count * each, HERE);
  return made;
}
// What the next owner of the memory does is no race with what the last one did.
EXPORT void free(void* memory) {
  heap_takes_time();
  if (active && memory != nullptr) forget_memory(memory, malloc_usable_size(memory), HERE);
  __libc_free(memory);
}
EXPORT void* realloc(void* memory, size_t bytes) {
  if (active && memory != nullptr) forget_memory(memory, malloc_usable_size(memory), HERE);
  void* resized = __libc_realloc(memory, bytes);
  if (active) memory_made(resized, bytes, HERE);
  return resized;
}

EXPORT int pthread_join(pthread_t thread, void** result) {
  if (!active) return LIBC(pthread_join)(thread, result);
  point(HERE, "pthread_join");
  Fiber* fiber = fiber_of(thread);
  if (fiber == nullptr) return LIBC(pthread_join)(thread, result);
  if (fiber == &fibers[0]) fail("a thread waits for the end of the main thread: the machine cannot run that");
  const void* pc = place_in_program(HERE);
  while (fiber->state != State::kFinished) {
    yield_point(pc, "pthread_join", 1000);
    if (scaling()) yield_cpu();
  }
  learn(current, *fiber);
  fiber->joined = true;
  return LIBC(pthread_join)(thread, result);
}

EXPORT int pthread_detach(pthread_t thread) {
  Fiber* fiber = active ? fiber_of(thread) : nullptr;
  if (fiber == nullptr) return LIBC(pthread_detach)(thread);
  if (fiber->detached) return EINVAL;
  fiber->detached = true;
  if (fiber->state != State::kFinished) return 0;
  fiber->joined = true;
  return LIBC(pthread_detach)(thread);
}

// The process in a run, and its children: they are told apart by how often they were forked.
static int forks = 0;
void (*virtual_machine::before_first_use)() = nullptr;
EXPORT int chomp_virtual_process() {
  if (!active && before_first_use != nullptr) before_first_use();
  return active ? 1 + forks : getpid();
}

EXPORT pid_t fork() {
  pid_t child = LIBC(fork)();
  if (child == 0 && active) {
    ++forks;
    forked();
  }
  return child;
}

// --- Time, CPUs ------------------------------------------------------------------------------------------------------

EXPORT int sched_yield() {
  if (!active) return LIBC(sched_yield)();
  if (scaling()) {
    bool slow = costs.slow_yield_one_of > 0 && random_below(static_cast<uint32_t>(costs.slow_yield_one_of)) == 0;
    spend(slow ? costs.slow_yield : costs.yield);
    yield_cpu();
    return 0;
  }
  yield_point(HERE, "sched_yield", 1000);
  return 0;
}

EXPORT int clock_gettime(clockid_t clock, timespec* time) {
  if (!active) return LIBC(clock_gettime)(clock, time);
  clock_read(HERE);
  point(HERE, "clock");
  if (scaling())
    spend(costs.clock);
  else
    virtual_ns += 20;
  *time = as_timespec(now_ns() + (clock == CLOCK_REALTIME ? settings.realtime_offset : 0));
  return 0;
}

EXPORT int gettimeofday(timeval* time, void* zone) {
  if (!active) return LIBC(gettimeofday)(time, zone);
  clock_read(HERE);
  if (scaling()) spend(costs.clock);
  int64_t ns = now_ns() + settings.realtime_offset;
  *time = {ns / kSecond, ns % kSecond / 1000};
  return 0;
}

EXPORT time_t time(time_t* result) {
  if (!active) return LIBC(time)(result);
  clock_read(HERE);
  time_t now = (now_ns() + settings.realtime_offset) / kSecond;
  if (result != nullptr) *result = now;
  return now;
}

static int sleep_for(int64_t ns, const void* pc) {
  point(pc, "sleep");
  block(nullptr, 0, now_ns() + ns);
  return 0;
}

EXPORT int nanosleep(const timespec* time, timespec* left) {
  return active ? sleep_for(in_ns(*time), HERE) : LIBC(nanosleep)(time, left);
}

EXPORT int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  if (!active) return LIBC(clock_nanosleep)(clock, flags, time, left);
  int64_t ns = flags & TIMER_ABSTIME ? deadline_on(clock, time) - now_ns() : in_ns(*time);
  return sleep_for(ns < 0 ? 0 : ns, HERE);
}

EXPORT int usleep(useconds_t microseconds) {
  return active ? sleep_for(int64_t{microseconds} * 1000, HERE) : LIBC(usleep)(microseconds);
}

EXPORT unsigned sleep(unsigned seconds) {
  return active ? static_cast<unsigned>(sleep_for(seconds * kSecond, HERE)) : LIBC(sleep)(seconds);
}

EXPORT int sched_getcpu() {
  if (!active) return LIBC(sched_getcpu)();
  if (scaling()) return current->time.cpu;
  takes_chance("sched_getcpu()", HERE);
  return current->id % (settings.cpus > 0 ? settings.cpus : 2);
}

EXPORT pid_t gettid() {
  if (!active) return LIBC(gettid)();
  takes_chance("gettid()", HERE);
  return current->kernel_id;
}

// An alternative stack belongs to a thread of the kernel, and all fibers share one.
EXPORT int sigaltstack(const stack_t* stack, stack_t* before) {
  if (!active) return LIBC(sigaltstack)(stack, before);
  if (before != nullptr) *before = {nullptr, SS_DISABLE, 0};
  return 0;
}

// All CPUs, as a mask.
static void put_all_cpus(void* mask, size_t bytes) {
  memset(mask, 0, bytes);
  auto* bits = static_cast<unsigned char*>(mask);
  for (int cpu = 0; cpu < settings.cpus && static_cast<size_t>(cpu / 8) < bytes; ++cpu)
    bits[cpu / 8] = static_cast<unsigned char>(bits[cpu / 8] | 1 << cpu % 8);
}

static int bind_to(const void* mask, size_t bytes) {
  if (!scaling()) return 0;
  spend(costs.system_call);
  move_to_mask(static_cast<const unsigned char*>(mask), bytes);
  return 0;
}

// --- syscall(): what the runtime asks of Linux directly ------------------------------------------------------------

EXPORT long syscall(long number, ...) {
  va_list arguments;
  va_start(arguments, number);
  long a[6];
  for (long& each : a) each = va_arg(arguments, long);
  va_end(arguments);
  if (!active) return LIBC(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  switch (number) {
  case SYS_futex:
    return virtual_futex(reinterpret_cast<uint32_t*>(a[0]), static_cast<int>(a[1]), static_cast<uint32_t>(a[2]),
                         reinterpret_cast<const timespec*>(a[3]), static_cast<uint32_t>(a[5]), HERE);
  case SYS_membarrier: {
    static int refused = -1; // of the whole run
    if (refused < 0) refused = fault(8);
    if (refused == 1) {
      errno = ENOSYS;
      return -1;
    }
    if (a[0] == MEMBARRIER_CMD_QUERY)
      return MEMBARRIER_CMD_PRIVATE_EXPEDITED | MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED;
    membarrier_all(HERE);
    return 0;
  }
  case SYS_sched_getaffinity:
    if (settings.cpus == 0) break;
    put_all_cpus(reinterpret_cast<void*>(a[2]), static_cast<size_t>(a[1]));
    return 128;
  case SYS_sched_setaffinity:
    if (settings.cpus == 0) break;
    return bind_to(reinterpret_cast<const void*>(a[2]), static_cast<size_t>(a[1]));
  case SYS_gettid: return current->kernel_id;
  default: break;
  }
  return LIBC(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

EXPORT int sched_setaffinity(pid_t thread, size_t bytes, const cpu_set_t* mask) {
  return active && settings.cpus > 0 ? bind_to(mask, bytes) : LIBC(sched_setaffinity)(thread, bytes, mask);
}
EXPORT int sched_getaffinity(pid_t thread, size_t bytes, cpu_set_t* mask) {
  if (!active || settings.cpus == 0) return LIBC(sched_getaffinity)(thread, bytes, mask);
  put_all_cpus(mask, bytes);
  return 0;
}
EXPORT int pthread_getaffinity_np(pthread_t thread, size_t bytes, cpu_set_t* mask) {
  if (!active || settings.cpus == 0) return LIBC(pthread_getaffinity_np)(thread, bytes, mask);
  put_all_cpus(mask, bytes);
  return 0;
}
EXPORT long sysconf(int name) {
  bool cpus = name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF;
  return active && settings.cpus > 0 && cpus ? settings.cpus : LIBC(sysconf)(name);
}

// --- Locks of libc ---------------------------------------------------------------------------------------------------
// One thread runs at a time, so trying is enough; a thread that fails sleeps until another one unlocks.

static int waiters(const void* address) {
  int count = 0;
  for (int i = 0; i < width; ++i) count += fibers[i].state == State::kBlocked && fibers[i].waits_for == address;
  return count;
}

// In scaled runs: the line of the object, whose code is not instrumented.
static void touch_line(const void* object, int order, const void* pc) {
  if (scaling()) charge_atomic(object, Access::kUpdate, order, pc);
}
// The calls of Linux below: to sleep, and to wake those that do.
static void falls_asleep() {
  if (scaling()) spend(costs.system_call + costs.sleep);
}
static void wakes_sleepers(const void* object) {
  if (scaling() && waiters(object) > 0) spend(costs.system_call);
}

int virtual_machine::try_lock(pthread_mutex_t* mutex) {
  int error = LIBC(pthread_mutex_trylock)(mutex);
  if (active && error == 0) acquire_from(mutex), lock_changed(mutex);
  return error;
}
int virtual_machine::lock_until(pthread_mutex_t* mutex, int64_t deadline, const char* call, const void* pc) {
  if (deadline >= 0) not_all("it waits for a lock for a time");
  point(pc, call, mutex, deadline < 0 ? Touch::kLock : Touch::kNone);
  for (;;) {
    touch_line(mutex, __ATOMIC_ACQUIRE, pc); // pairs with unlock
    int error = try_lock(mutex);
    if (error != EBUSY) return error;
    falls_asleep();
    if (!block(mutex, 1, deadline)) return ETIMEDOUT;
  }
}

EXPORT int pthread_mutex_lock(pthread_mutex_t* mutex) {
  return active ? lock_until(mutex, -1, "pthread_mutex_lock", HERE) : LIBC(pthread_mutex_lock)(mutex);
}
EXPORT int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  if (active && !scaling()) point(HERE, "pthread_mutex_trylock", mutex, Touch::kTest);
  return try_lock(mutex);
}
EXPORT int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  if (!active) return LIBC(pthread_mutex_unlock)(mutex);
  if (settings.strategy == Strategy::kOrders) point(HERE, "pthread_mutex_unlock", mutex, Touch::kRelease);
  release_to(mutex);
  touch_line(mutex, __ATOMIC_RELEASE, HERE); // pairs with lock
  int error = LIBC(pthread_mutex_unlock)(mutex);
  lock_changed(mutex);
  wakes_sleepers(mutex);
  wake(mutex, 1, 1);
  point(HERE, "pthread_mutex_unlock");
  return error;
}

bool (*virtual_machine::wait_in_orders)(const void*, uint32_t, int64_t, const void*) = nullptr;

int virtual_machine::wait_for_condition(pthread_cond_t* condition, pthread_mutex_t* mutex, int64_t deadline,
                                        const char* call, const void* pc) {
  if (deadline >= 0) not_all("it waits for a time");
  if (settings.strategy == Strategy::kOrders) point(pc, call, condition, Touch::kUse);
  release_to(mutex);
  touch_line(condition, __ATOMIC_RELAXED, pc); // relaxed: the mutex orders it
  touch_line(mutex, __ATOMIC_RELEASE, pc);     // pairs with lock
  if (int error = LIBC(pthread_mutex_unlock)(mutex)) return error;
  lock_changed(mutex);
  wakes_sleepers(mutex);
  wake(mutex, 1, 1);
  falls_asleep();
  current->last_pc = place_in_program(pc);
  current->last_operation = call;
  bool signalled = true;
  if (settings.strategy == Strategy::kOrders)
    signalled = wait_in_orders(condition, 2, deadline, pc);
  else if (for_no_reason("a wait for a condition may end for no reason", pc))
    yield_point(pc, call, 1000);
  else
    signalled = block(condition, 2, deadline);
  lock_until(mutex, -1, call, pc);
  return signalled ? 0 : ETIMEDOUT;
}
EXPORT int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  if (!active) return LIBC(pthread_cond_wait)(condition, mutex);
  return wait_for_condition(condition, mutex, -1, "pthread_cond_wait", HERE);
}
EXPORT int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* until) {
  if (!active) return LIBC(pthread_cond_timedwait)(condition, mutex, until);
  return wait_for_condition(condition, mutex, deadline_on(CLOCK_REALTIME, until), "pthread_cond_timedwait", HERE);
}
EXPORT int pthread_cond_signal(pthread_cond_t* condition) {
  if (!active) return LIBC(pthread_cond_signal)(condition);
  if (settings.strategy == Strategy::kOrders) point(HERE, "pthread_cond_signal", condition, Touch::kUse);
  if (waiters(condition) > 1) not_all("a signal finds several threads that wait");
  touch_line(condition, __ATOMIC_RELAXED, HERE); // relaxed: the mutex orders it
  wakes_sleepers(condition);
  wake(condition, 1, 2);
  point(HERE, "pthread_cond_signal");
  return 0;
}
EXPORT int pthread_cond_broadcast(pthread_cond_t* condition) {
  if (!active) return LIBC(pthread_cond_broadcast)(condition);
  if (settings.strategy == Strategy::kOrders) point(HERE, "pthread_cond_broadcast", condition, Touch::kUse);
  touch_line(condition, __ATOMIC_RELAXED, HERE); // relaxed: the mutex orders it
  wakes_sleepers(condition);
  wake(condition, kMaxFibers, 2);
  point(HERE, "pthread_cond_broadcast");
  return 0;
}

EXPORT int pthread_barrier_wait(pthread_barrier_t* barrier) {
  // glibc's barrier keeps how many it waits for in its third word (its own layout, fixed by its ABI).
  if (!active) return LIBC(pthread_barrier_wait)(barrier);
  point(HERE, "pthread_barrier_wait", barrier, Touch::kUse);
  struct Arrived {
    pthread_barrier_t* barrier;
    unsigned count;
  };
  static Arrived table[64];
  unsigned total = reinterpret_cast<unsigned*>(barrier)[2];
  Arrived* mine = nullptr;
  for (Arrived& each : table)
    if (each.barrier == barrier) mine = &each;
  for (Arrived& each : table)
    if (mine == nullptr && each.barrier == nullptr) mine = &each;
  if (mine == nullptr) fail("more than 64 barriers of libc");
  mine->barrier = barrier;
  release_to(barrier);
  if (++mine->count < total) {
    block(barrier, 4, -1);
    acquire_from(barrier);
    return 0;
  }
  mine->count = 0;
  mine->barrier = nullptr;
  wake(barrier, kMaxFibers, 4);
  acquire_from(barrier);
  point(HERE, "pthread_barrier_wait");
  return PTHREAD_BARRIER_SERIAL_THREAD;
}

EXPORT int sem_wait(sem_t* semaphore) {
  if (!active) return LIBC(sem_wait)(semaphore);
  point(HERE, "sem_wait", semaphore, Touch::kTake);
  while (LIBC(sem_trywait)(semaphore) != 0) block(semaphore, 8, -1);
  acquire_from(semaphore);
  lock_changed(semaphore);
  return 0;
}
EXPORT int sem_trywait(sem_t* semaphore) {
  if (active && !scaling()) point(HERE, "sem_trywait", semaphore, Touch::kTest);
  int error = LIBC(sem_trywait)(semaphore);
  if (active && error == 0) acquire_from(semaphore), lock_changed(semaphore);
  return error;
}
EXPORT int sem_getvalue(sem_t* semaphore, int* value) {
  if (active && !scaling()) point(HERE, "sem_getvalue", semaphore, Touch::kTest);
  return LIBC(sem_getvalue)(semaphore, value);
}
EXPORT int sem_post(sem_t* semaphore) {
  if (!active) return LIBC(sem_post)(semaphore);
  if (settings.strategy == Strategy::kOrders) point(HERE, "sem_post", semaphore, Touch::kRelease);
  release_to(semaphore);
  int error = LIBC(sem_post)(semaphore);
  lock_changed(semaphore);
  wake(semaphore, 1, 8);
  point(HERE, "sem_post");
  return error;
}
