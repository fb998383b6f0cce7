// The message when a task overflows its stack. One line names the setting. Then the process dies of SIGSEGV, with the
// same core file as without the message.
//
// The process is not ours. The handler is installed only where SIGSEGV has the system's action, at the first parallel
// region; a handler that the program installs later replaces it and may chain to it. A handler needs an alternate stack
// once the usual one is full. A thread gets one only together with our handler, and only if it has none. With
// CHOMP_OVERFLOW_MESSAGE=0 none of this happens.
//
// Invariant: the mapping in StackState::signal_stack outlives its use by the system; overflow_unwatch() takes it back
// first. Then the mapping waits for the next thread; at most kMostSpare of them do.
#pragma once

namespace chomp {

struct Worker;

/// Called on the worker's own thread, any number of times; cheap from the second on.
void overflow_watch(Worker* worker);

/// Takes the alternate stack back when the thread exits.
void overflow_unwatch(Worker* worker);

void overflow_reset_after_fork();

} // namespace chomp
