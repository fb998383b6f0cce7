// Showing waits, and finding the code of the program that waits. See shown_wait.h.
#include "runtime/sync/shown_wait.h"

#include "runtime/base/dynamic.h"
#include "runtime/base/os_linux.h"
#include "runtime/core/worker.h"
#include "runtime/machine/microtask.h"

namespace chomp {

constinit bool waits_are_shown = false;

namespace {

// The compiler's own unwinder, as C++ programs have it in any case. A C program gets it when waits are first shown.
using Backtrace = int(int (*frame)(void* context, void* argument), void* argument);
struct Unwinder {
  atomic<Backtrace*> backtrace{nullptr}; // null: not found yet
  uintptr_t (*address)(void* context) = nullptr;
  uintptr_t (*function)(void* context) = nullptr; // where the frame's function begins
};
constinit Unwinder unwinder;
constexpr int kGoOn = 0, kEndOfStack = 5; // _URC_NO_REASON, _URC_END_OF_STACK

// If the region's body ends in a jump to the runtime, its frame is gone, and its caller would mislead: the search ends.
int note_first_of_program(void* context, void* site) {
  if (unwinder.function(context) == reinterpret_cast<uintptr_t>(&chomp_invoke_microtask)) return kEndOfStack;
  uintptr_t address = unwinder.address(context);
  if (is_of_this_library(address)) return kGoOn;
  *static_cast<uintptr_t*>(site) = address;
  return kEndOfStack;
}

uintptr_t calling_site() {
  uintptr_t site = 0;
  // acquire: pairs with release in shown_wait_start().
  if (auto* backtrace = unwinder.backtrace.load(std::memory_order_acquire)) backtrace(note_first_of_program, &site);
  return site;
}

ShownWait& begin(Worker* worker) {
  ShownWait& shown = worker->wait.shown;
  uintptr_t site = calling_site();
  shown.lock.lock();
  // relaxed: the watchdog compares it with the numbers of the threads that there are.
  if (shown.thread_id.load(std::memory_order_relaxed) == 0)
    shown.thread_id.store(thread_id(), std::memory_order_relaxed);
  shown.site = site;
  shown.since_ns = monotonic_ns();
  return shown;
}

} // namespace

void wait_show(Worker* worker, WaitFor wait_for, uint64_t epoch, const Task* task) {
  if (worker->wait.shown.sleep_for != SleepFor::kNothing) return;
  ShownWait& shown = begin(worker);
  shown.sleep_for = SleepFor::kWorkLoop;
  shown.wait_for = wait_for;
  shown.epoch = epoch;
  shown.task = task;
  shown.lock.unlock();
}

void wait_hide(Worker* worker) {
  ShownWait& shown = worker->wait.shown;
  if (shown.sleep_for == SleepFor::kNothing) return;
  std::lock_guard guard(shown.lock);
  shown.sleep_for = SleepFor::kNothing;
}

void sleep_show(SleepFor sleep_for, const void* object) {
  ShownWait& shown = begin(this_worker());
  shown.sleep_for = sleep_for;
  shown.object = object;
  shown.lock.unlock();
}

void ShownSleep::hide() { wait_hide(tls_worker); }

void shown_wait_start() {
  // Never closed: the report needs it to the end.
  void* library = open_library("libgcc_s.so.1");
  if (library == nullptr) return;
  unwinder.address = reinterpret_cast<decltype(unwinder.address)>(find_symbol(library, "_Unwind_GetIP"));
  unwinder.function = reinterpret_cast<decltype(unwinder.function)>(find_symbol(library, "_Unwind_GetRegionStart"));
  if (unwinder.address == nullptr || unwinder.function == nullptr) return;
  auto* backtrace = reinterpret_cast<Backtrace*>(find_symbol(library, "_Unwind_Backtrace"));
  unwinder.backtrace.store(backtrace, std::memory_order_release); // release: pairs with acquire in calling_site()
}

} // namespace chomp
