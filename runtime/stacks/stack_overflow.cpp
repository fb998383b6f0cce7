// See stack_overflow.h. The handler runs on the faulting thread, on its alternate stack, and calls nothing that takes a
// lock or allocates: log.h's print() formats into a buffer and writes it at once.
#include "runtime/stacks/stack_overflow.h"

#include <algorithm>
#include <errno.h>
#include <signal.h>
#include <sys/auxv.h>
#include <ucontext.h>
#include <unistd.h>

#include "runtime/base/cacheline.h"
#include "runtime/base/lock.h"
#include "runtime/base/log.h"
#include "runtime/base/os_linux.h"
#include "runtime/core/worker.h"
#include "runtime/stacks/tool_crash.h"
#include "runtime/stacks/stack.h"

namespace chomp {

namespace {

constexpr size_t kSignalStackBytes = 64 * 1024; // for the program's own handlers, too
constexpr uintptr_t kNear = 64 * 1024;          // how far from the stack pointer an instruction reaches
constexpr uintptr_t kLargestFrame = uintptr_t{1} << 30;

enum class Watch : uint8_t { kUndecided, kOn, kOff };
alignas(16) CHOMP_LARGE
    constinit char last_resort[kSignalStackBytes] = {}; // the initial thread's, where there is no other
constinit atomic<Watch> watch{Watch::kUndecided};
constinit atomic<bool> reported{false};

// Signal stacks of threads that have ended. A short thread would spend most of its time in the runtime on making its
// own.
constexpr int kMostSpare = 16;
constinit Lock spare_lock;
constinit int spare_count = 0;
constinit StackMapping spare[kMostSpare];

StackMapping take_signal_stack() {
  {
    std::lock_guard guard(spare_lock);
    if (spare_count > 0) return spare[--spare_count];
  }
  return map_stack(kSignalStackBytes + getauxval(AT_MINSIGSTKSZ), page_size());
}

// Takes back a mapping that is no thread's alternate stack any more.
void give_signal_stack(const StackMapping& stack) {
  {
    std::lock_guard guard(spare_lock);
    if (spare_count < kMostSpare) {
      spare[spare_count++] = stack;
      return;
    }
  }
  unmap_stack(stack);
}

uintptr_t stack_pointer_of(const void* context) {
  auto machine = &static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<uintptr_t>(machine->gregs[REG_RSP]);
#elif defined(__aarch64__)
  return machine->sp;
#elif defined(__riscv)
  return machine->__gregs[REG_SP];
#else
  return 0;
#endif
}

/// Whether the access lies beyond the end of the stack that the thread is on, between there and its stack pointer. A
/// stack that chomp does not know (the program's coroutines) never overflows here.
bool beyond_end(const StackBounds& stack, uintptr_t address, uintptr_t stack_pointer) {
  if (stack.low == 0 || stack_pointer >= stack.high || stack_pointer + kLargestFrame < stack.low) return false;
  uintptr_t deepest = std::min(stack_pointer, stack.low);
  return address < stack.low + page_size() && address + kNear >= deepest;
}

/// Whether the access lies in the part of the initial thread's stack that the system has not mapped yet, and did not
/// map now.
bool could_not_grow(const StackBounds& stack, uintptr_t address, uintptr_t stack_pointer) {
  return stack.grows && address >= stack.low && address < stack.high && address + kNear >= stack_pointer;
}

void report_no_room(const StackBounds& stack, uintptr_t address) {
  size_t kilobytes = (stack.high - address) / 1024;
  uint64_t limit = address_space_limit();
  if (limit != UINT64_MAX)
    print(
        "chomp: the stack of the initial thread cannot grow beyond %zu KB: the process has used up its address space, "
        "%llu KB. The shell sets that: \"ulimit -v unlimited\", for example.\n",
        kilobytes, static_cast<unsigned long long>(limit / 1024));
  else
    print("chomp: the stack of the initial thread cannot grow beyond %zu KB: the system has no memory for it.\n",
          kilobytes);
}

void report_overflow(const Worker* worker, const StackBounds& stack) {
  size_t kilobytes = (stack.high - stack.low) / 1024;
  if (worker->stack.segment != nullptr || !worker->thread.is_root)
    print("chomp: stack overflow in thread %d: a task needs more than the %zu KB that it has. Set OMP_STACKSIZE to "
          "more, for example OMP_STACKSIZE=%zuM.\n",
          worker->gtid, kilobytes, (4 * kilobytes + 1023) / 1024);
  else if (getpid() == thread_id())
    print("chomp: stack overflow in the initial thread, which has %zu KB. The shell sets that: \"ulimit -s %zu\", for "
          "example. (OMP_STACKSIZE is for the other threads.)\n",
          kilobytes, 4 * kilobytes);
  else
    print("chomp: stack overflow in thread %d, which the program made with %zu KB (pthread_attr_setstacksize). "
          "(OMP_STACKSIZE is for the threads that chomp makes.)\n",
          worker->gtid, kilobytes);
}

/// Returns to the instruction at fault with the system's action restored: it faults again, and the process dies there.
void on_fault(int signal, siginfo_t* info, void* context) {
  int saved = errno;
  const Worker* worker = tls_worker;
  bool by_kernel = info->si_code > 0;
  tool_crash_report(worker, signal);
  if (worker != nullptr && by_kernel) {
    StackBounds stack = stack_in_use(worker);
    auto address = reinterpret_cast<uintptr_t>(info->si_addr);
    uintptr_t stack_pointer = stack_pointer_of(context);
    bool beyond = beyond_end(stack, address, stack_pointer);
    bool no_room = !beyond && info->si_code == SEGV_MAPERR && could_not_grow(stack, address, stack_pointer);
    // relaxed: decides which thread prints; no data goes with it.
    if ((beyond || no_room) && !reported.exchange(true, std::memory_order_relaxed)) {
      if (beyond) report_overflow(worker, stack);
      if (no_room) report_no_room(stack, address);
    }
  }
  struct sigaction usual = {};
  usual.sa_handler = SIG_DFL;
  sigaction(signal, &usual, nullptr);
  if (!by_kernel) raise(signal); // a process sent it: nothing will fault again. The new one is pending until we return.
  errno = saved;
}

/// Once per process. Two threads that decide at once install the same handler.
Watch decide() {
  struct sigaction now = {};
  if (!config.overflow_message || sigaction(SIGSEGV, nullptr, &now) != 0) return Watch::kOff;
  if (now.sa_flags & SA_SIGINFO) return now.sa_sigaction == on_fault ? Watch::kOn : Watch::kOff;
  if (now.sa_handler != SIG_DFL) return Watch::kOff;
  now = {};
  now.sa_sigaction = on_fault;
  now.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&now.sa_mask);
  return sigaction(SIGSEGV, &now, nullptr) == 0 ? Watch::kOn : Watch::kOff;
}

} // namespace

void overflow_watch(Worker* worker) {
  if (worker->stack.overflow_watched) return;
  worker->stack.overflow_watched = true;
  Watch state = watch.load(std::memory_order_relaxed); // relaxed: all that see kUndecided decide the same
  if (state == Watch::kUndecided) watch.store(state = decide(), std::memory_order_relaxed); // relaxed: as above
  if (state == Watch::kOff) return;
  stack_t now = {};
  if (sigaltstack(nullptr, &now) != 0 || !(now.ss_flags & SS_DISABLE)) return;
  stack_t ours = {};
  StackMapping stack = take_signal_stack();
  if (stack.low == 0 && worker->stack.grows) { // no memory is left, and then its stack may be unable to grow
    ours.ss_sp = last_resort;
    ours.ss_size = sizeof last_resort;
    sigaltstack(&ours, nullptr);
    return;
  }
  if (stack.low == 0) return;
  ours.ss_sp = reinterpret_cast<void*>(stack.low);
  ours.ss_size = stack.high - stack.low;
  if (sigaltstack(&ours, nullptr) != 0) return give_signal_stack(stack);
  worker->stack.signal_stack = stack;
}

void overflow_unwatch(Worker* worker) {
  StackMapping stack = worker->stack.signal_stack;
  worker->stack.overflow_watched = false;
  if (stack.low == 0) return;
  worker->stack.signal_stack = StackMapping{};
  stack_t now = {}, none = {};
  none.ss_flags = SS_DISABLE;
  if (sigaltstack(nullptr, &now) != 0) return; // the mapping stays
  bool ours = now.ss_sp == reinterpret_cast<void*>(stack.low);
  if (ours && sigaltstack(&none, nullptr) != 0) return; // it is in use, since the thread ends inside a handler
  give_signal_stack(stack);
}

// The list may have been caught in the middle of a change.
void overflow_reset_after_fork() {
  spare_lock.reset_after_fork();
  spare_count = 0;
}

} // namespace chomp
