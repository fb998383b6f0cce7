// A tool of the OMPT interface (OpenMP 5.2, chapter 19): it is looked for, started and ended. What it is told is in
// core/events.h. A tool's functions are called outside all locks, on the thread that causes the event. They may not use
// OpenMP.
#pragma once

#include "runtime/base/check.h"

namespace chomp {

/// Looks for a tool, once, and starts it. Called by the first thread that uses OpenMP, once chomp has registered the
/// thread.
CHOMP_SLOW void tool_attach();
/// Ends the tool, if there is one.
void tool_end();
/// Called in the child of fork(): another thread may have been starting the tool.
void tool_reset_after_fork();
/// omp_control_tool() (18.14).
int tool_control(int command, int modifier, void* argument, const void* site, const void* frame);
/// ompt_libomp_connect(): an offload library passes its ompt_start_tool_result_t.
void tool_connect_offload(void* start_result);

} // namespace chomp
