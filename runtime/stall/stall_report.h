// Says in words what each thread of the program does and waits for: see watchdog.h.
#pragma once

namespace chomp {

struct Worker;

/// Prints the report on standard error. `seconds`: for how long nothing has moved; 0: a signal asks for it. Called by
/// the watchdog's thread only.
void stall_report(int seconds);

/// The worker whose thread has that number of the kernel's; null: none has.
Worker* worker_of_thread(int thread_id);

/// Whether the worker sleeps in the runtime.
bool shows_a_wait(Worker* worker);

} // namespace chomp
