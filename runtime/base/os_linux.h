// The calls to the operating system that the runtime makes while it runs, one thin wrapper each. So a reader sees at a
// glance what chomp asks of Linux, and a port knows what to replace. (Start-up and fork(): startup.cpp. Making threads:
// threads/thread_pool.cpp. Files of results: observe/.) Nothing here knows OpenMP. Nothing here allocates, prints or
// aborts unless its comment says so; failures are returned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <pthread.h>

#include "runtime/base/atomic.h"

struct dl_phdr_info; // link.h

namespace chomp {

// --- Waiting -------------------------------------------------------------------------------------------------------

inline constexpr int64_t kNoTimeout = -1;

/// Sleeps while `*word == expected`, until a futex_wake, a signal or the timeout (relative, nanoseconds). Returns false
/// only when the timeout ran out. True promises nothing: the caller looks at its condition again.
bool futex_wait(atomic<uint32_t>* word, uint32_t expected, int64_t timeout_ns = kNoTimeout);

/// Wakes up to `count` threads that sleep on `word`. The kernel looks at the address only, so the word may be unmapped
/// or reused already: a thread may call this after a store that lets another thread free the word.
void futex_wake(atomic<uint32_t>* word, int count);

/// The same for several kinds of sleepers on one word: a wake reaches the sleepers whose `bits` share a bit with its
/// own. `bits` is not 0.
void futex_wait_bits(atomic<uint32_t>* word, uint32_t expected, uint32_t bits, int64_t timeout_ns = kNoTimeout);
void futex_wake_bits(atomic<uint32_t>* word, int count, uint32_t bits);

/// futex_wait() for several words at once. False if the system cannot do that (Linux before 5.16): it has not slept.
struct FutexSleep {
  atomic<uint32_t>* word;
  uint32_t expected;
};
inline constexpr int kMostFutexSleeps = 128; // the kernel's limit
bool futex_wait_any(const FutexSleep* sleeps, int count, int64_t timeout_ns);
/// Whether futex_wait_any() sleeps: Linux has it since 5.16.
bool futex_waits_for_any();

#ifdef CHOMP_VIRTUAL
extern "C" void chomp_virtual_pause(); // tools/laboratory/virtual/tsan_entry.cpp
extern "C" uint64_t chomp_virtual_cycles();
extern "C" void chomp_virtual_fetch(const void* address);
#endif

/// Lets the CPU know that this is a spin loop.
inline void cpu_pause() {
#if defined(CHOMP_VIRTUAL)
  chomp_virtual_pause();
#elif defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory"); // "yield" is a no-op on most cores; isb stalls for about as long as x86's pause
#elif defined(__riscv)
  asm volatile(".insn i 0x0f, 0, x0, x0, 0x010" ::: "memory"); // "pause"; older processors take it for a fence
#else
  asm volatile("" ::: "memory");
#endif
}

/// Begins to fetch a cache line that this thread reads now and writes soon: one transfer, not two. Changes nothing, so
/// the memory may be gone.
inline void fetch_for_write(const void* address) {
#if defined(CHOMP_VIRTUAL)
  chomp_virtual_fetch(address);
#elif defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(address))); // processors without it do nothing
#else
  __builtin_prefetch(address, 1);
#endif
}

/// On 64-bit Arm: the factor that brings the system's counter, which runs at 20 MHz to 1 GHz, near the CPU's clock.
/// Read once, by cycle_counter_start(), before a second thread exists.
extern uint64_t cycles_per_tick;
void cycle_counter_start();

/// Nanoseconds since an arbitrary point; never goes back. No system call on usual hardware (vDSO).
int64_t monotonic_ns();

/// A counter with a constant rate near that of the CPU's clock. Each CPU has its own, so only short times mean
/// something.
inline uint64_t cycle_counter() {
#if defined(CHOMP_VIRTUAL)
  return chomp_virtual_cycles();
#elif defined(__x86_64__) || defined(__i386__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t ticks;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks * cycles_per_tick;
#else
  return 2 * monotonic_ns(); // no instruction tells the rate of RISC-V's counter; the system knows it
#endif
}

/// Lets another thread that is ready run on this CPU (sched_yield).
void cpu_yield();

// --- Asymmetric fences ---------------------------------------------------------------------------------------------
// A store-load race with one frequent and one rare side (Dekker's pattern):
//     frequent side:  store A; light_fence(); load B          rare side:  store B; heavy_fence(); load A
// At least one of the two loads sees the other side's store. With membarrier(2) the light fence is a compiler barrier
// and the heavy one makes the kernel execute a full fence on every CPU that runs a thread of this process. Where
// membarrier is refused (old kernel, seccomp filter) both sides are sequentially consistent fences, and the pattern
// still holds.

/// Set by membarrier_register() before a second thread can be in the pattern. It becomes false, and stays so, when the
/// kernel takes back what it granted (a seccomp filter installed later). relaxed, always: README.md, "Asymmetric
/// fences".
extern atomic<bool> membarrier_available;

/// Registers the process for MEMBARRIER_CMD_PRIVATE_EXPEDITED; unless `allowed`, acts as if the kernel had refused.
/// Called at start-up and again in a child after fork(). Returns membarrier_available.
bool membarrier_register(bool allowed = true);

/// The rare side. Costs a few microseconds and an interrupt on every CPU that runs this process. Threads that call it
/// at the same time share one fence, unless that takes long.
void heavy_fence();

/// Every thread of the process executes a full fence between the call and the return, without a membarrier. Takes some
/// 10 us for each CPU. Aborts if the system refuses that too, since no weaker answer is correct.
void fence_by_visits_slow();

/// How long heavy_fence() takes here, as a mean, in cycles.
uint64_t heavy_fence_cycles();

/// The frequent side.
inline void light_fence() {
  if (__builtin_expect(membarrier_available.load(std::memory_order_relaxed), 1)) // relaxed: see there
    signal_fence(std::memory_order_seq_cst); // compiler only: pairs with membarrier in heavy_fence()
  else
    thread_fence(std::memory_order_seq_cst); // pairs with the seq_cst fence in heavy_fence()
}

// --- Memory --------------------------------------------------------------------------------------------------------

/// Bytes of a page. Read from the auxiliary vector: no system call.
size_t page_size();

/// Reserves address space for the memory that one more thread may need, if the process has a limit (RLIMIT_AS,
/// RLIMIT_DATA). Otherwise stacks and libc's arenas would take all of it, and the process would end for want of memory
/// for a task. map_pages() gives the space back when the system refuses memory. False: no space is left, so there is
/// none for a stack either. Does nothing without a limit, or when much is reserved already.
bool address_reserve_grow();

/// `bytes` of zeroed memory, committed lazily, page-aligned; null when the system has none. `bytes` is rounded up.
void* map_pages(size_t bytes);

/// Commits the pages of [begin, begin + bytes), which are about to be written: one call, where each page would be a
/// fault. Does nothing before Linux 5.14.
void commit_pages(void* begin, size_t bytes);

/// Gives back what map_pages returned for the same `bytes`. Tolerates null.
void unmap_pages(void* pages, size_t bytes);

/// Keeps pages of map_pages() in memory until they are given back. False: the system refuses (RLIMIT_MEMLOCK).
bool lock_pages(void* pages, size_t bytes);

/// Pages of map_pages() are zero in the child of a fork, whoever forks it. False: the kernel is older than Linux 4.14.
bool clear_in_children(void* pages, size_t bytes);

/// The whole pages inside [low, high) read as zeros from now on and take no memory until they are written.
void discard_pages(uintptr_t low, uintptr_t high);

/// A stack: usable bytes are [low, high), 16-byte aligned at the top; the guard lies below `low`. `low` 0: none.
struct StackMapping {
  uintptr_t low = 0;
  uintptr_t high = 0;
  size_t guard_bytes = 0;
};

/// Maps a stack of at least `bytes` with an inaccessible guard of at least `guard_bytes` below it, committed lazily and
/// not counted against overcommit limits. On failure `low` is 0.
StackMapping map_stack(size_t bytes, size_t guard_bytes);

void unmap_stack(const StackMapping& stack);

/// The calling thread's stack, [low, high); `low` is 0 when it is not known (the thread runs on a stack of its own
/// making). The initial thread's comes from the auxiliary vector and RLIMIT_STACK: two cheap calls, where
/// pthread_getattr_np would read and parse /proc/self/maps. Those of other threads come from pthread_getattr_np, which
/// allocates and frees a few bytes for a CPU mask. Called once per thread.
struct StackBounds {
  uintptr_t low = 0;
  uintptr_t high = 0;
  bool grows = false; // it is the initial thread's, which the system maps while it is used, as far as limits allow at
                      // that moment
};
StackBounds current_stack_bounds();

/// The initial thread's stack, as far as RLIMIT_STACK lets it grow now; `low` is 0 when it is not known. Safe in a
/// signal handler.
StackBounds initial_thread_stack();

/// RLIMIT_AS; UINT64_MAX: no limit. Safe in a signal handler.
uint64_t address_space_limit();
/// How much of it is left.
uint64_t address_space_left();

/// dl_iterate_phdr(): calls `visit` for each library, until it returns another value than 0, and returns that. −1: the
/// loader's list of libraries may be locked for ever. The lock of that list is taken, which the caller may have
/// already, and no other lock of the loader: a thread inside dlopen() may wait for the caller. The caller holds no lock
/// of ours.
int visit_libraries(int (*visit)(dl_phdr_info*, size_t, void*), void* context);

/// Called before a fork(): waits while a thread is in visit_libraries() and has the lock of the list, which libc does
/// not release in the child.
void await_library_visits();

/// Called in the child of a fork(). `waited` for await_library_visits(): a visit may have begun since.
void libraries_may_be_locked(bool waited);

/// Bytes that libc takes out of a new thread's stack, above all for the thread-local storage of the files that were
/// loaded when the program began. (Files loaded later have theirs elsewhere.) The stack size that the user wants comes
/// on top.
size_t thread_local_bytes();
/// Measures these bytes. Called before the first thread is made, without a lock of ours.
void thread_local_bytes_start();

// --- Threads, time, CPUs ---------------------------------------------------------------------------------------------

/// The kernel's id of the process; in the virtual build a number that is the same in each run.
int process_id();

/// The kernel's id of the calling thread (a system call: keep the answer).
int thread_id();

/// Of a thread of this process with that thread_id(): the CPU time that it has used, −1 if it has ended; and whether it
/// sleeps in the kernel. What cannot be known is no.
int64_t thread_cpu_ns(int thread);
bool thread_sleeps(int thread);

inline constexpr int kMaxCpus = 16384; // twice what Linux can be built for

/// An affinity mask; bit n of the array is CPU n.
struct CpuMask {
  uint64_t words[kMaxCpus / 64];

  bool has(int cpu) const { return words[cpu / 64] >> (cpu % 64) & 1; }
  void set(int cpu) { words[cpu / 64] |= uint64_t{1} << (cpu % 64); }
  void clear(int cpu) { words[cpu / 64] &= ~(uint64_t{1} << (cpu % 64)); }
  int count() const;
  uint32_t hash() const;
};

/// Fills `mask` with the affinity mask of the thread with that thread_id(), or for 0 of the calling thread. Works above
/// 1024 CPUs too, where glibc's fixed-size cpu_set_t fails. False when the system refuses.
bool read_affinity(CpuMask* mask, int thread = 0);

/// Sets the affinity mask of a thread, or for 0 of the calling thread. False, and errno, when the system refuses.
bool write_affinity(const CpuMask& mask, int thread = 0);

/// A thread that is made with these attributes begins with the mask. False where libc cannot do that (musl).
bool begin_with_affinity(pthread_attr_t* attributes, const CpuMask& mask);

/// What gdb, top -H and perf call the calling thread: "chomp/<number>". One system call.
void name_this_thread(int number);

/// The CPU that the calling thread runs on at this moment, or -1.
int current_cpu();

/// Makes the kernel move the calling thread off `cpu`, if the thread runs there and its affinity mask has another CPU.
/// The mask is the same afterwards, or what somebody else has set meanwhile, unless that is just all CPUs but this one.
/// At most five system calls.
void leave_cpu(int cpu);

/// Allows the calling thread to run on `cpu`, too, unless its mask is no longer the one with that hash(): whoever has
/// set another one (a tool that pins threads) means that. At most two system calls.
void allow_cpu(int cpu, uint32_t hash);

/// CPUs that are online in the whole system, at least 1; for when read_affinity() fails.
int online_cpus();

/// Threads of the whole system that run or wait for a CPU, the caller among them; 0: the system does not say.
int runnable_threads();

/// While one exists, pthread_cancel() of the calling thread waits. The runtime's own calls are no cancellation points:
/// a thread that ended in one would keep a lock, or leave a half-made team.
class Uncancelled {
public:
  Uncancelled() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~Uncancelled() { pthread_setcancelstate(before_, nullptr); }
  Uncancelled(const Uncancelled&) = delete;
  Uncancelled& operator=(const Uncancelled&) = delete;

private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

// --- Files -----------------------------------------------------------------------------------------------------------

/// Reads a small file (of /proc or /sys) into `buffer`, at most `size - 1` bytes, and adds a zero byte. Returns the
/// number of bytes read, or -1.
long read_small_file(const char* path, char* buffer, size_t size);

/// Opens a file for writing, or makes it; -1 and errno if that fails. In a folder that everybody may write to, a
/// symbolic link is followed only if it belongs to this process's user, or to the owner of the folder (EACCES). The
/// kernel does the same where fs.protected_symlinks is on.
int open_report(const char* path, int more_flags = 0);

/// Writes everything, through interruptions. Stops silently on an error: there is nobody to report it to.
void write_all(int file, const char* data, size_t bytes);

} // namespace chomp
