// RUN: %clangxx -std=c++20 -I%root %s %root/runtime/base/log.cpp %root/runtime/base/os_linux.cpp -pthread -o %t && %t
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <initializer_list>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/os_linux.h"
#include "test/unit/capture.h"
#include "test/unit/check_that.h"

using namespace chomp;

static std::atomic<uint32_t> word{0};

static void* wake_after_store(void*) {
  word.store(1, std::memory_order_release); // release: pairs with the acquire in futex_wakes_a_sleeper()
  futex_wake(&word, 1);
  return nullptr;
}

static void futex_wakes_a_sleeper() {
  pthread_t thread;
  pthread_create(&thread, nullptr, wake_after_store, nullptr);
  while (word.load(std::memory_order_acquire) == 0) futex_wait(&word, 0); // acquire: pairs with wake_after_store()
  pthread_join(thread, nullptr);
  THAT(!futex_wait(&word, 1, 1000000)); // no thread wakes it: the timeout runs out
  THAT(futex_wait(&word, 0, 1000000));  // another value: returns at once, not as a timeout
}

/// Sleepers with bits of their own: only those that are meant wake.
static constexpr int kSleepers = 3;
static std::atomic<uint32_t> bits_word{0};
static std::atomic<bool> meant[kSleepers]; // to wake
static std::atomic<int> woken{0};

static void* sleep_with_bit(void* argument) {
  auto own = static_cast<std::atomic<bool>*>(argument);
  uint32_t bit = 1u << (own - meant);
  // seq_cst, all: plain order.
  while (!own->load()) {
    futex_wait_bits(&bits_word, 0, bit);
  }
  woken.fetch_add(1);
  return nullptr;
}

static void futex_wakes_by_bits() {
  pthread_t threads[kSleepers];
  for (int i = 0; i < kSleepers; ++i) pthread_create(&threads[i], nullptr, sleep_with_bit, &meant[i]);
  for (int i = kSleepers - 1; i >= 0; --i) {
    usleep(20000); // they fall asleep, or look again
    THAT(woken.load() == kSleepers - 1 - i);
    meant[i].store(true);
    futex_wake_bits(&bits_word, kSleepers, 1u << i);
    pthread_join(threads[i], nullptr);
  }
  futex_wait_bits(&bits_word, 1, 1); // another value: returns at once
}

/// Dekker's pattern: with the light fence on one side and the heavy one on the other, never do both threads miss. Each
/// round has its own pair of cells; the threads meet before each, so that the stores and loads overlap. This is a
/// sieve, not a proof: with the heavy fence taken out, one run of three failed on x86 with two CPUs to itself, none on
/// a busy machine.
static constexpr int kRounds = 20000;
static constexpr int64_t kLongestNs = 2'000'000'000; // where others have the CPUs, each round takes milliseconds
static std::atomic<int> last_round{0};
struct Side {
  alignas(64) std::atomic<int> arrived{0};
  struct alignas(64) Cell {
    std::atomic<int> stored{0};
  } cells[kRounds + 1];
  bool missed[kRounds + 1];
};
static Side frequent, rare;

/// Short, since the machine may have one CPU or be busy.
static void meet(Side* mine, Side* other, int round) {
  mine->arrived.store(round, std::memory_order_release); // release: pairs with the other's acquire below
  for (int spins = 1; other->arrived.load(std::memory_order_acquire) < round; spins++) { // acquire: see above
    if (spins % 256 == 0)
      cpu_yield();
    else
      cpu_pause();
  }
}

static void* frequent_side(void*) {
  for (int round = 1; round <= last_round.load(std::memory_order_relaxed); round++) { // relaxed: meet() orders it
    meet(&frequent, &rare, round);
    frequent.cells[round].stored.store(1, std::memory_order_relaxed); // relaxed: ordered by the fence
    light_fence();
    frequent.missed[round] = rare.cells[round].stored.load(std::memory_order_relaxed) == 0; // relaxed: likewise
  }
  return nullptr;
}

static void fences_forbid_that_both_miss(bool use_membarrier) {
  membarrier_register(use_membarrier);
  if (!use_membarrier) THAT(!membarrier_available.load());
  for (Side* side : {&frequent, &rare}) {
    side->arrived.store(0);
    for (auto& cell : side->cells) cell.stored.store(0);
  }
  last_round.store(kRounds);
  int64_t ends = monotonic_ns() + kLongestNs;
  pthread_t thread;
  pthread_create(&thread, nullptr, frequent_side, nullptr);
  for (int round = 1; round <= last_round.load(); round++) {
    if (monotonic_ns() > ends) last_round.store(round);
    meet(&rare, &frequent, round);
    rare.cells[round].stored.store(1, std::memory_order_relaxed); // relaxed: ordered by the fence
    heavy_fence();
    rare.missed[round] = frequent.cells[round].stored.load(std::memory_order_relaxed) == 0; // relaxed: likewise
  }
  pthread_join(thread, nullptr);
  int both_missed = 0;
  for (int round = 1; round <= last_round.load(); round++) both_missed += frequent.missed[round] && rare.missed[round];
  THAT(both_missed == 0);
}

static void stacks_have_guards() {
  StackMapping stack = map_stack(100000, 1);
  THAT(stack.low && stack.high - stack.low >= 100000 && stack.guard_bytes >= page_size() && stack.high % 16 == 0);
  Captured c = capture([&] {
    *reinterpret_cast<volatile char*>(stack.low) = 1;
    *reinterpret_cast<volatile char*>(stack.high - 1) = 1;
    return 0;
  });
  THAT(c.status == 0);
  c = capture([&] {
    signal(SIGSEGV, SIG_DFL);
    *reinterpret_cast<volatile char*>(stack.low - 1) = 1;
    return 0;
  });
  THAT(c.status != 0);
  unmap_stack(stack);
  unmap_stack({});
  THAT(map_stack(SIZE_MAX - 100, 4096).low == 0);
}

static void* bounds_of_a_thread(void* result) {
  *static_cast<StackBounds*>(result) = current_stack_bounds();
  auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  THAT(static_cast<StackBounds*>(result)->low < here && here < static_cast<StackBounds*>(result)->high);
  return nullptr;
}

static void stack_bounds_agree_with_the_kernel() {
  StackBounds mine;
  bounds_of_a_thread(&mine);
  // The kernel's view: the end of the mapping named [stack].
  static char maps[200000];
  read_small_file("/proc/self/maps", maps, sizeof maps);
  char* line = strstr(maps, "[stack]");
  THAT(line != nullptr);
  while (line > maps && line[-1] != '\n') line--;
  unsigned long from = 0, to = 0;
  THAT(sscanf(line, "%lx-%lx", &from, &to) == 2);
  THAT(mine.high == to && mine.low <= from);

  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 300 * 1024);
  pthread_t thread;
  pthread_create(&thread, &attributes, bounds_of_a_thread, &mine);
  pthread_join(thread, nullptr);
  THAT(mine.high - mine.low >= 250 * 1024 && mine.high - mine.low <= 400 * 1024);
}

// A link that somebody else has put into a folder of everybody's does not lead a report to one of our files.
void reports_follow_no_foreign_links() {
  char folder[] = "/tmp/chomp-reports-XXXXXX";
  THAT(mkdtemp(folder) != nullptr && chmod(folder, 0777) == 0);
  std::string precious = std::string(folder) + "/precious", link = std::string(folder) + "/link";
  auto open_and_close = [](const std::string& path) {
    int file = open_report(path.c_str(), O_TRUNC);
    if (file >= 0) close(file);
    return file >= 0;
  };
  THAT(open_and_close(precious));
  THAT(symlink(precious.c_str(), link.c_str()) == 0 && open_and_close(link)); // our own
  if (geteuid() == 0) {
    THAT(lchown(link.c_str(), 12345, 12345) == 0);
    errno = 0;
    THAT(!open_and_close(link) && errno == EACCES);
    THAT(chmod(folder, 0755) == 0 && open_and_close(link)); // nobody else could have put it there
  }
  THAT(!open_and_close(link + ".none/" + "x"));
  unlink(link.c_str()), unlink(precious.c_str()), rmdir(folder);
}

/// While a thread moves off a CPU, which takes long if the others are busy, somebody else may set its mask.
static bool somebody_else_sets_it = false;
static cpu_set_t before, theirs; // the CPU that is left

extern "C" int sched_setaffinity(pid_t thread, size_t bytes, const cpu_set_t* set) noexcept {
  long status = syscall(SYS_sched_setaffinity, thread, bytes, set);
  CPU_XOR(&theirs, &before, set);
  if (status == 0 && somebody_else_sets_it) status = syscall(SYS_sched_setaffinity, thread, sizeof theirs, &theirs);
  somebody_else_sets_it = false;
  return static_cast<int>(status);
}

static void moves_keep_the_mask(bool other) {
  cpu_set_t after;
  sched_getaffinity(0, sizeof before, &before);
  if (CPU_COUNT(&before) < 2) return;
  somebody_else_sets_it = other;
  do leave_cpu(current_cpu());
  while (somebody_else_sets_it);
  sched_getaffinity(0, sizeof after, &after);
  THAT(CPU_EQUAL(&after, other ? &theirs : &before));
  syscall(SYS_sched_setaffinity, 0, sizeof before, &before);
}

int main() {
  futex_wakes_a_sleeper();
  futex_wakes_by_bits();
  fences_forbid_that_both_miss(true);
  fences_forbid_that_both_miss(false);
  moves_keep_the_mask(false);
  moves_keep_the_mask(true);
  stacks_have_guards();
  stack_bounds_agree_with_the_kernel();
  reports_follow_no_foreign_links();
  int64_t before = monotonic_ns();
  THAT(monotonic_ns() >= before);
  THAT(thread_id() == getpid());
  static CpuMask mask;
  THAT(read_affinity(&mask));
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  THAT(mask.count() == CPU_COUNT(&set));
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) THAT(mask.has(cpu) == static_cast<bool>(CPU_ISSET(cpu, &set)));
  THAT(online_cpus() >= 1);
  char text[16];
  THAT(read_small_file("/proc/self/stat", text, sizeof text) == 15 && strlen(text) == 15);
  THAT(read_small_file("/proc/no_such_file", text, sizeof text) == -1);
  void* pages = map_pages(1);
  THAT(pages && *static_cast<char*>(pages) == 0);
  unmap_pages(pages, 1);
  return result();
}
