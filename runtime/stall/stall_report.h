// Says in words what each thread of the program does and waits for: see watchdog.h.
#pragma once

#include "runtime/observe/process_threads.h"

namespace chomp {

struct Worker;

/// The threads of the process, but for the caller, and their workers, if they have some. Read by the watchdog's thread
/// only.
struct ListedThreads {
  int count = 0;
  int ids[kMostListedThreads]; // ascending
  Worker* workers[kMostListedThreads];

  /// False: the kernel does not say.
  bool read();
};

/// Prints the report on standard error. `seconds`: for how long nothing has moved; 0: a signal asks for it. Called by
/// the watchdog's thread only.
void stall_report(int seconds);

/// Whether the worker sleeps in the runtime.
bool shows_a_wait(Worker* worker);

} // namespace chomp
