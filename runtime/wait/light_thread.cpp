// See light_thread.h.
#include "runtime/wait/light_thread.h"

#include <algorithm>
#include <new>

#include "runtime/base/backoff.h"
#include "runtime/base/policy.h"
#include "runtime/core/memory.h"
#include "runtime/core/team.h"

namespace chomp {

namespace {

// Asks the clock once a look around, and only for those that sleep with a limit.
class Clock {
public:
  bool is_after(int64_t until_ns) {
    if (until_ns == kNoTimeout) return false;
    if (now_ns_ == 0) now_ns_ = monotonic_ns();
    return now_ns_ >= until_ns;
  }

private:
  int64_t now_ns_ = 0;
};

bool can_run(const LightThread* thread, Clock& clock) {
  if (thread->until_exported != nullptr) return thread->until_exported->counts.has_exported();
  if (thread->word == nullptr) return true;
  // relaxed: the thread itself looks again, and orders what it reads then.
  return thread->word->load(std::memory_order_relaxed) != thread->expected || clock.is_after(thread->until_ns);
}

// The next one in the ring that can run; null: none but perhaps `self`.
LightThread* next_that_can_run(LightThread* self) {
  Clock clock;
  for (LightThread* each = self->next; each != self; each = each->next)
    if (can_run(each, clock)) return each;
  return nullptr;
}

// The calling thread goes on when others switch back.
void switch_to(LightThread* self, LightThread* other) {
  tls_worker = other->worker;
  self->stack.switch_to(&other->stack);
}

void leave_ring(LightThread* self) {
  self->previous->next = self->next;
  self->next->previous = self->previous;
  self->next = self->previous = nullptr;
}

// Before the kernel thread sleeps: members of other kernel threads may export tasks then, and nobody would look here.
// So who waits for these goes on, and sleeps as all others do. Returns whether there is one.
bool wake_those_that_wait_for_tasks(LightThread* self) {
  bool woken = false;
  for (LightThread* each = self->next; each != self; each = each->next) {
    if (each->until_exported == nullptr || each->until_exported->kernel_threads == 1) continue;
    each->wake();
    woken = true;
  }
  return woken;
}

// All threads of this kernel thread sleep: it sleeps until the word of one has changed, or the first limit is over.
void sleep_for_all(LightThread* self) {
  FutexSleep sleeps[kMostFutexSleeps];
  int count = 0;
  bool all = true;
  int64_t until_ns = INT64_MAX;
  LightThread* each = self;
  do {
    if (each->until_exported != nullptr) continue; // in a team of this kernel thread alone
    if (each->until_ns != kNoTimeout) until_ns = std::min(until_ns, each->until_ns);
    all = all && count < kMostFutexSleeps;
    if (all) sleeps[count++] = {each->word, each->expected};
  } while ((each = each->next) != self);
  int64_t left_ns = until_ns == INT64_MAX ? kNoTimeout : std::max<int64_t>(until_ns - monotonic_ns(), 0);
  if (all && futex_wait_any(sleeps, count, left_ns)) return;
  // An old kernel, or very many: it sleeps on one word, and looks at the others now and then.
  if (left_ns == kNoTimeout || left_ns > policy::kBusyPauseNs) left_ns = policy::kBusyPauseNs;
  futex_wait(self->word, self->expected, left_ns);
}

LightThread* shares_kernel_thread() {
  const Worker* worker = tls_worker;
  LightThread* self = worker != nullptr ? worker->thread.light : nullptr;
  return self != nullptr && self->next != self ? self : nullptr;
}

bool pause() {
  LightThread* self = shares_kernel_thread();
  LightThread* other = self != nullptr ? next_that_can_run(self) : nullptr;
  if (other == nullptr) return false;
  switch_to(self, other);
  return true;
}

// As futex_wait(), and while the others run. Whoever wakes a sleeper has changed its word.
bool sleep(atomic<uint32_t>* word, uint32_t expected, int64_t timeout_ns) {
  LightThread* self = shares_kernel_thread();
  if (self == nullptr) return futex_wait(word, expected, timeout_ns);
  self->expected = expected;
  self->until_ns = timeout_ns == kNoTimeout ? kNoTimeout : monotonic_ns() + timeout_ns;
  self->word = word;
  for (;;) {
    Clock clock;
    // relaxed: the caller looks again, and orders what it reads.
    if (self->word == nullptr || word->load(std::memory_order_relaxed) != expected) break;
    if (clock.is_after(self->until_ns)) {
      self->word = nullptr;
      return false;
    }
    if (LightThread* other = next_that_can_run(self))
      switch_to(self, other);
    else if (!wake_those_that_wait_for_tasks(self))
      sleep_for_all(self);
  }
  self->word = nullptr;
  return true;
}

constexpr LightWaits waits_here{pause, sleep};

} // namespace

LightThread* light_of(Worker* worker) {
  LightThread*& light = worker->thread.light;
  if (light != nullptr) return light;
  light = new (memory_permanent(sizeof(LightThread))) LightThread;
  light->worker = worker;
  return light;
}

bool light_open(Worker* worker, void (*body)(void* worker)) {
  LightThread* self = light_of(worker);
  if (!self->stack.open(body, worker)) return false;
  self->next = self->previous = nullptr;
  self->wake();
  self->ended = false;
  light_waits.store(&waits_here, std::memory_order_relaxed); // relaxed: see there
  return true;
}

void light_close(Worker* worker) {
  worker->thread.light->stack.close();
  worker->thread.light->next = worker->thread.light->previous = worker->thread.light;
}

void light_start(LightThread* thread, LightThread* before) {
  DCHECK(!before->rests());
  thread->until_exported = nullptr;
  if (!thread->rests()) return;
  thread->previous = before;
  thread->next = before->next;
  before->next->previous = thread;
  before->next = thread;
}

// Somebody is left in the ring: the thread that started this one, or another's member that did. All of them sleep or
// can run; the first that can is entered, or else the first, whose own loop sleeps for all.
__attribute__((noinline)) void light_rest(Worker* worker) {
  LightThread* self = worker->thread.light;
  LightThread* other = next_that_can_run(self);
  if (other == nullptr) other = self->next;
  leave_ring(self);
  switch_to(self, other);
}

__attribute__((noinline)) void light_wait_for_tasks(Worker* worker, const Team* team) {
  LightThread* self = worker->thread.light;
  LightThread* other = next_that_can_run(self);
  if (other == nullptr) return;
  self->until_exported = team;
  switch_to(self, other);
  self->until_exported = nullptr;
}

bool light_put_to_rest(LightThread* thread) {
  if (thread->until_exported == nullptr) return thread->rests();
  thread->until_exported = nullptr;
  leave_ring(thread);
  return true;
}

void light_end(Worker* worker) {
  LightThread* self = worker->thread.light;
  LightThread* other = next_that_can_run(self);
  if (other == nullptr) other = self->next;
  leave_ring(self);
  self->ended = true;
  tls_worker = other->worker;
  self->stack.end(&other->stack);
}

void light_reset_after_fork(Worker* worker) {
  if (LightThread* self = worker->thread.light) self->next = self->previous = self;
}

} // namespace chomp
