// See tool_crash.h. SIGSEGV is stack_overflow.cpp's, which calls tool_crash_report(); the other signals of crashes get
// a handler here.
#include "runtime/stacks/tool_crash.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>

#include "runtime/base/log.h"
#include "runtime/config/config.h"
#include "runtime/core/worker.h"
#include "runtime/observe/ompt.h"
#include "runtime/stacks/stack_overflow.h"

namespace chomp {

namespace {

constinit char tool_name[512] = {}; // written before the tool starts
constinit atomic<bool> reported{false};

constexpr struct {
  int number;
  const char* name;
} kSignals[] = {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"}, {SIGFPE, "SIGFPE"}, {SIGILL, "SIGILL"}, {SIGABRT, "SIGABRT"}};

constexpr const char* kEventNames[] = {
    "",
#define CALLBACK(name, text) text,
#include "runtime/core/events.def"
};

/// Returns with the system's action restored. What faulted faults again; abort() raises its signal once more.
void on_crash(int signal, siginfo_t* info, void*) {
  int saved = errno;
  tool_crash_report(tls_worker, signal);
  struct sigaction usual = {};
  usual.sa_handler = SIG_DFL;
  sigaction(signal, &usual, nullptr);
  if (info->si_code <= 0) raise(signal); // a process sent it, perhaps this one: it is pending until we return
  errno = saved;
}

} // namespace

void tool_crash_watch(Worker* worker, const char* name) {
  snprintf(tool_name, sizeof tool_name, "%s", name != nullptr ? name : "in this program");
  if (!config.overflow_message) return;
  overflow_watch(worker); // SIGSEGV
  for (const auto& each : kSignals) {
    struct sigaction now = {};
    if (each.number == SIGSEGV || sigaction(each.number, nullptr, &now) != 0) continue;
    if ((now.sa_flags & SA_SIGINFO) != 0 || now.sa_handler != SIG_DFL) continue;
    now = {};
    now.sa_sigaction = on_crash;
    now.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&now.sa_mask);
    sigaction(each.number, &now, nullptr);
  }
}

void tool_crash_report(const Worker* worker, int signal) {
  if (worker == nullptr || worker->observe.tool.inside == 0) return;
  // relaxed: decides which thread prints; no data goes with it.
  if (reported.exchange(true, std::memory_order_relaxed)) return;
  const char* what = "?";
  for (const auto& each : kSignals)
    if (each.number == signal) what = each.name;
  const int event = worker->observe.tool.inside;
  print("chomp: the tool %s crashes (%s) in its %s%s, and the program with it. OMP_TOOL=disabled runs it without "
        "tools.\n",
        tool_name, what, event < 0 ? "initializer or finalizer" : "callback of ", event < 0 ? "" : kEventNames[event]);
}

} // namespace chomp
