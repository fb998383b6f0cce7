// See wake.h.
#include "runtime/threads/wake.h"

#include <bit>
#include <limits.h>

#include "runtime/base/os_linux.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/machine/topology.h"

namespace chomp {
namespace {

// The bits of the given word that stand for one of the first `members` members.
uint64_t first_members(int32_t members, int32_t word) {
  int32_t left = members - word * 64;
  return left >= 64 ? ~uint64_t{0} : left <= 0 ? 0 : (uint64_t{1} << left) - 1;
}

int32_t awake_members(const Team* team) {
  int32_t sleeping = 0, size = team->size();
  for (int32_t word = 0; word * 64 < size; ++word)
    // relaxed: an estimate.
    sleeping += std::popcount(team->sleepers[word].load(std::memory_order_relaxed) & first_members(size, word));
  return size - sleeping;
}

// A thread that sleeps briefly has executed no heavy fence. Where there are such threads, a waker executes a fence on
// its own CPU, so that it hardly ever misses one.
void fence_before_look() {
  // relaxed: the sleep of a thread that is missed ends by itself.
  if (CHOMP_UNLIKELY(threads_sleep_briefly.load(std::memory_order_relaxed)))
    thread_fence(std::memory_order_seq_cst); // pairs with Idler::fence_before_sleep()
  else
    light_fence(); // pairs with the same
}

void count_wake() {
  if (tls_worker != nullptr) tls_worker->observe.counters.wakes.add();
}

// After the fence. Returns in which state the worker has slept, and has to be woken yet; kAwake: it has not.
uint32_t end_sleep(Worker* worker) {
  // relaxed: ordered by the fence; the exchange decides between wakers.
  if (worker->wait.parked.load(std::memory_order_relaxed) == kAwake) return kAwake;
  worker->wait.wakers_cpu.store(current_cpu(), std::memory_order_relaxed); // relaxed: a hint
  // acq_rel: release pairs with the acquire of the woken worker's own look at the word.
  return worker->wait.parked.exchange(kAwake, std::memory_order_acq_rel);
}

void wake_by_own_word(Worker* worker) {
  futex_wake(&worker->wait.parked, 1);
  count_wake();
}

} // namespace

alignas(kCacheLine) constinit atomic<bool> threads_sleep_briefly{false};

void worker_wake(Worker* worker) {
  fence_before_look(); // pairs with Idler::fence_before_sleep(): we see the worker parked or it sees what we stored
  if (end_sleep(worker) != kAwake) wake_by_own_word(worker);
}

void wake_if_asleep(Team* team, int32_t tid) {
  fence_before_look(); // pairs as in worker_wake(): either we see the bit or the member sees what we stored
  // relaxed: ordered by the fence. A thread that has claimed the bit wakes the member.
  if ((team->sleepers[tid / 64].load(std::memory_order_relaxed) >> (tid % 64) & 1) != 0)
    worker_wake(team->members[tid].worker);
}

bool all_cpus_taken(const Team* team, int32_t without) {
  return awake_members(team) - without >= topology.running_cpus;
}

bool wake_next_sleeper(Team* team, int32_t from, int32_t except) {
  int32_t size = team->size();
  for (int32_t word = from / 64; word * 64 < size; ++word) {
    uint64_t wanted = first_members(size, word);
    if (word == from / 64) wanted &= ~uint64_t{0} << (from % 64);
    if (except >= 0 && word == except / 64) wanted &= ~(uint64_t{1} << (except % 64));
    // relaxed: ordered by the caller's fence.
    while (uint64_t sleeping = team->sleepers[word].load(std::memory_order_relaxed) & wanted) {
      uint64_t bit = sleeping & -sleeping;
      // acq_rel: one of several wakers claims the sleeper; pairs with the sleeper's fetch_or and fetch_and in park():
      // we see `parked`, it sees what was published before.
      if ((team->sleepers[word].fetch_and(~bit, std::memory_order_acq_rel) & bit) == 0) continue;
      worker_wake(team->members[word * 64 + std::countr_zero(bit)].worker);
      return true;
    }
  }
  return false;
}

void wake_one_sleeper(Team* team) {
  fence_before_look(); // pairs with Idler::fence_before_sleep(): either we see a member's bit or it sees the task
  if (!team->may_spin() && all_cpus_taken(team)) return; // members that go to sleep look, and sentinels do now and then
  wake_next_sleeper(team, 0);
}

// One sweep is enough: a member that goes to sleep again meanwhile waits for something else.
void wake_sleepers_of_domain(Team* team, int domain) {
  fence_before_look(); // pairs with Idler::fence_before_sleep(): we see a member's bit or it sees the barrier open
  DomainLine& line = team->domain_lines[domain];
  bool together = false;
  for (int32_t word = line.first_member / 64; word <= line.last_member / 64; ++word) {
    uint64_t wanted = 0;
    // relaxed: ordered by the fence.
    for (uint64_t bits = team->sleepers[word].load(std::memory_order_relaxed); bits != 0; bits &= bits - 1)
      if (team->shape.domain_of_member[word * 64 + std::countr_zero(bits)] == domain) wanted |= bits & -bits;
    if (wanted == 0) continue;
    // acq_rel: pairs as in wake_next_sleeper().
    uint64_t sleeping = team->sleepers[word].fetch_and(~wanted, std::memory_order_acq_rel) & wanted;
    for (; sleeping != 0; sleeping &= sleeping - 1) {
      Worker* worker = team->members[word * 64 + std::countr_zero(sleeping)].worker;
      uint32_t state = end_sleep(worker);
      if (state == kParkedWithDomain)
        together = true;
      else if (state != kAwake)
        wake_by_own_word(worker);
    }
  }
  if (CHOMP_LIKELY(!together)) return;
  // Last: otherwise a member that this wakes, and that sleeps again, could be swept, and not be woken.
  line.brief_events.fetch_add(1, std::memory_order_release); // release: pairs with acquire in the woken threads
  futex_wake(&line.brief_events, INT_MAX);
  count_wake();
}

void wake_for_start(Team* team, int domain) {
  // Both pair with the fence in Idler::sleep_between_regions(): we see the sleeper counted or it sees the signal.
  team->was_oversubscribed() ? thread_fence(std::memory_order_seq_cst) : fence_before_look();
  DomainLine& line = team->domain_lines[domain];
  if (line.sleeping.load(std::memory_order_relaxed) != 0) {             // relaxed: ordered by the fence
    line.notifiers_cpu.store(current_cpu(), std::memory_order_relaxed); // relaxed: a hint
    line.eventcount.fetch_add(1, std::memory_order_release); // release: pairs with acquire in the woken thread
    futex_wake(&line.eventcount, INT_MAX);
    count_wake();
  }
  wake_sleepers_of_domain(team, domain);
}

} // namespace chomp
