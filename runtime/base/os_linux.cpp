// The wrappers of os_linux.h. They are raw system calls where libc has no wrapper (futex, membarrier) or a worse one
// (sched_getaffinity). The only state is `membarrier_available`.
#include "runtime/base/os_linux.h"

#include "runtime/base/backoff.h"

#include <bit>
#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <initializer_list>
#include <link.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/cacheline.h"
#include "runtime/base/check.h"
#include "runtime/base/policy.h"

namespace chomp {

constinit atomic<bool> membarrier_available{false};
constinit uint64_t cycles_per_tick = 1;

namespace {

constinit bool list_may_be_locked = false;
constinit atomic<int> visits_begun{0}; // visits of the list of libraries that have not ended
// Those of them that have the list's lock.
constinit int visits_inside = 0;
constinit atomic<size_t> thread_local_size{0}; // relaxed, always: each thread that writes it writes the same

/// The largest stack that an initial thread is assumed to have: RLIMIT_STACK may say "unlimited".
constexpr uint64_t kUnlimitedStack = uint64_t{64} << 30;

size_t round_up_to_page(size_t bytes) {
  size_t page = page_size();
  return (bytes + page - 1) & ~(page - 1);
}

StackBounds stack_from_libc() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* low = nullptr;
  size_t bytes = 0;
  int failed = pthread_attr_getstack(&attributes, &low, &bytes);
  pthread_attr_destroy(&attributes);
  if (failed || !low) return {};
  return {reinterpret_cast<uintptr_t>(low), reinterpret_cast<uintptr_t>(low) + bytes};
}

/// Threads that want a membarrier at the same time share one (README.md, "Asymmetric fences"). A membarrier is under
/// way while the two numbers differ.
struct alignas(kCacheLine) SharedFence {
  atomic<uint64_t> begun{0}, ended{0};
};
constinit SharedFence shared_fence;

// How long a membarrier takes, as a mean, in cycles. relaxed, always: an estimate.
alignas(kCacheLine) constinit atomic<uint64_t> fence_cycles{1 << 13};

// Every light fence in flight is a full one, or was before a fence that came after membarrier_available had become
// false.
constinit atomic<bool> light_fences_are_full{true};

CHOMP_SLOW void do_without_membarrier() {
  membarrier_available.store(false, std::memory_order_relaxed); // relaxed: ordered by the fence
  thread_fence(std::memory_order_seq_cst);                      // pairs with the visits: those threads see it
  fence_by_visits_slow();
  light_fences_are_full.store(true, std::memory_order_release); // release: pairs with acquire in heavy_fence()
}

void interrupt_all_cpus() {
  int saved = errno;
  // The call orders this thread's own accesses too. ENOMEM: the kernel had no memory for a CPU mask just now.
  while (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0) {
    if (errno != ENOMEM) {
      do_without_membarrier();
      break;
    }
    sched_yield();
  }
  errno = saved;
}

// A measurement during which the thread was preempted counts for little.
void interrupt_and_measure() {
  uint64_t began = cycle_counter();
  interrupt_all_cpus();
  uint64_t took = cycle_counter() - began, mean = heavy_fence_cycles(), most = 4 * mean;
  mean += std::min(took, most) / 8 - mean / 8;
  fence_cycles.store(mean, std::memory_order_relaxed); // relaxed: an estimate
}

/// Executes the fence of that number, or waits until another thread has executed it. False: the other thread takes
/// long.
bool fence_together(uint64_t number) {
  uint64_t since = cycle_counter();
  for (;;) {
    // acquire: pairs with release below: this thread sees what others stored before the fence.
    uint64_t ended = shared_fence.ended.load(std::memory_order_acquire);
    if (ended >= number) return true;
    uint64_t begun = ended;
    // seq_cst: pairs with the fence in heavy_fence(): a thread that waits for this membarrier has looked before.
    if (shared_fence.begun.load(std::memory_order_relaxed) == ended && // relaxed: a look before the exchange
        shared_fence.begun.compare_exchange_strong(begun, ended + 1, std::memory_order_seq_cst)) {
      interrupt_and_measure();
      shared_fence.ended.store(ended + 1, std::memory_order_release); // release: pairs with acquire above
      if (ended + 1 >= number) return true;
      continue;
    }
    if (cycle_counter() - since > policy::kAnswerFences * heavy_fence_cycles()) return false;
    cpu_pause();
  }
}

} // namespace

constinit atomic<const LightWaits*> light_waits{nullptr};

bool futex_wait(atomic<uint32_t>* word, uint32_t expected, int64_t timeout_ns) {
  static_assert(sizeof(atomic<uint32_t>) == 4);
  timespec timeout;
  if (timeout_ns >= 0) {
    timeout.tv_sec = timeout_ns / 1000000000;
    timeout.tv_nsec = timeout_ns % 1000000000;
  }
  long result =
      syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, timeout_ns >= 0 ? &timeout : nullptr, nullptr, 0);
  return !(result == -1 && errno == ETIMEDOUT);
}

void futex_wake(atomic<uint32_t>* word, int count) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

void futex_wait_bits(atomic<uint32_t>* word, uint32_t expected, uint32_t bits, int64_t timeout_ns) {
  // Unlike FUTEX_WAIT, this takes the time at which to give up.
  timespec until;
  if (timeout_ns != kNoTimeout) {
    int64_t end = monotonic_ns() + timeout_ns;
    until = {end / 1'000'000'000, end % 1'000'000'000};
  }
  syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, expected, timeout_ns != kNoTimeout ? &until : nullptr, nullptr,
          bits);
}

void futex_wake_bits(atomic<uint32_t>* word, int count, uint32_t bits) {
  syscall(SYS_futex, word, FUTEX_WAKE_BITSET_PRIVATE, count, nullptr, nullptr, bits);
}

#ifdef CHOMP_VIRTUAL
bool futex_wait_any(const FutexSleep*, int, int64_t) { return false; }
bool futex_waits_for_any() { return false; }
#else
constexpr long kFutexWaitv = 449; // on all machines
enum class Ability : uint8_t { kUnknown, kNo, kYes };
static constinit atomic<Ability> waits_for_any{Ability::kUnknown};

bool futex_waits_for_any() {
  // relaxed, all: all threads find the same, or a filter has come meanwhile.
  Ability known = waits_for_any.load(std::memory_order_relaxed);
  if (known != Ability::kUnknown) return known == Ability::kYes;
  syscall(kFutexWaitv, nullptr, 0, 0, nullptr, CLOCK_MONOTONIC); // no word to sleep on is an invalid argument
  known = errno == EINVAL ? Ability::kYes : Ability::kNo;
  waits_for_any.store(known, std::memory_order_relaxed);
  return known == Ability::kYes;
}

bool futex_wait_any(const FutexSleep* sleeps, int count, int64_t timeout_ns) {
  constexpr uint32_t kPrivateWord = 2 | FUTEX_PRIVATE_FLAG;
  struct {
    uint64_t expected, word;
    uint32_t flags, reserved;
  } waiters[kMostFutexSleeps];
  for (int i = 0; i < count; ++i)
    waiters[i] = {sleeps[i].expected, reinterpret_cast<uintptr_t>(sleeps[i].word), kPrivateWord, 0};
  timespec until;
  if (timeout_ns != kNoTimeout) {
    int64_t end = monotonic_ns() + timeout_ns;
    until = {end / 1'000'000'000, end % 1'000'000'000};
  }
  long result = syscall(kFutexWaitv, waiters, count, 0, timeout_ns != kNoTimeout ? &until : nullptr, CLOCK_MONOTONIC);
  if (result != -1 || errno == EAGAIN || errno == ETIMEDOUT || errno == EINTR) return true;
  waits_for_any.store(Ability::kNo, std::memory_order_relaxed); // relaxed: as above
  return false;
}
#endif

uint64_t heavy_fence_cycles() { return fence_cycles.load(std::memory_order_relaxed); } // relaxed: an estimate

void cpu_yield() { sched_yield(); }

void cycle_counter_start() {
#if defined(__aarch64__)
  uint64_t ticks_per_second;
  asm("mrs %0, cntfrq_el0" : "=r"(ticks_per_second));
  cycles_per_tick = ticks_per_second == 0 || ticks_per_second > 2'000'000'000 ? 1 : 2'000'000'000 / ticks_per_second;
#endif
}

bool membarrier_register(bool allowed) {
  // MEMBARRIER_CMD_QUERY comes first. Registering may wait for an RCU grace period, in vain if the command does not
  // exist. The later calls find a filter that answers only the query.
  // relaxed, all: one thread exists, or none that is in the pattern.
  membarrier_available.store(false, std::memory_order_relaxed);
  light_fences_are_full.store(true, std::memory_order_relaxed);
  // relaxed, both: no thread has begun a fence in this process. A forked child may find one that the parent had begun.
  shared_fence.begun.store(0, std::memory_order_relaxed);
  shared_fence.ended.store(0, std::memory_order_relaxed);
  if (!allowed) return false;
  long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
  if (commands < 0 || !(commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED)) return false;
  if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0) return false;
  if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0) return false;
  membarrier_available.store(true, std::memory_order_relaxed); // relaxed, both: as above
  light_fences_are_full.store(false, std::memory_order_relaxed);
  return true;
}

void heavy_fence() {
  if (!membarrier_available.load(std::memory_order_relaxed)) { // relaxed: see there
    // acquire: pairs with release in do_without_membarrier().
    if (CHOMP_UNLIKELY(!light_fences_are_full.load(std::memory_order_acquire))) fence_by_visits_slow();
    thread_fence(std::memory_order_seq_cst); // pairs with the seq_cst fence in light_fence()
    return;
  }
  // seq_cst: pairs with the exchange in fence_together(): what this thread has stored comes before its look, so before
  // any fence that begins after that.
  thread_fence(std::memory_order_seq_cst);
  uint64_t next = shared_fence.begun.load(std::memory_order_relaxed) + 1; // relaxed: ordered by the fence
  if (!fence_together(next)) interrupt_all_cpus();
}

size_t page_size() {
  size_t page = getauxval(AT_PAGESZ);
  return page ? page : 4096;
}

namespace {

constexpr size_t kPieceBytes = 2 << 20; // a slab, and what else a member of a team needs
constexpr int kMostPieces = 32;         // the need of a program's tasks cannot be foreseen

constinit atomic<void*> pieces[kMostPieces] = {};

bool is_limited() {
  for (auto kind : {RLIMIT_AS, RLIMIT_DATA}) {
    rlimit most{};
    if (getrlimit(kind, &most) == 0 && most.rlim_cur != RLIM_INFINITY) return true;
  }
  return false;
}

int pieces_left() {
  int left = 0;
  for (const auto& piece : pieces) left += piece.load(std::memory_order_relaxed) != nullptr; // relaxed: an estimate
  return left;
}

/// Gives a piece back to the system. False: there is no piece, or all pieces together would not make `bytes`.
bool address_reserve_give(size_t bytes) {
  if (static_cast<size_t>(pieces_left()) * kPieceBytes < bytes) return false;
  for (auto& piece : pieces) {
    void* pages = piece.exchange(nullptr, std::memory_order_relaxed); // relaxed: as above
    if (pages == nullptr) continue;
    munmap(pages, kPieceBytes);
    return true;
  }
  return false;
}

} // namespace

bool address_reserve_grow() {
  if (!is_limited()) return true;
  for (auto& piece : pieces) {
    if (piece.load(std::memory_order_relaxed) != nullptr) continue; // relaxed: as below
    // The piece is never touched, so it takes no memory. It is writable, since RLIMIT_DATA counts only what is.
    void* pages =
        mmap(nullptr, kPieceBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) return false;
    // relaxed, both: an address, of which nothing is read.
    if (void* none = nullptr; !piece.compare_exchange_strong(none, pages, std::memory_order_relaxed))
      munmap(pages, kPieceBytes); // another thread has filled the place
    return true;
  }
  return true;
}

void* map_pages(size_t bytes) {
  bytes = round_up_to_page(bytes);
  for (;;) {
    void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages != MAP_FAILED) return pages;
    if (!address_reserve_give(bytes)) return nullptr;
  }
}

void commit_pages(void* begin, size_t bytes) {
  constexpr int kPopulateWrite = 23; // MADV_POPULATE_WRITE
  auto low = reinterpret_cast<uintptr_t>(begin), at = low & ~(uintptr_t{page_size()} - 1);
  int saved = errno;
  madvise(reinterpret_cast<void*>(at), low + bytes - at, kPopulateWrite);
  errno = saved;
}

void unmap_pages(void* pages, size_t bytes) {
  if (pages) munmap(pages, round_up_to_page(bytes));
}

bool lock_pages(void* pages, size_t bytes) { return mlock(pages, round_up_to_page(bytes)) == 0; }

bool clear_in_children(void* pages, size_t bytes) {
  constexpr int kWipeOnFork = 18; // MADV_WIPEONFORK, which older headers lack
  return madvise(pages, round_up_to_page(bytes), kWipeOnFork) == 0;
}

void discard_pages(uintptr_t low, uintptr_t high) {
  uintptr_t page = page_size();
  low = round_up_to_page(low);
  high &= ~(page - 1);
  if (low < high) madvise(reinterpret_cast<void*>(low), high - low, MADV_DONTNEED);
}

// Linux 6.13 has guards that are no mappings of their own: a process may have 65,530 mappings, and any number of these.
static bool install_guard(void* base, size_t bytes) {
  constexpr int kGuardInstall = 102; // MADV_GUARD_INSTALL
  static constinit atomic<bool> refused{false};
  // relaxed, both: each thread may find out by itself.
  if (!refused.load(std::memory_order_relaxed)) {
    if (madvise(base, bytes, kGuardInstall) == 0) return true;
    refused.store(true, std::memory_order_relaxed);
  }
  return mprotect(base, bytes, PROT_NONE) == 0;
}

StackMapping map_stack(size_t bytes, size_t guard_bytes) {
  size_t usable = round_up_to_page(bytes);
  size_t guard = round_up_to_page(guard_bytes);
  if (usable < bytes || usable + guard < usable) return {};
  void* base = mmap(nullptr, usable + guard, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (base == MAP_FAILED) return {};
  if (!install_guard(base, guard)) {
    munmap(base, usable + guard);
    return {};
  }
  uintptr_t low = reinterpret_cast<uintptr_t>(base) + guard;
  return {low, low + usable, guard};
}

void unmap_stack(const StackMapping& stack) {
  if (stack.low)
    munmap(reinterpret_cast<void*>(stack.low - stack.guard_bytes), stack.high - stack.low + stack.guard_bytes);
}

// Linux puts the program's file name (AT_EXECFN) at the very top of this stack, so the page behind that string is the
// end of the mapping. The kernel lets the stack grow down to RLIMIT_STACK below that. An emulator may lay the stack out
// differently: then the caller's frame is not inside, and the caller asks libc.
StackBounds initial_thread_stack() {
  auto name = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  if (!name) return {};
  rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) != 0) return {};
  uintptr_t high = round_up_to_page(reinterpret_cast<uintptr_t>(name) + strlen(name) + 1);
  uint64_t bytes = std::min(limit.rlim_cur, kUnlimitedStack);
  if (bytes >= high) return {};
  return {high - static_cast<uintptr_t>(bytes), high, true};
}

StackBounds current_stack_bounds() {
  auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  auto holds = [here](StackBounds bounds) { return bounds.low && bounds.low <= here && here < bounds.high; };
  if (getpid() == thread_id()) {
    StackBounds bounds = initial_thread_stack();
    if (holds(bounds)) return bounds;
  }
  StackBounds bounds = stack_from_libc();
  return holds(bounds) ? bounds : StackBounds{};
}

uint64_t address_space_limit() {
  rlimit limit;
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY ? limit.rlim_cur : UINT64_MAX;
}

uint64_t address_space_left() {
  uint64_t limit = address_space_limit();
  char text[64];
  if (limit == UINT64_MAX || read_small_file("/proc/self/statm", text, sizeof text) <= 0) return limit;
  uint64_t used = strtoull(text, nullptr, 10) * page_size(); // its first number: pages of address space
  return used < limit ? limit - used : 0;
}

size_t thread_local_bytes() { return thread_local_size.load(std::memory_order_relaxed); }

// A thread that forks inside a callback has the lock, so nobody else is inside, and it waits for nobody.
void await_library_visits() {
  // acquire: pairs with release below
  while (__atomic_load_n(&visits_inside, __ATOMIC_ACQUIRE) != 0) cpu_yield();
}

void libraries_may_be_locked(bool waited) {
  // relaxed, all: one thread exists.
  if (!waited || visits_begun.load(std::memory_order_relaxed) != 0) list_may_be_locked = true;
  visits_begun.store(0, std::memory_order_relaxed);
  visits_inside = 0;
}

// The virtual machine may change threads at an operation that the compiler tells of. While one has the loader's lock it
// must not: the others would wait in the kernel.
__attribute__((noinline, disable_sanitizer_instrumentation)) static void note_inside() {
  __atomic_fetch_add(&visits_inside, 1, __ATOMIC_RELAXED); // relaxed: a fork() that misses it is told
}

int visit_libraries(int (*visit)(dl_phdr_info*, size_t, void*), void* context) {
  if (list_may_be_locked) return -1;
  struct Visit {
    int (*visit)(dl_phdr_info*, size_t, void*);
    void* context;
    bool inside = false;
  } whole{visit, context};
  auto visit_one = [](dl_phdr_info* library, size_t bytes, void* argument) {
    auto* now = static_cast<Visit*>(argument);
    if (!now->inside) note_inside();
    now->inside = true;
    return now->visit(library, bytes, now->context);
  };
  // acq_rel, release: pair with a fork(): a child that finds the lock taken finds this.
  visits_begun.fetch_add(1, std::memory_order_acq_rel);
  int result = dl_iterate_phdr(visit_one, &whole);
  // release: pairs with acquire in await_library_visits()
  if (whole.inside) __atomic_fetch_sub(&visits_inside, 1, __ATOMIC_RELEASE);
  visits_begun.fetch_sub(1, std::memory_order_release); // release: pairs as above
  return result;
}

void thread_local_bytes_start() {
  size_t bytes = 0;
  auto add = [](dl_phdr_info* file, size_t, void* sum) {
    for (int i = 0; i < file->dlpi_phnum; ++i)
      if (file->dlpi_phdr[i].p_type == PT_TLS)
        *static_cast<size_t*>(sum) += file->dlpi_phdr[i].p_memsz + file->dlpi_phdr[i].p_align;
    return 0;
  };
  if (visit_libraries(add, &bytes) < 0) return; // what the parent has found
  thread_local_size.store(bytes, std::memory_order_relaxed);
}

#ifdef CHOMP_VIRTUAL
extern "C" int chomp_virtual_process(); // tools/laboratory/virtual/libc_calls.cpp
int process_id() { return chomp_virtual_process(); }
#else
int process_id() { return getpid(); }
#endif

int thread_id() { return static_cast<int>(syscall(SYS_gettid)); }

int64_t thread_cpu_ns(int thread) {
  constexpr uint32_t kOfThread = 6; // as pthread_getcpuclockid() makes it, which wants a pthread_t that is still there
  timespec used;
  auto clock = static_cast<clockid_t>(~static_cast<uint32_t>(thread) << 3 | kOfThread);
  return clock_gettime(clock, &used) == 0 ? used.tv_sec * 1'000'000'000LL + used.tv_nsec : -1;
}

bool thread_sleeps(int thread) {
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
  if (read_small_file(path, text, sizeof text) <= 0) return false;
  const char* name_ends = strrchr(text, ')'); // then comes " S "
  return name_ends != nullptr && strncmp(name_ends, ") S", 3) == 0;
}

int64_t monotonic_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000000000 + now.tv_nsec;
}

int CpuMask::count() const {
  int total = 0;
  for (uint64_t word : words) total += std::popcount(word);
  return total;
}

uint32_t CpuMask::hash() const {
  uint64_t hash = 0;
  for (uint64_t word : words) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  }
  return static_cast<uint32_t>(hash);
}

bool read_affinity(CpuMask* mask, int thread) {
  memset(mask, 0, sizeof *mask);
  // The raw call returns the number of bytes written. It refuses buffers smaller than the kernel's own mask, such as
  // libc's cpu_set_t of 1024 CPUs on larger systems. Words are unsigned long, so this needs a little-endian or 64-bit
  // kernel.
  static_assert(sizeof(unsigned long) == 8);
  long written = syscall(SYS_sched_getaffinity, thread, sizeof mask->words, mask->words);
  return written > 0 && mask->count() > 0;
}

bool write_affinity(const CpuMask& mask, int thread) {
  return sched_setaffinity(thread, sizeof mask, reinterpret_cast<const cpu_set_t*>(&mask)) == 0;
}

void fence_by_visits_slow() {
  CpuMask own, one = {};
  // Not all CPUs that this thread may use now, but all that the kernel knows: others may have other masks.
  long bytes = syscall(SYS_sched_getaffinity, 0, sizeof own.words, own.words);
  for (int cpu = 0; cpu < bytes * 8; ++cpu) {
    one.set(cpu);
    // EINVAL: the CPU is off, or not for this process.
    if (!write_affinity(one) && errno != EINVAL) bytes = -1;
    one.clear(cpu);
  }
  if (bytes < 0 || !write_affinity(own))
    fatal("the system has begun to refuse membarrier(2), and sched_setaffinity(2) (%m); set CHOMP_MEMBARRIER=0 to do "
          "without them");
}

bool begin_with_affinity([[maybe_unused]] pthread_attr_t* attributes, [[maybe_unused]] const CpuMask& mask) {
#ifdef __GLIBC__
  return pthread_attr_setaffinity_np(attributes, sizeof mask, reinterpret_cast<const cpu_set_t*>(&mask)) == 0;
#else
  return false;
#endif
}

void name_this_thread(int number) {
  char name[16]; // with the zero byte: the kernel's limit
  snprintf(name, sizeof name, "chomp/%d", number);
  prctl(PR_SET_NAME, name);
}

int current_cpu() { return sched_getcpu(); }

void leave_cpu(int cpu) {
  CpuMask mask, now;
  if (cpu < 0 || current_cpu() != cpu || !read_affinity(&mask) || mask.count() < 2) return;
  mask.clear(cpu);
  if (!write_affinity(mask)) return;
  mask.set(cpu);
  // The move takes as long as the other CPUs are busy. Whoever has set another mask meanwhile (taskset) means that one.
  if (!read_affinity(&now)) return;
  now.set(cpu);
  if (memcmp(now.words, mask.words, sizeof mask.words) == 0) write_affinity(mask);
}

void allow_cpu(int cpu, uint32_t hash) {
  CpuMask mask;
  if (cpu < 0 || !read_affinity(&mask) || mask.hash() != hash) return;
  mask.set(cpu);
  write_affinity(mask);
}

int online_cpus() {
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return static_cast<int>(std::clamp<long>(count, 1, kMaxCpus));
}

#ifdef CHOMP_VIRTUAL
int runnable_threads() { return 0; } // nothing else runs on the virtual machine
#else
int runnable_threads() {
  char text[64]; // three load averages, then running/all
  if (read_small_file("/proc/loadavg", text, sizeof text) <= 0) return 0;
  const char* at = text;
  for (int field = 0; field < 3 && at != nullptr; ++field) at = strchr(at + (field != 0), ' ');
  return at != nullptr ? static_cast<int>(strtol(at, nullptr, 10)) : 0;
}
#endif

long read_small_file(const char* path, char* buffer, size_t size) {
  Uncancelled whole;
  int file;
  do file = open(path, O_RDONLY | O_CLOEXEC);
  while (file < 0 && errno == EINTR);
  if (file < 0) return -1;
  size_t length = 0;
  while (length < size - 1) {
    ssize_t got = read(file, buffer + length, size - 1 - length);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    length += static_cast<size_t>(got);
  }
  close(file);
  buffer[length] = 0;
  return static_cast<long>(length);
}

int open_report(const char* path, int more_flags) {
  Uncancelled whole;
  int flags = ((more_flags & O_RDWR) != 0 ? 0 : O_WRONLY) | O_CREAT | O_CLOEXEC | more_flags;
  int file = open(path, flags | O_NOFOLLOW, 0666);
  if (file >= 0 || errno != ELOOP) return file;
  const char* slash = strrchr(path, '/');
  char folder[PATH_MAX];
  size_t length = slash == nullptr ? 0 : static_cast<size_t>(slash - path) + 1;
  if (length >= sizeof folder) return errno = ENAMETOOLONG, -1;
  memcpy(folder, path, length);
  folder[length] = 0;
  struct stat around, link;
  if (stat(length == 0 ? "." : folder, &around) != 0 || lstat(path, &link) != 0) return -1;
  if ((around.st_mode & S_IWOTH) != 0 && link.st_uid != geteuid() && link.st_uid != around.st_uid)
    return errno = EACCES, -1;
  return open(path, flags, 0666);
}

void write_all(int file, const char* data, size_t bytes) {
  Uncancelled whole;
  while (bytes > 0) {
    ssize_t written = write(file, data, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    data += written;
    bytes -= static_cast<size_t>(written);
  }
}

} // namespace chomp
