// See cpu_numbers.h. One lock keeps the table. A thread that has a number takes no lock, until the first time that
// there were too few: from then on each question is noted, so that those who wait see that the number is in use.
#include "runtime/base/cpu_numbers.h"

#include <algorithm>
#include <mutex>
#include <unistd.h>

#include "runtime/base/cacheline.h"
#include "runtime/base/lock.h"
#include "runtime/base/os_linux.h"

namespace chomp {

constinit thread_local OwnCpuNumber own_cpu_number;
constinit atomic<bool> cpu_numbers_are_wanted{false};

namespace {

#if defined(CHOMP_VIRTUAL)
constexpr bool kTakesOver = false; // time is not real there, nor do threads sleep when they seem to
#else
constexpr bool kTakesOver = true;
#endif

constexpr int kMostNumbers = 1024;

// When a number is taken over from a thread that has not come to a scheduling point: it has slept in so many looks in a
// row, or computed for so long, without asking again. A library that uses the number for longer than a moment has lost
// its exclusiveness then; but a thread may sleep for a lock that the one which waits for a number has.
constexpr int64_t kLookNs = 1'000'000;
constexpr int kLooksAsleep = 20;
constexpr int64_t kLongUseNs = 2'000'000'000; // of its own CPU time: it may spin for a lock of the library's for long

struct Number {
  int32_t holder = 0; // thread_id(); 0: nobody has it
  uint32_t asked = 0; // changes whenever the holder does, or asks
  // What the first of those that wait saw at its last look.
  uint32_t seen_asked = 0;
  int looks_asleep = 0;
  int64_t began_ns = 0, seen_ns = 0; // the holder's CPU time then, and at the first look since it asked
};

struct Waiter {
  int32_t thread;
  Waiter* next = nullptr;
  atomic<uint32_t> got{0}; // the number + 1
};

constinit Lock numbers_lock;
CHOMP_LARGE constinit Number all[kMostNumbers];
constinit Waiter *first = nullptr, *last = nullptr;
constinit atomic<int> number_count{0};
// There were too few once: numbers may be taken over. It stays so.
constinit atomic<bool> may_be_taken{false};
constinit atomic<bool> all_know_it{false}; // a heavy fence has followed

void give_locked(Number& number, int32_t thread) {
  number.holder = thread;
  ++number.asked;
}

bool has_it_still_locked(const OwnCpuNumber& own) { return own.number >= 0 && all[own.number].holder == own.thread; }

// The same as before, if that is free: the thread may still have the library's data in its cache.
int take_free_locked(const OwnCpuNumber& own, int numbers) {
  if (first != nullptr) return -1; // others came before
  for (int i = 0; i < numbers; ++i) {
    int number = (own.thread + i) % numbers;
    if (all[number].holder != 0) continue;
    give_locked(all[number], own.thread);
    return number;
  }
  return -1;
}

void append_locked(Waiter* waiter) {
  (first == nullptr ? first : last->next) = waiter;
  last = waiter;
  cpu_numbers_are_wanted.store(true, std::memory_order_relaxed); // relaxed: see cpu_number_may_change()
}

// Gives it to the one that has waited longest, whose Waiter may then be gone.
void pass_on_locked(Number& number) {
  Waiter* waiter = first;
  first = waiter->next;
  if (first == nullptr) cpu_numbers_are_wanted.store(false, std::memory_order_relaxed); // relaxed: as above
  give_locked(number, waiter->thread);
  // release: pairs with acquire in wait_for_number(): what its holders wrote is seen.
  waiter->got.store(static_cast<uint32_t>(&number - all) + 1, std::memory_order_release);
  futex_wake(&waiter->got, 1);
}

bool may_take_over_locked(Number& number) {
  if (!kTakesOver) return false;
  int64_t used = thread_cpu_ns(number.holder);
  if (used < 0) return true; // it has ended
  if (number.seen_asked != number.asked) {
    number.seen_asked = number.asked;
    number.began_ns = number.seen_ns = used;
    number.looks_asleep = 0;
    return false;
  }
  bool asleep = used == number.seen_ns && thread_sleeps(number.holder);
  number.looks_asleep = asleep ? number.looks_asleep + 1 : 0;
  number.seen_ns = used;
  return number.looks_asleep >= kLooksAsleep || used - number.began_ns >= kLongUseNs;
}

// Only the first of those that wait looks.
void look_for_unused(const Waiter* self, int numbers) {
  std::lock_guard guard(numbers_lock);
  for (int i = 0; i < numbers && first == self; ++i)
    if (may_take_over_locked(all[i])) pass_on_locked(all[i]);
}

int wait_for_number(Waiter* self, int numbers) {
  // Whoever sees `may_be_taken` as it was has asked before the first look.
  // acquire: pairs with release below: another's fence has followed.
  if (!all_know_it.load(std::memory_order_acquire)) {
    may_be_taken.store(true, std::memory_order_relaxed); // relaxed: the fence orders it
    heavy_fence();                                       // pairs with light_fence() in cpu_number_hold()
    all_know_it.store(true, std::memory_order_release);  // release: pairs with acquire above
  }
  uint32_t got;
  while ((got = self->got.load(std::memory_order_acquire)) == 0) // acquire: pairs with release in pass_on_locked()
    if (!futex_wait(&self->got, 0, kLookNs)) look_for_unused(self, numbers);
  return static_cast<int>(got) - 1;
}

CHOMP_SLOW int hold_slow(OwnCpuNumber& own, int numbers) {
  if (own.thread == 0) own.thread = thread_id();
  for (;;) {
    Waiter self{own.thread};
    {
      std::lock_guard guard(numbers_lock);
      if (has_it_still_locked(own)) {
        ++all[own.number].asked;
        return own.number; // NOLINT(clang-analyzer-core.StackAddressEscape): this turn's `self` is in no list
      }
      own.number = take_free_locked(own, numbers);
      if (own.number >= 0) return own.number;
      append_locked(&self);
    }
    own.number = wait_for_number(&self, numbers); // others may have taken it over before we woke
  }
}

} // namespace

int cpu_numbers(int wanted) {
  // relaxed, all: the number alone.
  int count = number_count.load(std::memory_order_relaxed);
  if (CHOMP_LIKELY(count != 0)) return count;
  int machine = std::min(static_cast<int>(sysconf(_SC_NPROCESSORS_CONF)), kMostNumbers);
  int counted = std::max(std::min(wanted, machine), 1);
  return number_count.compare_exchange_strong(count, counted, std::memory_order_relaxed) ? counted : count;
}

int cpu_number_hold(int numbers) {
  OwnCpuNumber& own = own_cpu_number;
  if (CHOMP_LIKELY(own.number >= 0)) {
    light_fence(); // pairs with the heavy fence in wait_for_number(); what the caller did before counts as its use
    // relaxed: ordered by the fences.
    if (CHOMP_LIKELY(!may_be_taken.load(std::memory_order_relaxed))) return own.number;
  }
  return hold_slow(own, numbers);
}

CHOMP_SLOW void cpu_number_give_back() {
  OwnCpuNumber& own = own_cpu_number;
  std::lock_guard guard(numbers_lock);
  Number& number = all[own.number];
  bool had_it = has_it_still_locked(own); // else somebody has taken it over
  own.number = -1;
  if (!had_it) return;
  number.holder = 0;
  if (first != nullptr) pass_on_locked(number);
}

// The numbers of threads are others in the child.
void cpu_numbers_reset_after_fork() {
  numbers_lock.reset_after_fork();
  std::fill(all, all + kMostNumbers, Number());
  first = last = nullptr;
  // relaxed, both: one thread exists.
  cpu_numbers_are_wanted.store(false, std::memory_order_relaxed);
  may_be_taken.store(all_know_it.load(std::memory_order_relaxed), std::memory_order_relaxed);
  own_cpu_number = OwnCpuNumber();
}

} // namespace chomp
