// Tasks that wait for a call: chomp_task_suspend() and chomp_task_resume(), alpi_task_block() and alpi_task_unblock().
// A task that has a fiber leaves it; any other blocks where it stands, and its worker runs other tasks on top.
//
// | BlockState::word | means                                  | unblock →   | block → |
// |------------------|----------------------------------------|-------------|---------|
// | kNone            | it runs                                | kUnblocked  | kBlocked |
// | kUnblocked       | the call came first                    | an error    | kNone: it goes on |
// | kBlocked         | it has left, or is about to, or waits  | kNone: it goes on | –  |
//
// Each arrow is one read-modify-write. The thread that stores kNone for a blocked task is the only one that may touch
// it, until it has handed the fiber over, or stored to the word on the waiter's stack.
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/core/task.h"
#include "runtime/core/worker.h"
#include "runtime/tasks/task_detach.h"

namespace chomp {

struct Wait;

/// From now on tasks may stop: called when the program first asks for something of this kind.
void blocking_begin(Worker* worker);

/// A handle of the current task, for others to unblock it.
DetachEvent* blocking_handle(Worker* worker);

/// The current task waits for unblock(); the worker runs others meanwhile. False: the handle is another task's.
bool block(Worker* worker, DetachEvent* handle);
/// From any thread. False: it was called twice.
bool unblock(DetachEvent* handle);

/// The body of the current task, whose handle that is, will be run again when it returns. False: it is implicit, called
/// by compiled code itself, or of a task graph.
bool run_again(Worker* worker, DetachEvent* handle);
/// When that will be, of this task from now on. False: there is no such mode.
bool run_again_mode(DetachEvent* handle, uint32_t mode, uint64_t argument);

/// The current task waits for that time, or longer. Returns how long it was.
uint64_t block_for(Worker* worker, uint64_t ns);

/// Around a sleep in Idler::park(): as wait_announce() and wait_withdraw(), for tasks that have left while they waited.
void announce_left(Worker* worker);
void withdraw_left(Worker* worker);
/// `timeout`, or how long it is until the next moment for which a task waits here.
int64_t until_moment(Worker* worker, const Wait& wait, int64_t timeout);

} // namespace chomp
