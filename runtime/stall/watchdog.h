// CHOMP_WATCHDOG=seconds: reports once what each thread waits for and where, when nothing in the program has moved for
// that time. CHOMP_WATCHDOG_SIGNAL=QUIT (USR1, USR2): reports it whenever the process gets that signal.
//
// A thread of its own, chomp/watch, looks four times in that time, at least once a second. It reads what workers show
// before they sleep (sync/shown_wait.h), and what the kernel says of the other threads. README.md says what counts as
// moving.
#pragma once

namespace chomp {

/// If a setting asks for it: observes from now on, and installs the handler. Called once, at start-up, after
/// config_read().
void watchdog_start();

/// Then starts the thread. Called once, without a lock of ours: it asks the loader for the unwinder.
void watchdog_start_thread();

} // namespace chomp
