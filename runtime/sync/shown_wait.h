// What a thread sleeps for, and which code of the program waits: for the stall report (stall/watchdog.h). It is kept
// only while the watchdog is on. Otherwise a thread that is about to sleep reads one flag, and pays nothing else.
//
// A worker shows one wait at a time, the innermost: while it runs a task in a wait, that wait is not shown. The worker
// itself shows and hides its wait; the watchdog reads it. Everything is under the record's lock. So a reader that holds
// it sees all that the worker wrote before its sleep, and the worker cannot go on meanwhile.
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/base/check.h"
#include "runtime/base/lock.h"

namespace chomp {

struct Task;
struct Worker;
enum class WaitFor : uint8_t;

/// Whether workers show their waits. Written once, by the thread that starts the runtime.
extern bool waits_are_shown;

/// What a worker sleeps for; WaitFor tells the work loop's waits apart.
enum class SleepFor : uint8_t { kNothing, kWorkLoop, kLock, kOrderedTurn, kLoopRing };

struct ShownWait {
  Lock lock; // guards what follows; the worker itself reads without it
  SleepFor sleep_for = SleepFor::kNothing;
  WaitFor wait_for{};           // kWorkLoop
  uint64_t epoch = 0;           // kWorkLoop: of the barrier
  const Task* task = nullptr;   // kWorkLoop: the task whose children are waited for
  const void* object = nullptr; // kLock: the program's lock
  int64_t since_ns = 0;         // monotonic
  uintptr_t site = 0;           // the address to which the program's call returns; 0: not known, or no frame is left
  atomic<int32_t> thread_id{0}; // the kernel's number of the thread that has the record; 0: not known yet
  atomic<int32_t> regions{0};   // of a root thread: regions that it is in
};

/// Called when the worker is about to sleep in the work loop. May be called again in the same wait.
CHOMP_SLOW void wait_show(Worker* worker, WaitFor wait_for, uint64_t epoch, const Task* task);
/// Called when the worker has something to do again, also if no wait is shown.
CHOMP_SLOW void wait_hide(Worker* worker);
CHOMP_SLOW void sleep_show(SleepFor sleep_for, const void* object);

/// A sleep outside the work loop: shown from the first show() to the end of the scope.
class ShownSleep {
public:
  ShownSleep() = default;
  ShownSleep(const ShownSleep&) = delete;
  ShownSleep& operator=(const ShownSleep&) = delete;
  ~ShownSleep() {
    if (CHOMP_UNLIKELY(shown_)) hide();
  }
  void show(SleepFor sleep_for, const void* object) {
    if (CHOMP_LIKELY(!waits_are_shown) || shown_) return;
    shown_ = true;
    sleep_show(sleep_for, object);
  }

private:
  CHOMP_SLOW static void hide();

  bool shown_ = false;
};

/// Looks for an unwinder of stacks. Called once, at start-up.
void shown_wait_start();

} // namespace chomp
