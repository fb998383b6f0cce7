// The message when the attached tool crashes. One line names the tool and which of its functions ran. Then the process
// dies of the signal as it would have died without the message. The program does not go on: the tool may have written
// anywhere before, and the locks that it held stay locked. As for stack overflows (stacks/stack_overflow.h), a handler
// is installed only where the signal has the system's action, and CHOMP_OVERFLOW_MESSAGE=0 leaves all of it out.
#pragma once

namespace chomp {

struct Worker;

/// Called when a tool is about to start on the calling thread, `worker`'s. `name`: the tool's library; null: it is in
/// the program.
void tool_crash_watch(Worker* worker, const char* name);

/// Called by signal handlers, on the thread that has caught the signal: prints the message if the tool's code runs
/// there.
void tool_crash_report(const Worker* worker, int signal);

} // namespace chomp
