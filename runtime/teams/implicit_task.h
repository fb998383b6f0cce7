// The implicit task of a member: its beginning, body and end.
#pragma once

#include "runtime/core/team.h"

namespace chomp {

/// The worker becomes the member, and the member's implicit task its current one, as a child of `encountering`.
/// The caller then announces it.
void implicit_task_begin(Worker* worker, Member* member, Task* encountering);

/// Tells observers that the worker's implicit task has begun.
void implicit_task_announce(Worker* worker);

/// Executes the region's outlined body.
void implicit_task_run(Worker* worker, Member* member);

/// Frees what the task has kept of its children's dependences, and notifies observers.
void implicit_task_end(Worker* worker, Member* member);

/// From here on the worker's counters count for the domain of `member`. In a serial team nothing changes, since such a
/// team is wherever its thread is.
void count_in_its_domain(Worker* worker, const Member* member);

/// Calls the outlined code of a region, whose implicit task is the current one.
void invoke_microtask(Worker* worker, Microtask microtask, int32_t* gtid, int32_t* tid, int argc, void** argv);

} // namespace chomp
