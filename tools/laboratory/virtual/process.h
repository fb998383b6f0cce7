// The process in which runs begin: the same addresses each time, since what the program hashes, and which of its data
// share a line, must not change; and one processor.
#pragma once

#include <sys/types.h>

namespace virtual_machine {

void fix_addresses(char** arguments, char** environment);
void stay_on_one_cpu();
/// Waits for the end of a run. Returns what is wrong, if that does not come in the time allowed, and ends it.
const char* wait_for(pid_t child, int seconds, int* status);

} // namespace virtual_machine
