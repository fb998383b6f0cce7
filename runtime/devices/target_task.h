// Tasks of `target nowait` in Clang's code. Where there are devices, helpers run them: free agents of their own kind
// (threads/free_agents.md). So the host goes on beside the device in teams of any size, also of one.
//
// libomptarget may return before the device has finished. For that it asks for a place in the current task where it
// keeps a handle, and sets it to null when the device has. A task with a handle is not over: what remains of it is a
// next part, as of an untied task that has yielded. This part goes to the end of the team's list, and asks libomptarget
// again. So no thread waits for the device, and a helper has many target regions on their way at once.
#pragma once

#include "runtime/core/task.h"
#include "runtime/core/worker.h"

namespace chomp {

/// The task is that of a target construct, and will be spawned next: helpers run it, if there are any.
void target_task_made(Task* task);

/// Where libomptarget may leave a handle for the current task; null: it has to wait for the device.
void** target_handle(Worker* worker);

} // namespace chomp
