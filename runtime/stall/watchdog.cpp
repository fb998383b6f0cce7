// Finds out that nothing moves any more, and waits for signals. See watchdog.h.
#include "runtime/stall/watchdog.h"

#include <algorithm>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>

#include "runtime/base/cacheline.h"
#include "runtime/base/log.h"
#include "runtime/base/os_linux.h"
#include "runtime/config/config.h"
#include "runtime/core/events.h"
#include "runtime/core/team.h"
#include "runtime/core/wait.h"
#include "runtime/core/worker.h"
#include "runtime/stall/held_locks.h"
#include "runtime/stall/open_tasks.h"
#include "runtime/observe/process_threads.h"
#include "runtime/stall/stall_report.h"
#include "runtime/sync/shown_wait.h"

namespace chomp {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

constinit atomic<uint32_t> requests{0}; // signals that came
constinit atomic<bool> running{false};  // this process has a watchdog's thread

// ---- Whether anything moves -----------------------------------------------------------------------------------------

/// Whether a thread that is not asleep in the runtime moves, as far as that can be seen from outside.
bool moves(const ProcessThread& thread, const Worker* worker) {
  switch (thread.blocked) {
  case Blocked::kNot:
  case Blocked::kByClock: return true;
  case Blocked::kOnThread:
  case Blocked::kEnded: return false;
  case Blocked::kOutside: break;
  }
  // In a region, a task that reads from a file or the network goes on some day. Outside of one, a thread that waits for
  // requests is not the one for which the others wait. relaxed: the thread has been asleep since before we looked.
  return worker != nullptr &&
         (!worker->thread.is_root || worker->wait.shown.regions.load(std::memory_order_relaxed) > 0);
}

/// One look at all threads.
struct Look {
  int64_t last_change_ns = 0; // of the waits that are shown: when the youngest began
  int waits = 0;              // threads in a wait that should end
  int others = 0;             // threads that show no wait, but the watchdog's own
  bool moves = false;
  uint64_t switches = 0; // of the threads that show no wait: unchanged if none of them has run
};

// The thread of the spawned tasks may wait for a moment each time that it has looked for something. That is no
// progress: what comes of it moves other threads.
constinit int64_t spawned_since_ns = 0; // when its wait began that we have seen last

void look_at_worker(Worker* worker, Look* look) {
  ShownWait& shown = worker->wait.shown;
  std::lock_guard guard(shown.lock);
  bool in_loop = shown.sleep_for == SleepFor::kWorkLoop, spawned = in_loop && shown.wait_for == WaitFor::kSpawned;
  if (spawned) {
    spawned_since_ns = shown.since_ns;
    return;
  }
  if (shown.since_ns > look->last_change_ns) look->last_change_ns = shown.since_ns;
  if (!in_loop || shown.wait_for != WaitFor::kGo) ++look->waits;
}

// Whether it is that thread, shows no wait, and has waited since the last look: it has not computed ever since.
bool polls(Worker* worker) {
  ShownWait& shown = worker->wait.shown;
  std::lock_guard guard(shown.lock);
  if (shown.wait_for != WaitFor::kSpawned || shown.since_ns <= spawned_since_ns) return false;
  spawned_since_ns = shown.since_ns;
  return true;
}

Look look_at_threads() {
  CHOMP_LARGE static ListedThreads threads; // static, since only the watchdog's thread looks
  Look look;
  if (!threads.read()) look.moves = true;
  for (int i = 0; i < threads.count; ++i) {
    ProcessThread thread;
    Worker* worker = threads.workers[i];
    if (worker != nullptr && shows_a_wait(worker)) {
      look_at_worker(worker, &look);
      continue;
    }
    if (!look_at_thread(threads.ids[i], &thread)) continue;
    if (thread.blocked != Blocked::kEnded) ++look.others;
    if (worker != nullptr && polls(worker)) continue;
    if (moves(thread, worker)) look.moves = true;
    look.switches = look.switches * 31 + thread.switches * 2 + static_cast<uint64_t>(thread.id);
  }
  return look;
}

class Stall {
public:
  /// Whether nothing has moved for `limit_ns`.
  bool lasts(const Look& look, int64_t now_ns, int64_t limit_ns) {
    if (look.moves || look.switches != switches_ || since_ns_ == 0) since_ns_ = now_ns;
    switches_ = look.switches;
    int64_t since = std::max(look.last_change_ns, since_ns_);
    return look.waits > 0 && now_ns - since >= limit_ns;
  }

private:
  int64_t since_ns_ = 0; // when a thread that shows no wait last moved
  uint64_t switches_ = 0;
};

// ---- The thread -----------------------------------------------------------------------------------------------------

int64_t pause_ns() {
  int64_t quarter = config.watchdog_seconds * kSecond / 4;
  return quarter > 0 && quarter < kSecond ? quarter : kSecond;
}

void* watch(void*) {
  prctl(PR_SET_NAME, "chomp/watch");
  int64_t limit_ns = config.watchdog_seconds * kSecond;
  bool said = limit_ns == 0;
  Stall stall;
  uint32_t answered = 0;
  for (;;) {
    futex_wait(&requests, answered, pause_ns());
    uint32_t asked = requests.load(std::memory_order_relaxed); // relaxed: nothing comes with it
    if (asked != answered) stall_report(0);
    answered = asked;
    Look look = look_at_threads();
    // main() has left by pthread_exit(), and all other threads after it: the process must not live for this thread.
    if (look.others == 0 && look.waits == 0) break;
    if (said || !stall.lasts(look, monotonic_ns(), limit_ns)) continue;
    stall_report(config.watchdog_seconds);
    said = true;
  }
  running.store(false, std::memory_order_relaxed); // relaxed: no thread is left that reads it
  return nullptr;
}

void start_thread() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  pthread_sigmask(SIG_SETMASK, &all, &before); // the program's signals are not for this thread
  int error = pthread_create(&thread, &attributes, watch, nullptr);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (error != 0) warn(0, "CHOMP_WATCHDOG: the system refuses a thread; ignored.");
}

void start_once() {
  bool runs = false;
  // relaxed: decides only who starts it.
  if (running.compare_exchange_strong(runs, true, std::memory_order_relaxed)) start_thread();
}

// ---- The signal -----------------------------------------------------------------------------------------------------

// One addition and one system call: safe wherever the signal arrives.
void on_signal(int) {
  int before = errno;
  requests.fetch_add(1, std::memory_order_relaxed); // relaxed: nothing comes with it
  futex_wake(&requests, 1);
  errno = before;
}

int signal_number() {
  switch (config.watchdog_signal) {
  case WatchdogSignal::kNone: break;
  case WatchdogSignal::kQuit: return SIGQUIT;
  case WatchdogSignal::kUser1: return SIGUSR1;
  case WatchdogSignal::kUser2: return SIGUSR2;
  }
  return 0;
}

void install_handler() {
  int signal = signal_number();
  struct sigaction now = {};
  if (signal == 0 || sigaction(signal, nullptr, &now) != 0) return;
  if ((now.sa_flags & SA_SIGINFO) != 0 || now.sa_handler != SIG_DFL)
    return warn(0, "CHOMP_WATCHDOG_SIGNAL: the program handles or ignores this signal itself; ignored.");
  now.sa_handler = on_signal;
  now.sa_flags = SA_RESTART | SA_ONSTACK;
  sigaction(signal, &now, nullptr);
}

// ---- The observer ---------------------------------------------------------------------------------------------------

constinit Observer observer = {};

void implicit_begin(Worker* worker, Task*) {
  // relaxed: our own; the watchdog compares it.
  if (worker->wait.shown.thread_id.load(std::memory_order_relaxed) == 0)
    worker->wait.shown.thread_id.store(thread_id(), std::memory_order_relaxed);
}

void region_begin(Worker* worker, Team*) {
  worker->wait.shown.regions.fetch_add(1, std::memory_order_relaxed); // relaxed: as above
  start_once();                                                       // in a forked child
}

void region_end(Worker* worker, Team*) {
  worker->wait.shown.regions.fetch_sub(1, std::memory_order_relaxed); // relaxed: as above
}

void forked() {
  open_tasks_reset_after_fork();
  held_locks_reset_after_fork();
  running.store(false, std::memory_order_relaxed); // relaxed, all: one thread exists
  requests.store(0, std::memory_order_relaxed);
  if (Worker* worker = tls_worker) {
    worker->wait.shown.lock.reset_after_fork();
    worker->wait.shown.thread_id.store(thread_id(), std::memory_order_relaxed);
  }
}

} // namespace

void watchdog_start() {
  if (config.watchdog_seconds == 0 && config.watchdog_signal == WatchdogSignal::kNone) return;
  waits_are_shown = true;
  observer.implicit_begin = implicit_begin;
  observer.region_begin = region_begin;
  observer.region_end = region_end;
  observer.forked = forked;
  open_tasks_observe(&observer);
  held_locks_observe(&observer);
  events_add_observer(&observer);
  install_handler();
}

void watchdog_start_thread() {
  if (!waits_are_shown) return;
  shown_wait_start();
  start_once();
}

} // namespace chomp
