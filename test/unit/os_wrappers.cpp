// RUN: %clangxx -std=c++20 -I%root %s %root/runtime/base/log.cpp %root/runtime/base/os_linux.cpp -pthread -o %t && %t
#include <csignal>
#include <pthread.h>
#include <sched.h>
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
  THAT(!futex_wait(&word, 1, 1000000)); // nobody wakes: the timeout runs out
  THAT(futex_wait(&word, 0, 1000000));  // another value: returns at once, not as a timeout
}

/// Dekker's pattern: with the light fence on one side and the heavy one on the other, both threads never miss.
struct Race {
  alignas(64) std::atomic<int> frequent{0};
  alignas(64) std::atomic<int> rare{0};
  alignas(64) std::atomic<int> turn{0};
  int saw_rare = 0;
};
static Race race;
static constexpr int kRounds = 5000;

/// Short, since the machine may have one CPU or be busy.
static void spin_a_little() {
  static thread_local int spins;
  if (++spins % 64 == 0)
    cpu_yield();
  else
    cpu_pause();
}

static void* frequent_side(void*) {
  for (int round = 1; round <= kRounds; round++) {
    while (race.turn.load(std::memory_order_acquire) != 2 * round - 1) spin_a_little(); // acquire: the other's turn
    race.frequent.store(round, std::memory_order_relaxed);                              // relaxed: ordered by the fence
    light_fence();
    race.saw_rare = race.rare.load(std::memory_order_relaxed) == round; // relaxed: ordered by the fence
    race.turn.store(2 * round, std::memory_order_release);              // release: pairs with the rare side's wait
  }
  return nullptr;
}

static void fences_forbid_that_both_miss(bool use_membarrier) {
  membarrier_register(use_membarrier);
  if (!use_membarrier) THAT(!membarrier_available);
  race.turn.store(0);
  race.frequent.store(0);
  race.rare.store(0);
  pthread_t thread;
  pthread_create(&thread, nullptr, frequent_side, nullptr);
  int both_missed = 0;
  for (int round = 1; round <= kRounds; round++) {
    race.turn.store(2 * round - 1, std::memory_order_release); // release: pairs with frequent_side()'s wait
    race.rare.store(round, std::memory_order_relaxed);         // relaxed: ordered by the fence
    heavy_fence();
    bool saw_frequent = race.frequent.load(std::memory_order_relaxed) == round;     // relaxed: ordered by the fence
    while (race.turn.load(std::memory_order_acquire) != 2 * round) spin_a_little(); // acquire: publishes saw_rare
    if (!saw_frequent && !race.saw_rare) both_missed++;
  }
  pthread_join(thread, nullptr);
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

int main() {
  futex_wakes_a_sleeper();
  fences_forbid_that_both_miss(true);
  fences_forbid_that_both_miss(false);
  stacks_have_guards();
  stack_bounds_agree_with_the_kernel();
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
  THAT(read_small_file("/no/such/file", text, sizeof text) == -1);
  void* pages = map_pages(1);
  THAT(pages && *static_cast<char*>(pages) == 0);
  unmap_pages(pages, 1);
  return result();
}
